// The two addresses of single sign-on: the one that sends the browser away, and the one that it comes back to.

import type { Context } from "hono";
import type { Pool } from "pg";
import { z } from "zod";
import { takeOnce, takeOnceMinutes } from "../../../commands/members/sessions.js";
import { emailKey } from "../../../domain/members.js";
import type { Identity, SingleSignOn } from "../../../ports/people.js";
import { membersWithEmail, type VerifiedMember } from "../../../queries/lookUps/members.js";
import { singleSignOnCookie } from "./cookies.js";
import { safeReturn } from "./returnTo.js";
import { readSignedValue, signValue } from "./signedValue.js";

export const singleSignOnPaths = { begin: "/portal/sso", finish: "/portal/sso/callback" } as const;

export interface SingleSignOnDeps {
  readonly pool: Pool;
  readonly singleSignOn: SingleSignOn;
  readonly publicUrl: string;
  readonly signingSecret: string;
}

export type SingleSignOnAnswer =
  | { readonly kind: "verified"; readonly members: readonly [VerifiedMember, ...VerifiedMember[]]; readonly returnTo: string }
  /** `why`: a sentence for the person. `reason` and `email` are for the log. */
  | { readonly kind: "refused"; readonly why: string; readonly reason: string; readonly email?: string };

const purpose = "single sign-on";
const kept = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string(), returnTo: z.string() });

/** The provider's address, with the cookie that the answer is compared with set; or a sentence where it cannot be reached. */
export async function beginSingleSignOn(deps: SingleSignOnDeps, c: Context): Promise<{ readonly url: string } | { readonly why: string }> {
  const begun = await deps.singleSignOn.begin();
  if (!begun) return { why: sentences.unreachable };
  const expiresAt = new Date(Date.now() + takeOnceMinutes * 60_000);
  const value = { ...begun.checks, returnTo: safeReturn(c.req.query("returnTo")) };
  singleSignOnCookie(deps.publicUrl, takeOnceMinutes * 60).write(c, signValue(deps.signingSecret, purpose, value, expiresAt));
  return { url: begun.url };
}

/** The identity that came back from the provider. The cookie is removed, and a state is accepted once, from whichever browser. */
export async function finishSingleSignOn(deps: SingleSignOnDeps, c: Context): Promise<SingleSignOnAnswer> {
  const cookie = singleSignOnCookie(deps.publicUrl, 0);
  const found = kept.safeParse(readSignedValue(deps.signingSecret, purpose, cookie.read(c), new Date()));
  cookie.clear(c);
  if (!found.success || c.req.query("state") !== found.data.state) return refused("refused");
  const { returnTo, ...checks } = found.data;
  if (!(await takeOnce(deps.pool, checks.state))) return refused("refused");
  const identity = await deps.singleSignOn.finish(new URL(c.req.url).search, checks);
  if (identity.kind !== "verified") return refused(identity.kind);
  const [first, ...others] = await membersWithEmail(deps.pool, emailKey(identity.email));
  return first ? { kind: "verified", members: [first, ...others], returnTo } : refused("stranger", identity.email);
}

const sentences: Readonly<Record<Exclude<Identity["kind"], "verified"> | "stranger", string>> = {
  stranger: "Your account is not a member of any organisation here. Ask an admin of your organisation to invite your e-mail",
  unverified: "Your identity provider does not say that your e-mail is verified. Verify it there, then sign in again",
  refused: "The sign-in did not come through. Begin it again from this page",
  unreachable: "The identity provider does not answer at the moment. Try again shortly, or sign in by password",
};

const refused = (reason: keyof typeof sentences, email?: string): SingleSignOnAnswer => ({
  ...{ kind: "refused", why: sentences[reason], reason },
  ...(email === undefined ? {} : { email }),
});
