// The portal's cookies. Over https their names begin with __Host-, so that no other host can set them; browsers then require Path=/.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { acceptOnce, acceptOnceMinutes, sessionLimits, type VerifiedMemberRef } from "../../../commands/members/sessions.js";
import { hashToken, makeToken } from "../../../domain/members.js";
import type { SharedDeps } from "../../server/deps.js";
import type { SignInWay } from "./signInLog.js";

export type PortalCookie = ReturnType<typeof portalCookie>;

const daySeconds = 86_400;

/** How long a browser keeps each cookie. */
const maxAgeSeconds = {
  waybill: sessionLimits.maxDays * daySeconds,
  waybill_sso: acceptOnceMinutes * 60,
  waybill_choice: 5 * 60, // shorter than `acceptOnceMinutes`, for which an accepted choice is remembered
  waybill_totals: 100 * daySeconds,
  waybill_known: 180 * daySeconds,
  waybill_notice: 60,
} as const;
type CookieName = keyof typeof maxAgeSeconds;

function portalCookie(publicUrl: string, name: CookieName) {
  const secure = publicUrl.startsWith("https:");
  const prefix = secure ? ({ prefix: "host" } as const) : {};
  const options = { ...prefix, httpOnly: true, sameSite: "Lax", secure, path: "/" } as const;
  return {
    read: (c: Context) => (secure ? getCookie(c, name, "host") : getCookie(c, name)),
    // Lax, not Strict: with Strict a link in an e-mail would lead to the sign-in instead of the page.
    write: (c: Context, value: string) => setCookie(c, name, value, { ...options, maxAge: maxAgeSeconds[name] }),
    clear: (c: Context) => deleteCookie(c, name, options),
  };
}

type SigningDeps = Pick<SharedDeps, "publicUrl" | "signingSecret">;

const expiryOf = (name: CookieName) => new Date(Date.now() + maxAgeSeconds[name] * 1000);

/** A cookie whose value only this service can read and create. */
export function sealedCookie<Value>({ publicUrl, signingSecret }: SigningDeps, name: CookieName, purpose: string, shape: z.ZodType<Value>) {
  const cookie = portalCookie(publicUrl, name);
  return {
    read: (c: Context) => shape.safeParse(openSealed(signingSecret, purpose, cookie.read(c), new Date())).data,
    write: (c: Context, value: Value) => cookie.write(c, sealValue(signingSecret, purpose, value, expiryOf(name))),
    clear: cookie.clear,
  };
}

export const sessionCookie = (publicUrl: string): PortalCookie => portalCookie(publicUrl, "waybill");

/** Records when the totals of a month were last downloaded in this browser, and by whom. */
export const downloadCookie = (publicUrl: string): PortalCookie => portalCookie(publicUrl, "waybill_totals");

/** What single sign-on needs when the browser comes back from the provider. */
const signOnShape = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string(), returnTo: z.string() });

export const singleSignOnCookie = (deps: SigningDeps) => sealedCookie(deps, "waybill_sso", "single sign-on", signOnShape);

const maxKnownMembers = 10;
const knownMembersShape = z.object({ browser: z.string(), memberIds: z.array(z.uuid()) });

/** Recognises a browser in which a member has signed in before. There, wrong passwords from other browsers do not slow the member down. */
export const knownBrowserCookie = (deps: SigningDeps) => sealedCookie(deps, "waybill_known", "known browser", knownMembersShape);

/** Called at each sign-in: notes that this member, after the other latest ones, has signed in in this browser. */
export function rememberBrowser(deps: SigningDeps, c: Context, memberId: string): void {
  const cookie = knownBrowserCookie(deps);
  const { browser, memberIds } = cookie.read(c) ?? { browser: makeToken(randomBytes), memberIds: [] };
  cookie.write(c, { browser, memberIds: [memberId, ...memberIds.filter((each) => each !== memberId)].slice(0, maxKnownMembers) });
}

// An e-mail address may belong to members of several organisations. The person then chooses one after signing in. The form has the
// verified members, sealed, so that nobody signs in twice. A cookie binds the form to the browser. It is accepted once.

const choicePurpose = "choice";
const choiceShape = z.object({
  way: z.enum(["password", "single sign-on", "link"]),
  browserSha256: z.string(),
  members: z.array(z.object({ memberId: z.string(), organisationId: z.string(), credentialsRevision: z.string() })),
});

/** Returns the sealed value for the form and sets the cookie that it is bound to. An earlier choice in this browser becomes void. */
export function offerChoice({ publicUrl, signingSecret }: SigningDeps, c: Context, way: SignInWay, members: readonly VerifiedMemberRef[]) {
  const browser = makeToken(randomBytes);
  portalCookie(publicUrl, "waybill_choice").write(c, browser);
  const value: z.infer<typeof choiceShape> = { way, browserSha256: hashToken(browser), members: choiceShape.shape.members.parse(members) };
  return sealValue(signingSecret, choicePurpose, value, expiryOf("waybill_choice"));
}

/** Uses the choice up and returns the member. Undefined if it was used, has expired, is another browser's, or lacks the organisation. */
export async function takeChoice(deps: SigningDeps & Pick<SharedDeps, "pool">, c: Context, sealed: string, organisationId: string) {
  const { pool, publicUrl, signingSecret } = deps;
  const cookie = portalCookie(publicUrl, "waybill_choice");
  const browser = cookie.read(c);
  const { data } = choiceShape.safeParse(openSealed(signingSecret, choicePurpose, sealed, new Date()));
  if (!data || browser === undefined || data.browserSha256 !== hashToken(browser)) return undefined;
  const member = data.members.find((each) => each.organisationId === organisationId);
  if (!member || !(await acceptOnce(pool, browser))) return undefined;
  cookie.clear(c);
  return { member, way: data.way };
}

const cipherName = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;
/** Room for the 100 members that `membersWithEmail` returns at most. Less than the largest form. */
const maxSealedLength = 40_000;

const sealingKey = (secret: string) => Buffer.from(hkdfSync("sha256", secret, "", "waybill portal sealed value", 32));

/** Encrypts and authenticates a value. A value that was sealed for one purpose is not accepted for another. */
export function sealValue(secret: string, purpose: string, value: unknown, expiresAt: Date): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, sealingKey(secret), iv).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(JSON.stringify({ value, until: expiresAt.getTime() }), "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
}

/** Returns the sealed value. Undefined if the text was changed, has expired, or was not sealed with this secret for this purpose. */
export function openSealed(secret: string, purpose: string, text: string | undefined, now: Date): unknown {
  if (text === undefined || text.length > maxSealedLength) return undefined;
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length < ivBytes + tagBytes || bytes.toString("base64url") !== text) return undefined;
  const [iv, tag, body] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes, ivBytes + tagBytes), bytes.subarray(ivBytes + tagBytes)];
  const options = { authTagLength: tagBytes };
  const decipher = createDecipheriv(cipherName, sealingKey(secret), iv, options).setAAD(Buffer.from(purpose)).setAuthTag(tag);
  try {
    const { value, until } = JSON.parse(Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8"));
    return until > now.getTime() ? value : undefined;
  } catch {
    return undefined;
  }
}
