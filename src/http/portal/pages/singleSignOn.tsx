// Single sign-on: the address that sends the browser away, and the one that it comes back to.
import { acceptOnce } from "../../../commands/members/sessions.js";
import { emailKey } from "../../../domain/members.js";
import { Rejection } from "../../../domain/rejection.js";
import type { Identity, SingleSignOn } from "../../../ports/people.js";
import { membersWithEmail } from "../../../queries/lookUps/members.js";
import { definePage, type FormResult, type PortalDeps, type Visit } from "../pageDefinition.js";
import { singleSignOnCookie } from "../sessions/cookies.js";
import { safeReturn, signInAs, singleSignOnPaths } from "./signIn.js";

const way = "single sign-on";

/** Sets the cookie that the provider's answer is compared with. */
export const beginPage = definePage<Visit>(singleSignOnPaths.begin, "anyone", async ({ context: c }, deps) => {
  const begun = await configured(deps).begin();
  if (!begun) return backToSignIn("unreachable");
  singleSignOnCookie(deps).write(c, { ...begun.checks, returnTo: safeReturn(c.req.query("returnTo")) });
  return { goTo: begun.url };
});

/** Takes the identity that came back from the provider. The cookie is removed, and a state is accepted once, from whichever browser. */
export const finishPage = definePage<Visit>(singleSignOnPaths.finish, "anyone", async (visit, deps) => {
  const { context: c } = visit;
  const { pool, signInLog } = deps;
  const singleSignOn = configured(deps);
  const refused = (reason: Refusal, email?: string) => {
    signInLog.refused(c, way, reason, email);
    return backToSignIn(reason);
  };
  const cookie = singleSignOnCookie(deps);
  const begun = cookie.read(c);
  cookie.clear(c);
  if (!begun || c.req.query("state") !== begun.state) return refused("refused");
  const { returnTo, ...checks } = begun;
  if (!(await acceptOnce(pool, checks.state))) return refused("refused");
  const identity = await singleSignOn.finish(new URL(c.req.url).search, checks);
  if (identity.kind !== "verified") return refused(identity.kind);
  const members = await membersWithEmail(emailKey(identity.email), pool);
  return members.length > 0 ? signInAs(members, returnTo, way, visit, deps) : refused("stranger", identity.email);
});

function configured({ singleSignOn }: PortalDeps): SingleSignOn {
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
