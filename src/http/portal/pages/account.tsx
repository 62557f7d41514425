import { changePassword, renameMember } from "../../../commands/members/ownAccount.js";
import { endOwnSession, endOwnSessions, formTokenOf, listSessions, type OwnSession } from "../../../commands/members/sessions.js";
import { maxNameLength } from "../../../domain/members.js";
import { Rejection } from "../../../domain/rejection.js";
import { passwordHashOf } from "../../../queries/lookUps/members.js";
import { defineForm, definePage, type Subject, withNotice } from "../pageDefinition.js";
import { browserName, unknownBrowser } from "../sessions/browserName.js";
import { knownBrowserCookie } from "../sessions/cookies.js";
import { addressOf } from "../sessions/signInLog.js";
import { Button, ButtonForm, Field, Form } from "../shell/form.js";
import { Badge, type Fact, Facts, Panel } from "../shell/markup.js";
import { AskButton, Question } from "../shell/question.js";
import { actionColumn, type Column, Table } from "../shell/table.js";
import { NewPasswordField, signedOutResult, tooManyTries } from "./signIn.js";

const path = "/portal/account";

const accountPage = definePage(path, "look", async ({ person, query }, { pool }) => {
  const { email, name, role, organisationId, organisationName, memberId, sessionId: ownSessionId } = person;
  const sessions = await listSessions(pool, person);
  const hasPassword = (await passwordHashOf(organisationId, memberId, pool)) !== undefined;
  const facts: Fact[] = [
    ["Email", email],
    ["Role", role],
    ["Organisation", organisationName],
  ];
  return {
    title: "Account",
    question: query["ask"] === "everywhere" && (
      <Question title="Sign out everywhere?" to={`${path}/sign-out-everywhere`} back={path} label="Sign out everywhere">
        You are signed out at once in every browser, in this one too. Your password stays as it is.
      </Question>
    ),
    body: (
      <>
        <Panel id="about" title="About you">
          <Facts facts={facts} />
          <Form to={`${path}/name`} class="in-line">
            <Field label="Name" name="name" maxlength={maxNameLength} value={name === email ? "" : name} autocomplete="name" />
            <Button label="Save name" />
          </Form>
          <p class="hint">Others see your name beside what you do. You sign in with your email.</p>
        </Panel>
        <Panel id="password" title="Password">
          {hasPassword ? (
            <>
              <p>When you change your password, you stay signed in here and are signed out everywhere else.</p>
              <Form to={`${path}/password`} class="stacked narrow-form" submit="Change password">
                {/* Tells password managers which account the password is for. */}
                <input type="text" name="username" value={email} autocomplete="username" hidden />
                <Field label="Current password" name="currentPassword" type="password" maxlength={1000} autocomplete="current-password" />
                <NewPasswordField label="New password" />
              </Form>
            </>
          ) : (
            <p>
              You sign in with single sign-on and have no password here. If you need one, an admin of your organisation can make you a
              sign-in link.
            </p>
          )}
        </Panel>
        <Panel id="sessions" title="Sessions">
          <p>These browsers are signed in to your account. If you do not recognise one, sign it out and change your password.</p>
          <Table
            caption="Browsers that are signed in to your account"
            columns={sessionColumns(ownSessionId)}
            rows={sessions.toSorted((one, other) => Number(other.sessionId === ownSessionId) - Number(one.sessionId === ownSessionId))}
          />
          <AskButton path={path} question={{ ask: "everywhere" }} label="Sign out everywhere" about="all your sessions" />
        </Panel>
      </>
    ),
  };
});

const sessionColumns = (ownSessionId: string): readonly Column<OwnSession>[] => [
  {
    heading: "Browser",
    isRowHeader: true,
    cell: ({ sessionId, browser }) => (
      <span>
        {browser ?? unknownBrowser} {sessionId === ownSessionId ? <Badge state={{ label: "This one", badge: "good" }} /> : null}
      </span>
    ),
  },
  { heading: "Signed in", value: ({ openedAt }) => openedAt },
  { heading: "Last seen", value: ({ lastSeenAt }) => lastSeenAt },
  actionColumn(({ sessionId, browser }) => (
    <ButtonForm to={`${path}/sessions/${sessionId}/sign-out`} about={browser ?? unknownBrowser} label="Sign out" />
  )),
];

const nameForm = defineForm(accountPage, { subPath: "/name", faults: { name: /name/ } }, async (visit, fields, { members }) => {
  const name = await renameMember(members, visit.person, fields.get("name"), visit.requestId);
  return withNotice(path, `Name changed to ${name}.`);
});

const faults = { currentPassword: /^The current password/, password: /password/i };

const passwordForm = defineForm(accountPage, { subPath: "/password", faults }, async (visit, fields, deps) => {
  const { context, person, requestId } = visit;
  const { checkPassword, signInLog, sessionCookie } = deps;
  const request = {
    currentPassword: fields.get("currentPassword"),
    newPassword: fields.get("password"),
    address: addressOf(context, deps.trustedProxies),
    knownBrowser: knownBrowserCookie(deps).read(context),
    browserName: browserName(context.req.header("user-agent")),
  };
  const answer = await changePassword({ ...deps.members, checkPassword }, person, request, requestId);
  switch (answer.kind) {
    case "changed":
      if (answer.token === undefined) return signedOutResult(visit, deps, "Password changed. Sign in with the new one.");
      sessionCookie.write(context, answer.token);
      return { ...withNotice(path, "Password changed. You are signed out everywhere else."), owner: formTokenOf(answer.token) };
    case "wrong":
      signInLog.refused(context, "password", "the current password is wrong, at a change of the password", person.email);
      throw new Rejection("invalid", "The current password is wrong");
    case "wait":
      signInLog.slowed(context, "password", answer.seconds, person.email);
      throw tooManyTries(answer.seconds);
  }
});

const sessionForm = defineForm(accountPage, "/sessions/{sessionId}/sign-out", async (visit, _, deps) => {
  const sessionId = visit.params["sessionId"] ?? "";
  await endOwnSession(deps.pool, visit.person, sessionId);
  if (sessionId === visit.person.sessionId) return signedOutResult(visit, deps, "You are signed out.");
  return withNotice(path, "That browser is signed out.");
});

const everywhereForm = defineForm(accountPage, "/sign-out-everywhere", async (visit, _, deps) => {
  await endOwnSessions(deps.pool, visit.person);
  return signedOutResult(visit, deps, "You are signed out everywhere.");
});

export const account: Subject = { pages: [accountPage], forms: [nameForm, passwordForm, sessionForm, everywhereForm] };
