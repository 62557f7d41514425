import { Rejection } from "../../../domain/rejection.js";
import type { PageOf, PortalDeps } from "../page.js";
import { beginSingleSignOn, finishSingleSignOn, type SingleSignOnDeps, singleSignOnPaths } from "../sessions/singleSignOn.js";
import type { Visit } from "../visit.js";
import { signInAs } from "./signIn.js";

export const beginPage: PageOf<Visit> = {
  path: singleSignOnPaths.begin,
  access: "anyone",
  leadsOn: true,
  show: async (visit, deps) => {
    const begun = await beginSingleSignOn(configured(deps), visit.context);
    return "url" in begun ? { goTo: begun.url } : backToSignIn(begun.why);
  },
};

export const finishPage: PageOf<Visit> = {
  path: singleSignOnPaths.finish,
  access: "anyone",
  leadsOn: true,
  show: async (visit, deps) => {
    const answer = await finishSingleSignOn(configured(deps), visit.context);
    if (answer.kind === "verified") return signInAs(answer.members, answer.returnTo, "single sign-on", visit, deps);
    deps.signInLog.refused(visit.context, "single sign-on", answer.reason, answer.email);
    return backToSignIn(answer.why);
  },
};

function configured({ singleSignOn, ...deps }: PortalDeps): SingleSignOnDeps {
  if (!singleSignOn) throw new Rejection("notFound", "Single sign-on is not set up here. Sign in by password");
  return { ...deps, singleSignOn };
}

const backToSignIn = (why: string) => ({ goTo: "/portal/sign-in", notice: { kind: "error" as const, lines: [`${why}.`] } });
