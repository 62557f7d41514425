import { changePassword, renameMember } from "../../../../commands/members/ownAccount.js";
import { endOwnSession, endOwnSessions } from "../../../../commands/members/ownSessions.js";
import { formTokenOf } from "../../../../commands/members/sessions.js";
import { Rejection } from "../../../../domain/rejection.js";
import {
  type FormDefinition,
  type FormResult,
  type PageContent,
  type PortalDeps,
  type SignedInVisit,
  withNotice,
} from "../../pageDefinition.js";
import { browserName } from "../../sessions/browserName.js";
import { knownBrowser } from "../../sessions/cookies.js";
import { addressOf } from "../../sessions/signInLog.js";
import { signedOut, tooManyTries } from "../signIn.js";
import { accountPage, accountPath, showAccount } from "./accountPage.js";

const form = (below: string, submit: FormDefinition<SignedInVisit>["submit"]): FormDefinition<SignedInVisit> => ({
  path: accountPath + below,
  access: "look",
  page: accountPage,
  submit,
});

const nameForm = form("/name", async (visit, fields, { members }) => {
  const name = await renameMember(members, visit.person, fields.get("name"), visit.requestId);
  return withNotice(accountPath, `Name changed to ${name}.`);
});

const passwordForm = form("/password", async (visit, fields, deps) => {
  const { context, person, requestId } = visit;
  const given = {
    ...{ current: fields.get("currentPassword"), chosen: fields.get("password") },
    ...{ address: addressOf(context, deps.trustedProxies), known: knownBrowser(deps, context) },
    browser: browserName(context.req.header("user-agent")),
  };
  const answer = await changePassword({ ...deps.members, signIn: deps.signIn }, person, given, requestId);
  switch (answer.kind) {
    case "changed":
      return passwordChanged(visit, deps, answer.token);
    case "wrong":
      deps.signInLog.refused(context, "password", "the current password is wrong, at a change of the password", person.email);
      throw new Rejection("invalid", "The current password is wrong");
    case "wait":
      deps.signInLog.slowed(context, "password", answer.seconds, person.email);
      return wait(visit, deps, answer.seconds);
  }
});

function passwordChanged(visit: SignedInVisit, deps: PortalDeps, token: string | undefined): FormResult {
  if (token === undefined) return signedOut(visit, deps, "Password changed. Sign in with the new one.");
  deps.sessionCookie.write(visit.context, token);
  const line = "Password changed. You are signed out everywhere else.";
  return { ...withNotice(accountPath, line), owner: formTokenOf(token) };
}

async function wait(visit: SignedInVisit, deps: PortalDeps, seconds: number): Promise<PageContent> {
  const notice = { kind: "error", lines: [tooManyTries(seconds)] } as const;
  return { ...(await showAccount({ ...visit, notice }, deps)), notice, status: 429, retryAfter: seconds };
}

const signOutForm = form("/sessions/{sessionId}/sign-out", async (visit, _, deps) => {
  const sessionId = visit.params["sessionId"] ?? "";
  await endOwnSession(deps.pool, visit.person, sessionId);
  if (sessionId === visit.person.sessionId) return signedOut(visit, deps, "You are signed out.");
  return withNotice(accountPath, "That browser is signed out.");
});

const everywhereForm = form("/sign-out-everywhere", async (visit, _, deps) => {
  await endOwnSessions(deps.pool, visit.person);
  return signedOut(visit, deps, "You are signed out everywhere.");
});

const aboutPasswords = { currentPassword: /^The current password/, password: /password/i };

export const accountForms = [
  { ...nameForm, faults: { name: /name/ } },
  { ...passwordForm, faults: aboutPasswords },
  signOutForm,
  everywhereForm,
];
