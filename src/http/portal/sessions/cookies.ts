// The cookies of the portal. Over https their names begin with __Host-, so that no other host can set them; browsers then want Path=/.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { sessionLimits } from "../../../commands/members/sessions.js";
import type { KnownBrowser } from "../../../commands/members/signIn.js";
import { makeToken } from "../../../domain/members.js";

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

/** More than the memberships of one e-mail take (at most 100), and less than a form may have. */
const longest = 40_000;

/** `purpose`: a value that was signed for one purpose is not accepted for another. */
export function signValue(secret: string, purpose: string, value: unknown, expiresAt: Date): string {
  const body = Buffer.from(JSON.stringify({ value, until: expiresAt.getTime() })).toString("base64url");
  return `${body}.${signature(secret, purpose, body)}`;
}

/** Undefined for text that was changed, has expired, or was not signed with this secret. */
export function readSignedValue(secret: string, purpose: string, text: string | undefined, now: Date): unknown {
  if (text === undefined || text.length > longest) return undefined;
  const [body = "", given = ""] = text.split(".");
  const wanted = Buffer.from(signature(secret, purpose, body));
  const found = Buffer.from(given);
  if (wanted.length !== found.length || !timingSafeEqual(wanted, found)) return undefined;
  const { value, until } = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as { value: unknown; until: number };
  return until > now.getTime() ? value : undefined;
}

const signature = (secret: string, purpose: string, body: string): string =>
  createHmac("sha256", secret).update(`portal ${purpose}\n${body}`).digest("base64url");

interface KnownDeps {
  readonly publicUrl: string;
  readonly signingSecret: string;
}

const days = 180;
const mostMembers = 10;
const purpose = "known browser";
const known = z.object({ browser: z.string(), memberIds: z.array(z.uuid()) });

export function knownBrowser({ publicUrl, signingSecret }: KnownDeps, c: Context): KnownBrowser | undefined {
  const found = known.safeParse(readSignedValue(signingSecret, purpose, knownCookie(publicUrl, 0).read(c), new Date()));
  return found.success ? found.data : undefined;
}

/** Called at each sign-in. The browser keeps its number; of more members than it has room for, those of the last sign-ins stay. */
export function rememberBrowser(deps: KnownDeps, c: Context, memberId: string): void {
  const { browser, memberIds } = knownBrowser(deps, c) ?? { browser: makeToken(randomBytes), memberIds: [] };
  const value = { browser, memberIds: [memberId, ...memberIds.filter((each) => each !== memberId)].slice(0, mostMembers) };
  const seconds = days * 86_400;
  knownCookie(deps.publicUrl, seconds).write(c, signValue(deps.signingSecret, purpose, value, new Date(Date.now() + seconds * 1000)));
}
