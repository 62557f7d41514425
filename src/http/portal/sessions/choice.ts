// An e-mail that is a member of several organisations: the password was right, and the person says which one. What was verified travels
// in the form, signed; a password is never sent back to a browser. A cookie binds it to the browser that signed in, and it is taken once.
import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import type { Pool } from "pg";
import { z } from "zod";
import type { NamelessMember } from "../../../commands/members/sessions.js";
import { takeOnce } from "../../../commands/members/sessions.js";
import { hashToken, makeToken } from "../../../domain/members.js";
import { choiceCookie, readSignedValue, signValue } from "./cookies.js";
import type { SignInWay } from "./signInLog.js";

/** Less than the time for which a taken choice is remembered. */
const minutes = 5;
const purpose = "choice";
const offered = z.object({
  way: z.enum(["password", "single sign-on", "link"]),
  browserSha256: z.string(),
  members: z.array(z.object({ memberId: z.string(), organisationId: z.string(), credentialsRevision: z.string() })),
});

interface ChoiceDeps {
  readonly pool: Pool;
  readonly publicUrl: string;
  readonly signingSecret: string;
}

/** What the form carries. Sets the cookie that it belongs to; the choice of an earlier sign-in in this browser is void. */
export function offerChoice(
  { publicUrl, signingSecret }: ChoiceDeps,
  c: Context,
  way: SignInWay,
  members: readonly NamelessMember[],
): string {
  const browser = makeToken(randomBytes);
  choiceCookie(publicUrl, minutes * 60).write(c, browser);
  const kept = members.map(({ memberId, organisationId, credentialsRevision }) => ({ memberId, organisationId, credentialsRevision }));
  return signValue(
    signingSecret,
    purpose,
    { way, browserSha256: hashToken(browser), members: kept },
    new Date(Date.now() + minutes * 60_000),
  );
}

/** The member of the chosen organisation. Undefined for another browser's choice, one that was taken or has expired, and another organisation. */
export async function takeChoice(
  { pool, publicUrl, signingSecret }: ChoiceDeps,
  c: Context,
  { signed, organisationId }: { signed: string; organisationId: string },
): Promise<{ readonly member: NamelessMember; readonly way: SignInWay } | undefined> {
  const cookie = choiceCookie(publicUrl, 0);
  const browser = cookie.read(c);
  const known = offered.safeParse(readSignedValue(signingSecret, purpose, signed, new Date()));
  if (!known.success || browser === undefined || known.data.browserSha256 !== hashToken(browser)) return undefined;
  const member = known.data.members.find((each) => each.organisationId === organisationId);
  if (!member || !(await takeOnce(pool, browser))) return undefined;
  cookie.clear(c);
  return { member, way: known.data.way };
}
