import { listSessions, type OwnSession } from "../../../../commands/members/ownSessions.js";
import { longestName } from "../../../../domain/members.js";
import { passwordHashOf } from "../../../../queries/lookUps/members.js";
import type { PageContent, PageDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { unknownBrowser } from "../../sessions/browserName.js";
import { AskButton, Button, Field, Form, NoQuestion, Question } from "../../shell/form.js";
import { Badge, Facts, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import { ChosenPassword } from "../chosenPassword.js";

export const accountPath = "/portal/account";

export async function showAccount(visit: SignedInVisit, { pool }: PortalDeps): Promise<PageContent> {
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
          <AskButton
            visit={visit}
            at={accountPath}
            question={{ ask: "everywhere" }}
            label="Sign out everywhere"
            about="all your sessions"
          />
        </Panel>
      </>
    ),
  };
}

export const accountPage: PageDefinition<SignedInVisit> = { path: accountPath, access: "look", show: showAccount };

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
      <Form visit={visit} to={`${accountPath}/name`} class="in-line">
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
    <Form visit={visit} to={`${accountPath}/password`} class="stacked narrow-form">
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
        <Form visit={visit} to={`${accountPath}/sessions/${sessionId}/sign-out`} class="link">
          <Button class="quiet" aria-description={browser ?? unknownBrowser} label="Sign out" />
        </Form>
      </div>
    ),
  },
];

const EverywhereQuestion = ({ visit }: { visit: SignedInVisit }) => (
  <Question
    visit={visit}
    title="Sign out everywhere?"
    to={`${accountPath}/sign-out-everywhere`}
    back={accountPath}
    label="Sign out everywhere"
  >
    <p>You are signed out at once in every browser, in this one too. Your password stays as it is.</p>
  </Question>
);
