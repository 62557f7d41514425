// Single sign-on: the address that sends the browser away, and the one that it comes back to.
import { z } from "zod";
import { takeOnce, takeOnceMinutes } from "../../../commands/members/sessions.js";
import { emailKey } from "../../../domain/members.js";
import { Rejection } from "../../../domain/rejection.js";
import type { Identity, SingleSignOn } from "../../../ports/people.js";
import { membersWithEmail } from "../../../queries/lookUps/members.js";
import type { FormResult, PageDefinition, PortalDeps, Visit } from "../pageDefinition.js";
import { singleSignOnCookie } from "../sessions/cookies.js";
import { openSealed, sealValue } from "../sessions/sealedValues.js";
import { safeReturn, signInAs, singleSignOnPaths } from "./signIn.js";

const way = "single sign-on";
const keptChecks = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string(), returnTo: z.string() });

/** Sets the cookie that the provider's answer is compared with. */
export const beginPage: PageDefinition<Visit> = {
  path: singleSignOnPaths.begin,
  access: "anyone",
  leadsOn: true,
  show: async ({ context: c }, deps) => {
    const begun = await configured(deps).begin();
    if (!begun) return backToSignIn("unreachable");
    const expiresAt = new Date(Date.now() + takeOnceMinutes * 60_000);
    const value = { ...begun.checks, returnTo: safeReturn(c.req.query("returnTo")) };
    singleSignOnCookie(deps.publicUrl, takeOnceMinutes * 60).write(c, sealValue(deps.signingSecret, way, value, expiresAt));
    return { goTo: begun.url };
  },
};

/** Takes the identity that came back from the provider. The cookie is removed, and a state is accepted once, from whichever browser. */
export const finishPage: PageDefinition<Visit> = {
  path: singleSignOnPaths.finish,
  access: "anyone",
  leadsOn: true,
  show: async (visit, deps) => {
    const { context: c } = visit;
    const { pool, publicUrl, signingSecret, signInLog } = deps;
    const singleSignOn = configured(deps);
    const refused = (reason: Refusal, email?: string) => {
      signInLog.refused(c, way, reason, email);
      return backToSignIn(reason);
    };
    const cookie = singleSignOnCookie(publicUrl, 0);
    const found = keptChecks.safeParse(openSealed(signingSecret, way, cookie.read(c), new Date()));
    cookie.clear(c);
    if (!found.success || c.req.query("state") !== found.data.state) return refused("refused");
    const { returnTo, ...checks } = found.data;
    if (!(await takeOnce(pool, checks.state))) return refused("refused");
    const identity = await singleSignOn.finish(new URL(c.req.url).search, checks);
    if (identity.kind !== "verified") return refused(identity.kind);
    const [first, ...others] = await membersWithEmail(emailKey(identity.email), pool);
    return first ? signInAs([first, ...others], returnTo, way, visit, deps) : refused("stranger", identity.email);
  },
};

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
