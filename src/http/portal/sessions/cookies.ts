// The cookies of the portal. Over https their names begin with __Host-, so that no other host can set them; browsers then want Path=/.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { acceptOnce, acceptOnceMinutes, type NamelessMember, sessionLimits } from "../../../commands/members/sessions.js";
import { hashToken, makeToken } from "../../../domain/members.js";
import type { SharedDeps } from "../../server/deps.js";
import type { SignInWay } from "./signInLog.js";

export type PortalCookie = ReturnType<typeof portalCookie>;

const daySeconds = 86_400;

/** How long a browser keeps each. */
const secondsOf = {
  waybill: sessionLimits.longestDays * daySeconds,
  waybill_sso: acceptOnceMinutes * 60,
  waybill_choice: 5 * 60, // less than the time for which a taken choice is remembered
  waybill_totals: 100 * daySeconds,
  waybill_known: 180 * daySeconds,
  waybill_notice: 60,
} as const;
type CookieName = keyof typeof secondsOf;

function portalCookie(publicUrl: string, name: CookieName) {
  const secure = publicUrl.startsWith("https:");
  const prefix = secure ? ({ prefix: "host" } as const) : {};
  const options = { ...prefix, httpOnly: true, sameSite: "Lax", secure, path: "/" } as const;
  return {
    read: (c: Context) => (secure ? getCookie(c, name, "host") : getCookie(c, name)),
    // Lax, not Strict: with Strict a link in an e-mail would lead to the sign-in instead of the page.
    write: (c: Context, value: string) => setCookie(c, name, value, { ...options, maxAge: secondsOf[name] }),
    clear: (c: Context) => deleteCookie(c, name, options),
  };
}

type SigningDeps = Pick<SharedDeps, "publicUrl" | "signingSecret">;

const expiryOf = (name: CookieName) => new Date(Date.now() + secondsOf[name] * 1000);

/** A cookie whose value only this service can read or make. */
export function sealedCookie<Value>({ publicUrl, signingSecret }: SigningDeps, name: CookieName, purpose: string, shape: z.ZodType<Value>) {
  const cookie = portalCookie(publicUrl, name);
  return {
    read: (c: Context) => shape.safeParse(openSealed(signingSecret, purpose, cookie.read(c), new Date())).data,
    write: (c: Context, value: Value) => cookie.write(c, sealValue(signingSecret, purpose, value, expiryOf(name))),
    clear: cookie.clear,
  };
}

export const sessionCookie = (publicUrl: string): PortalCookie => portalCookie(publicUrl, "waybill");

/** When the totals of which month were last downloaded, and by whom. */
export const downloadCookie = (publicUrl: string): PortalCookie => portalCookie(publicUrl, "waybill_totals");

/** What single sign-on has to know when the browser comes back. */
const begunSignOn = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string(), returnTo: z.string() });

export const singleSignOnCookie = (deps: SigningDeps) => sealedCookie(deps, "waybill_sso", "single sign-on", begunSignOn);

const mostMembers = 10;
const knownMembers = z.object({ browser: z.string(), memberIds: z.array(z.uuid()) });

/** A browser in which somebody has signed in before: other people's wrong passwords do not slow it down. */
export const knownBrowser = (deps: SigningDeps) => sealedCookie(deps, "waybill_known", "known browser", knownMembers);

/** Called at each sign-in. The browser keeps its number; of more members than it has room for, those of the last sign-ins stay. */
export function rememberBrowser(deps: SigningDeps, c: Context, memberId: string): void {
  const cookie = knownBrowser(deps);
  const { browser, memberIds } = cookie.read(c) ?? { browser: makeToken(randomBytes), memberIds: [] };
  cookie.write(c, { browser, memberIds: [memberId, ...memberIds.filter((each) => each !== memberId)].slice(0, mostMembers) });
}

// An e-mail that is a member of several organisations: the password was right, and the person says which one. What was verified travels
// in the form, sealed; a password is never sent back to a browser. A cookie binds it to the browser that signed in, and it is taken once.

const choicePurpose = "choice";
const offered = z.object({
  way: z.enum(["password", "single sign-on", "link"]),
  browserSha256: z.string(),
  members: z.array(z.object({ memberId: z.string(), organisationId: z.string(), credentialsRevision: z.string() })),
});

/** What the form carries. Sets the cookie that it belongs to; the choice of an earlier sign-in in this browser is void. */
export function offerChoice({ publicUrl, signingSecret }: SigningDeps, c: Context, way: SignInWay, members: readonly NamelessMember[]) {
  const browser = makeToken(randomBytes);
  portalCookie(publicUrl, "waybill_choice").write(c, browser);
  const value: z.infer<typeof offered> = { way, browserSha256: hashToken(browser), members: offered.shape.members.parse(members) };
  return sealValue(signingSecret, choicePurpose, value, expiryOf("waybill_choice"));
}

/** The member of the chosen organisation. Undefined for another browser's choice, one that was taken or has expired, and another organisation. */
export async function takeChoice(deps: SigningDeps & Pick<SharedDeps, "pool">, c: Context, sealed: string, organisationId: string) {
  const { pool, publicUrl, signingSecret } = deps;
  const cookie = portalCookie(publicUrl, "waybill_choice");
  const browser = cookie.read(c);
  const { data } = offered.safeParse(openSealed(signingSecret, choicePurpose, sealed, new Date()));
  if (!data || browser === undefined || data.browserSha256 !== hashToken(browser)) return undefined;
  const member = data.members.find((each) => each.organisationId === organisationId);
  if (!member || !(await acceptOnce(pool, browser))) return undefined;
  cookie.clear(c);
  return { member, way: data.way };
}

const cipherName = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;
/** More than the memberships of one e-mail take (at most 100), and less than a form may have. */
const longest = 40_000;

const keyOf = (secret: string) => Buffer.from(hkdfSync("sha256", secret, "", "waybill portal sealed value", 32));

/** `purpose`: a value that was sealed for one purpose is not accepted for another. */
export function sealValue(secret: string, purpose: string, value: unknown, expiresAt: Date): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, keyOf(secret), iv).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(JSON.stringify({ value, until: expiresAt.getTime() }), "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
}

/** Undefined for text that was changed, has expired, or was not sealed with this secret for this purpose. */
export function openSealed(secret: string, purpose: string, text: string | undefined, now: Date): unknown {
  if (text === undefined || text.length > longest) return undefined;
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length < ivBytes + tagBytes || bytes.toString("base64url") !== text) return undefined;
  const [iv, tag, body] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes, ivBytes + tagBytes), bytes.subarray(ivBytes + tagBytes)];
  const options = { authTagLength: tagBytes };
  const decipher = createDecipheriv(cipherName, keyOf(secret), iv, options).setAAD(Buffer.from(purpose)).setAuthTag(tag);
  try {
    const { value, until } = JSON.parse(Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8"));
    return until > now.getTime() ? value : undefined;
  } catch {
    return undefined;
  }
}
