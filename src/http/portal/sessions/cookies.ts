// The cookies of the portal. Over https their names begin with __Host-, so that no other host can set them; browsers then want Path=/.
import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Pool } from "pg";
import { z } from "zod";
import { type NamelessMember, sessionLimits, takeOnce } from "../../../commands/members/sessions.js";
import type { KnownBrowser } from "../../../commands/members/signIn.js";
import { hashToken, makeToken } from "../../../domain/members.js";
import { openSealed, sealValue } from "./sealedValues.js";
import type { SignInWay } from "./signInLog.js";

export interface PortalCookie {
  read(c: Context): string | undefined;
  write(c: Context, value: string): void;
  clear(c: Context): void;
}

const secondsPerDay = 86_400;

export const sessionCookie = (publicUrl: string): PortalCookie =>
  portalCookie(publicUrl, "waybill", sessionLimits.longestDays * secondsPerDay);

/** What single sign-on has to know when the browser comes back. */
export const singleSignOnCookie = (publicUrl: string, seconds: number): PortalCookie => portalCookie(publicUrl, "waybill_sso", seconds);

/** The browser that is asked which organisation. */
export const choiceCookie = (publicUrl: string, seconds: number): PortalCookie => portalCookie(publicUrl, "waybill_choice", seconds);

/** When the totals of which month were last downloaded, and by whom. */
export const downloadCookie = (publicUrl: string): PortalCookie => portalCookie(publicUrl, "waybill_totals", 100 * secondsPerDay);

/** A browser in which somebody has signed in before. */
export const knownCookie = (publicUrl: string, seconds: number): PortalCookie => portalCookie(publicUrl, "waybill_known", seconds);

function portalCookie(publicUrl: string, name: string, maxAge: number): PortalCookie {
  const secure = publicUrl.startsWith("https:");
  const prefix = secure ? ({ prefix: "host" } as const) : {};
  const options = { ...prefix, httpOnly: true, sameSite: "Lax", secure, path: "/" } as const;
  return {
    read: (c) => (secure ? getCookie(c, name, "host") : getCookie(c, name)),
    // Lax, not Strict: with Strict a link in an e-mail would lead to the sign-in instead of the page.
    write: (c, value) => setCookie(c, name, value, { ...options, maxAge }),
    clear: (c) => {
      deleteCookie(c, name, options);
    },
  };
}

interface SigningDeps {
  readonly publicUrl: string;
  readonly signingSecret: string;
}

const days = 180;
const mostMembers = 10;
const knownPurpose = "known browser";
const known = z.object({ browser: z.string(), memberIds: z.array(z.uuid()) });

/** For a browser in which a member has signed in before: other people's wrong passwords do not slow it down. */
export function knownBrowser({ publicUrl, signingSecret }: SigningDeps, c: Context): KnownBrowser | undefined {
  const found = known.safeParse(openSealed(signingSecret, knownPurpose, knownCookie(publicUrl, 0).read(c), new Date()));
  return found.success ? found.data : undefined;
}

/** Called at each sign-in. The browser keeps its number; of more members than it has room for, those of the last sign-ins stay. */
export function rememberBrowser(deps: SigningDeps, c: Context, memberId: string): void {
  const { browser, memberIds } = knownBrowser(deps, c) ?? { browser: makeToken(randomBytes), memberIds: [] };
  const value = { browser, memberIds: [memberId, ...memberIds.filter((each) => each !== memberId)].slice(0, mostMembers) };
  const seconds = days * 86_400;
  knownCookie(deps.publicUrl, seconds).write(c, sealValue(deps.signingSecret, knownPurpose, value, new Date(Date.now() + seconds * 1000)));
}

// An e-mail that is a member of several organisations: the password was right, and the person says which one. What was verified travels
// in the form, sealed; a password is never sent back to a browser. A cookie binds it to the browser that signed in, and it is taken once.

/** Less than the time for which a taken choice is remembered. */
const minutes = 5;
const choicePurpose = "choice";
const offered = z.object({
  way: z.enum(["password", "single sign-on", "link"]),
  browserSha256: z.string(),
  members: z.array(z.object({ memberId: z.string(), organisationId: z.string(), credentialsRevision: z.string() })),
});

/** What the form carries. Sets the cookie that it belongs to; the choice of an earlier sign-in in this browser is void. */
export function offerChoice(
  { publicUrl, signingSecret }: SigningDeps,
  c: Context,
  way: SignInWay,
  members: readonly NamelessMember[],
): string {
  const browser = makeToken(randomBytes);
  choiceCookie(publicUrl, minutes * 60).write(c, browser);
  const kept = members.map(({ memberId, organisationId, credentialsRevision }) => ({ memberId, organisationId, credentialsRevision }));
  const value = { way, browserSha256: hashToken(browser), members: kept };
  return sealValue(signingSecret, choicePurpose, value, new Date(Date.now() + minutes * 60_000));
}

/** The member of the chosen organisation. Undefined for another browser's choice, one that was taken or has expired, and another organisation. */
export async function takeChoice(
  { pool, publicUrl, signingSecret }: SigningDeps & { readonly pool: Pool },
  c: Context,
  { sealed, organisationId }: { sealed: string; organisationId: string },
): Promise<{ readonly member: NamelessMember; readonly way: SignInWay } | undefined> {
  const cookie = choiceCookie(publicUrl, 0);
  const browser = cookie.read(c);
  const known = offered.safeParse(openSealed(signingSecret, choicePurpose, sealed, new Date()));
  if (!known.success || browser === undefined || known.data.browserSha256 !== hashToken(browser)) return undefined;
  const member = known.data.members.find((each) => each.organisationId === organisationId);
  if (!member || !(await takeOnce(pool, browser))) return undefined;
  cookie.clear(c);
  return { member, way: known.data.way };
}
