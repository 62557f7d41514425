import { changePassword, renameMember } from "../../../commands/members/ownAccount.js";
import { endOwnSession, endOwnSessions, formTokenOf, listSessions, type OwnSession } from "../../../commands/members/sessions.js";
import { longestName } from "../../../domain/members.js";
import { Rejection } from "../../../domain/rejection.js";
import { passwordHashOf } from "../../../queries/lookUps/members.js";
import {
  type FormDefinition,
  formsOf,
  type PageContent,
  type PageDefinition,
  type PortalDeps,
  type SignedInVisit,
  type Subject,
  withNotice,
} from "../pageDefinition.js";
import { browserName, unknownBrowser } from "../sessions/browserName.js";
import { knownBrowser } from "../sessions/cookies.js";
import { addressOf } from "../sessions/signInLog.js";
import { AskButton, Button, Field, Form, NoQuestion, Question } from "../shell/form.js";
import { Badge, Facts, Panel } from "../shell/panel.js";
import { type Column, Table } from "../shell/table.js";
import { Time } from "../shell/values.js";
import { ChosenPassword } from "./join.js";
import { signedOut, tooManyTries } from "./signIn.js";

const path = "/portal/account";

async function showAccount(visit: SignedInVisit, { pool }: PortalDeps): Promise<PageContent> {
  const { person, query } = visit;
  const sessions = await listSessions(pool, person);
  const hasPassword = (await passwordHashOf(person.organisationId, person.memberId, pool)) !== undefined;
  return {
    title: "Account",
    body: (
      <>
        {query["ask"] === "everywhere" ? <EverywhereQuestion visit={visit} /> : <NoQuestion />}
        <About visit={visit} />
        <Panel id="password" title="Password">
          {hasPassword ? <PasswordForm visit={visit} /> : <NoPassword />}
        </Panel>
        <Panel id="sessions" title="Sessions">
          <p>These browsers are signed in to your account. If you do not recognise one, sign it out and change your password.</p>
          <Table caption="Browsers that are signed in to your account" columns={columns(visit)} rows={thisFirst(visit, sessions)} />
          <AskButton visit={visit} at={path} question={{ ask: "everywhere" }} label="Sign out everywhere" about="all your sessions" />
        </Panel>
      </>
    ),
  };
}

const page: PageDefinition = { path, access: "look", show: showAccount };

/** The e-mail stands in place of the name where no name is known. */
const ownName = ({ name, email }: SignedInVisit["person"]) => (name === email ? "" : name);

function About({ visit }: { visit: SignedInVisit }) {
  const { person, submitted } = visit;
  return (
    <Panel id="about" title="About you">
      <Facts
        facts={[
          ["Email", person.email],
          ["Role", person.role],
          ["Organisation", person.organisationName],
        ]}
      />
      <Form visit={visit} to={`${path}/name`} class="in-line">
        <Field label="Name" name="name" maxlength={longestName} value={submitted.get("name") || ownName(person)} autocomplete="name" />
        <Button label="Save name" />
      </Form>
      <p class="hint">Others see your name beside what you do. You sign in with your email.</p>
    </Panel>
  );
}

const PasswordForm = ({ visit }: { visit: SignedInVisit }) => (
  <>
    <p>When you change your password, you stay signed in here and are signed out everywhere else.</p>
    <Form visit={visit} to={`${path}/password`} class="stacked narrow-form">
      {/* Tells password managers whose password it is. */}
      <input type="text" name="username" value={visit.person.email} autocomplete="username" hidden />
      <Field label="Current password" name="currentPassword" type="password" maxlength={1000} autocomplete="current-password" />
      <ChosenPassword label="New password" />
      <div>
        <Button label="Change password" />
      </div>
    </Form>
  </>
);

const NoPassword = () => (
  <p>
    You sign in with single sign-on and have no password here. If you need one, an admin of your organisation can make you a sign-in link.
  </p>
);

const thisFirst = ({ person }: SignedInVisit, sessions: readonly OwnSession[]): OwnSession[] =>
  [...sessions].sort((one, other) => Number(other.sessionId === person.sessionId) - Number(one.sessionId === person.sessionId));

const columns = (visit: SignedInVisit): readonly Column<OwnSession>[] => [
  {
    heading: "Browser",
    names: true,
    cell: ({ sessionId, browser }) => (
      <span>
        {browser ?? unknownBrowser} {sessionId === visit.person.sessionId ? <Badge state={{ label: "This one", badge: "good" }} /> : null}
      </span>
    ),
  },
  { heading: "Signed in", cell: ({ since }) => <Time visit={visit} at={since} /> },
  { heading: "Last seen", cell: ({ lastSeenAt }) => <Time visit={visit} at={lastSeenAt} /> },
  {
    heading: "Action",
    number: true,
    cell: ({ sessionId, browser }) => (
      <div class="actions">
        <Form visit={visit} to={`${path}/sessions/${sessionId}/sign-out`} class="link">
          <Button class="quiet" aria-description={browser ?? unknownBrowser} label="Sign out" />
        </Form>
      </div>
    ),
  },
];

const EverywhereQuestion = ({ visit }: { visit: SignedInVisit }) => (
  <Question visit={visit} title="Sign out everywhere?" to={`${path}/sign-out-everywhere`} back={path} label="Sign out everywhere">
    <p>You are signed out at once in every browser, in this one too. Your password stays as it is.</p>
  </Question>
);

const saveName: FormDefinition["submit"] = async (visit, fields, { members }) => {
  const name = await renameMember(members, visit.person, fields.get("name"), visit.requestId);
  return withNotice(path, `Name changed to ${name}.`);
};

const savePassword: FormDefinition["submit"] = async (visit, fields, deps) => {
  const { context, person, requestId } = visit;
  const given = {
    current: fields.get("currentPassword"),
    chosen: fields.get("password"),
    address: addressOf(context, deps.trustedProxies),
    known: knownBrowser(deps, context),
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
};

function passwordChanged(visit: SignedInVisit, deps: PortalDeps, token: string | undefined) {
  if (token === undefined) return signedOut(visit, deps, "Password changed. Sign in with the new one.");
  deps.sessionCookie.write(visit.context, token);
  const line = "Password changed. You are signed out everywhere else.";
  return { ...withNotice(path, line), owner: formTokenOf(token) };
}

async function wait(visit: SignedInVisit, deps: PortalDeps, seconds: number): Promise<PageContent> {
  const notice = { kind: "error", lines: [tooManyTries(seconds)] } as const;
  return { ...(await showAccount({ ...visit, notice }, deps)), notice, status: 429, retryAfter: seconds };
}

const endSession: FormDefinition["submit"] = async (visit, _, deps) => {
  const sessionId = visit.params["sessionId"] ?? "";
  await endOwnSession(deps.pool, visit.person, sessionId);
  if (sessionId === visit.person.sessionId) return signedOut(visit, deps, "You are signed out.");
  return withNotice(path, "That browser is signed out.");
};

const endAllSessions: FormDefinition["submit"] = async (visit, _, deps) => {
  await endOwnSessions(deps.pool, visit.person);
  return signedOut(visit, deps, "You are signed out everywhere.");
};

const form = formsOf(page);

export const account: Subject = {
  pages: [page],
  forms: [
    form("/name", saveName, { faults: { name: /name/ } }),
    form("/password", savePassword, { faults: { currentPassword: /^The current password/, password: /password/i } }),
    form("/sessions/{sessionId}/sign-out", endSession),
    form("/sign-out-everywhere", endAllSessions),
  ],
};
