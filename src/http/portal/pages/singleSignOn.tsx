// Single sign-on: one address sends the browser to the identity provider, which sends it back to the other address.
import { acceptOnce } from "../../../commands/members/sessions.js";
import { emailKey } from "../../../domain/members.js";
import { Rejection } from "../../../domain/rejection.js";
import type { Identity, SingleSignOn } from "../../../ports/people.js";
import { membersWithEmail } from "../../../queries/lookUps/members.js";
import { definePage, type FormResult, type PortalDeps, type Visit } from "../pageDefinition.js";
import { singleSignOnCookie } from "../sessions/cookies.js";
import { safeReturn, signInAs, singleSignOnPaths } from "./signIn.js";

const way = "single sign-on";

/** Sends the browser to the provider, and sets a cookie to check the provider's answer against. */
export const beginPage = definePage<Visit>(singleSignOnPaths.begin, "anyone", async ({ context: c }, deps) => {
  const attempt = await requireSingleSignOn(deps).begin();
  if (!attempt) return backToSignIn("unreachable");
  singleSignOnCookie(deps).write(c, { ...attempt.checks, returnTo: safeReturn(c.req.query("returnTo")) });
  return { goTo: attempt.url };
});

/** Signs in the person whom the provider has verified. Clears the cookie. Accepts each `state` only once, whichever browser sends it. */
export const finishPage = definePage<Visit>(singleSignOnPaths.finish, "anyone", async (visit, deps) => {
  const { context: c } = visit;
  const { pool, signInLog } = deps;
  const singleSignOn = requireSingleSignOn(deps);
  const refuse = (reason: Refusal, email?: string) => {
    signInLog.refused(c, way, reason, email);
    return backToSignIn(reason);
  };
  const cookie = singleSignOnCookie(deps);
  const attempt = cookie.read(c);
  cookie.clear(c);
  if (!attempt || c.req.query("state") !== attempt.state) return refuse("refused");
  const { returnTo, ...checks } = attempt;
  if (!(await acceptOnce(pool, checks.state))) return refuse("refused");
  const identity = await singleSignOn.finish(new URL(c.req.url).search, checks);
  if (identity.kind !== "verified") return refuse(identity.kind);
  const members = await membersWithEmail(emailKey(identity.email), pool);
  return members.length > 0 ? signInAs(members, returnTo, way, visit, deps) : refuse("stranger", identity.email);
});

function requireSingleSignOn({ singleSignOn }: PortalDeps): SingleSignOn {
  if (!singleSignOn) throw new Rejection("notFound", "Single sign-on is not set up here. Sign in with your password");
  return singleSignOn;
}

type Refusal = Exclude<Identity["kind"], "verified"> | "stranger";

const sentences: Readonly<Record<Refusal, string>> = {
  stranger: "Your account is not a member of any organisation here. Ask an admin of your organisation to invite your email.",
  unverified: "Your identity provider does not say that your email is verified. Verify it there, then sign in again.",
  refused: "Sign-in did not finish. Start again from this page.",
  unreachable: "Single sign-on is not responding. Try again shortly, or sign in with your password.",
};

const backToSignIn = (reason: Refusal): FormResult => ({ goTo: "/portal/sign-in", notice: { kind: "error", lines: [sentences[reason]] } });
