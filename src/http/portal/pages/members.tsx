import { changeRole, eraseMember, inviteMember, makeLink, removeMember } from "../../../commands/members/manageMembers.js";
import { linkAddress, linkHours, role as roleShape } from "../../../domain/members.js";
import { listMembers, type MemberSummary } from "../../../queries/organisations/organisations.js";
import { defineForm, originOf, type PortalDeps, type SignedInVisit, type Subject, withNotice } from "../pageDefinition.js";
import { Button, ButtonForm, Choice, Field, Form } from "../shell/form.js";
import { listPage } from "../shell/listPage.js";
import { Badge, ButtonLink, Panel, type State, withQuery } from "../shell/markup.js";
import { AskButton, Question } from "../shell/question.js";
import { actionColumn, type Column, column, stateColumn } from "../shell/table.js";
import { signedOutResult } from "./signIn.js";

const membersPath = "/portal/settings/members";

/** Decides only what the page shows. The command checks this again, and no change of members comes between its check and its own change. */
function isLastAdmin(members: readonly MemberSummary[], memberId: string): boolean {
  const admins = members.filter(({ role, status }) => role === "admin" && status === "active");
  return admins.length === 1 && admins[0]?.memberId === memberId;
}

/** The question before a member is removed or erased, becomes an admin, or changes their own role. */
function MemberQuestion({ visit: { query, person }, members }: { visit: SignedInVisit; members: readonly MemberSummary[] }) {
  const memberIn = (parameter: string) => members.find(({ memberId }) => memberId === query[parameter]);
  const [remove, erase, change] = [memberIn("remove"), memberIn("erase"), memberIn("change")];
  const member = remove ?? erase ?? change;
  if (!member || (remove && remove.status === "removed")) return null;
  const { memberId, email } = member;
  const name = member.name ?? email;
  const organisation = <strong>{person.organisationName}</strong>;
  const isOwn = memberId === person.memberId;
  const isPromoted = change !== undefined && query["to"] === "admin";
  if (!isPromoted && isLastAdmin(members, memberId))
    return (
      <Question title={isOwn ? "You are the only admin" : "This is the only admin"} back={membersPath}>
        An organisation needs at least one admin. Make another member who has joined an admin, then try again.
      </Question>
    );
  const questionProps = { to: `${membersPath}/${memberId}/${remove ? "remove" : erase ? "erase" : "role"}`, back: membersPath };
  if (remove)
    return isOwn ? (
      <Question {...questionProps} title="Remove yourself?" label="Remove myself">
        You are signed out everywhere at once and can no longer sign in to {organisation}. What you did stays recorded. Another admin can
        invite you again.
      </Question>
    ) : (
      <Question {...questionProps} title="Remove this member?" label="Remove">
        <strong>{name}</strong> ({email}) is signed out everywhere at once and can no longer sign in. What they did stays recorded. They can
        be invited again.
      </Question>
    );
  if (erase)
    return isOwn ? (
      <Question {...questionProps} title="Erase yourself?" label="Erase myself">
        You are signed out everywhere at once, and your name and email are deleted for good. What you did stays recorded as done by a
        removed member. This cannot be undone.
      </Question>
    ) : (
      <Question {...questionProps} title="Erase this person?" label="Erase">
        Name and email of <strong>{email}</strong> are deleted for good. What they did stays recorded as done by a removed member. This
        cannot be undone.
      </Question>
    );
  const role = roleShape.safeParse(query["to"]).data;
  if (role === undefined || role === member.role || !(isOwn || role === "admin")) return null;
  const fields = { role, sure: "yes" };
  return isOwn ? (
    <Question {...{ ...questionProps, fields }} title="Change your own role?" label="Change my role">
      Your role changes from <strong>{member.role}</strong> to <strong>{role}</strong>. You are signed out everywhere and have to sign in
      again. You can no longer open this page, and only another admin can change your role back.
    </Question>
  ) : (
    <Question {...{ ...questionProps, fields }} title={`Make ${name} an admin?`} label="Make admin" isHarmless>
      An admin can do everything in {organisation}: change prices, create API keys, and invite and remove people. {name} has to sign in
      again.
    </Question>
  );
}

const isInviting = ({ query, submitted, params }: SignedInVisit) =>
  query["invite"] !== undefined || (submitted.get("email") !== "" && params["memberId"] === undefined);

const membersList = listPage<MemberSummary>({
  path: membersPath,
  access: "members",
  title: "Members",
  noun: ["member", "members"],
  caption: "Members of the organisation",
  action: (visit) => (isInviting(visit) ? null : <ButtonLink to={withQuery(membersPath, { invite: "member" })} label="Invite member" />),
  readRows: async (visit, _, { pool }) => ({ items: await listMembers(visit.person.organisationId, pool), nextCursor: null }),
  columns: (visit) => memberColumns(visit),
  isMuted: ({ status }) => status === "removed",
  question: (visit, _, members) => <MemberQuestion visit={visit} members={members} />,
  aboveTable: (visit) =>
    isInviting(visit) ? (
      <Panel id="invite" title="Invite a person">
        <Form to={membersPath} class="in-line">
          <Field label="Email" name="email" type="email" maxlength={254} autocomplete="off" />
          <Field label="Name" name="name" maxlength={200} autocomplete="off" required={false} />
          <Choice label="Role" name="role" options={roles} value="operator" />
          <Button label="Invite" />
          <ButtonLink to={membersPath} label="Cancel" quiet />
        </Form>
        <p class="hint">
          Admins can do everything. Operators can do everything except change settings and the catalogue. Viewers can see everything except
          settings, and change nothing.
        </p>
      </Panel>
    ) : null,
  empty: () => null,
});
const roles = [
  { value: "admin", label: "Admin" },
  { value: "operator", label: "Operator" },
  { value: "viewer", label: "Viewer" },
];

const roleName = (role: string) => roles.find(({ value }) => value === role)?.label;

const states: Readonly<Record<MemberSummary["status"], State>> = {
  invited: { label: "Invited", badge: "busy" },
  active: { label: "Active", badge: "good" },
  removed: { label: "Removed", badge: "" },
};

const memberColumns = (visit: SignedInVisit): readonly Column<MemberSummary>[] => [
  column("name", "Member", ({ name, email }) => name ?? email, {
    isRowHeader: true,
    cell: ({ memberId, name, email }) => (
      <span class="member">
        {name ?? email} {memberId === visit.person.memberId ? <Badge state={{ label: "You", badge: "" }} /> : null}
        {name ? <span class="muted email">{email}</span> : null}
      </span>
    ),
  }),
  column("email", "Email", ({ email }) => email, { onlyInFiles: true }),
  stateColumn("status", "Status", ({ status }) => states[status]),
  column("since", "Since", ({ invitedAt, joinedAt, removedAt }) => removedAt ?? joinedAt ?? invitedAt),
  column("role", "Role", ({ role }) => roleName(role), { cell: RoleForm }),
  actionColumn(Actions),
];

function RoleForm({ memberId, email, role, status }: MemberSummary) {
  if (status === "removed") return <span>{roleName(role)}</span>;
  return (
    <Form to={`${membersPath}/${memberId}/role`} class="role">
      <Choice label={`Role of ${email}`} unseenLabel name="role" id={`role-${memberId}`} options={roles} value={role} />
      <Button class="quiet" aria-description={`of ${email}`} label="Change role" />
    </Form>
  );
}

function Actions({ memberId, email, status }: MemberSummary) {
  const ask = (what: string, label: string) => <AskButton path={membersPath} question={{ [what]: memberId }} label={label} about={email} />;
  if (status === "removed") return ask("erase", "Erase");
  return (
    <>
      <ButtonForm to={`${membersPath}/${memberId}/link`} about={`for ${email}`} label="New link" />
      {ask("remove", "Remove")}
    </>
  );
}

const memberTarget = (visit: SignedInVisit) => ({ organisationId: visit.person.organisationId, member: visit.params["memberId"] ?? "" });

const inviteFaults = { email: /e-?mail|member/i, name: /name/i };

const inviteForm = defineForm(
  membersList.page,
  { subPath: "", faults: inviteFaults },
  async (visit, fields, { members: deps, publicUrl }) => {
    const { organisationId } = visit.person;
    const email = fields.get("email").trim();
    const invitation = { organisationId, email, role: fields.get("role"), name: fields.get("name").trim() || undefined };
    const { token } = await inviteMember(deps, invitation, originOf(visit));
    const line = `${email} invited. Send them this link. It works once, within ${linkHours} hours.`;
    return withNotice(membersPath, line, linkOnce(linkAddress(publicUrl, token)));
  },
);

const linkForm = defineForm(membersList.page, "/{memberId}/link", async (visit, _, { members: deps, publicUrl }) => {
  const { token } = await makeLink(deps, memberTarget(visit), originOf(visit));
  const line = `Send them this link to choose a new password. It works once, within ${linkHours} hours.`;
  return withNotice(membersPath, line, linkOnce(linkAddress(publicUrl, token)));
});

const linkOnce = (text: string) => ({ title: "The link, shown only this once", text, copyLabel: "Copy link" });

const isOwnAccount = ({ params, person }: SignedInVisit) => params["memberId"] === person.memberId;

const roleForm = defineForm(membersList.page, "/{memberId}/role", async (visit, fields, deps) => {
  const newRole = fields.get("role");
  if (fields.get("sure") === "" && (await needsConfirmation(visit, newRole, deps)))
    return { goTo: `${membersPath}?${new URLSearchParams({ change: visit.params["memberId"] ?? "", to: newRole })}` };
  const { email, before, role } = await changeRole(deps.members, { ...memberTarget(visit), role: newRole }, originOf(visit));
  if (before === role) return withNotice(membersPath, `${email} already has the role ${role}.`);
  if (isOwnAccount(visit)) return signedOutResult(visit, deps, `Your role is now ${role}. Sign in again.`);
  return withNotice(membersPath, `${email} now has the role ${role} and has to sign in again.`);
});

/** Whether the page asks before it changes the role. It does not ask about a change that the command will refuse. */
async function needsConfirmation(visit: SignedInVisit, newRole: string, { pool }: PortalDeps): Promise<boolean> {
  const all = await listMembers(visit.person.organisationId, pool);
  const member = all.find(({ memberId }) => memberId === visit.params["memberId"]);
  if (!member || member.role === newRole || !roles.some(({ value }) => value === newRole)) return false;
  return isOwnAccount(visit) ? !isLastAdmin(all, member.memberId) : newRole === "admin";
}

const removeForm = defineForm(membersList.page, "/{memberId}/remove", async (visit, _, deps) => {
  const { email } = await removeMember(deps.members, memberTarget(visit), originOf(visit));
  if (isOwnAccount(visit)) return signedOutResult(visit, deps, `You have left ${visit.person.organisationName}.`);
  return withNotice(membersPath, `${email} removed.`);
});

const eraseForm = defineForm(membersList.page, "/{memberId}/erase", async (visit, _, deps) => {
  await eraseMember(deps.members, memberTarget(visit), originOf(visit));
  if (isOwnAccount(visit)) return signedOutResult(visit, deps, `You have been erased from ${visit.person.organisationName}.`);
  return withNotice(membersPath, "Person erased.");
});

export const members: Subject = { ...membersList, forms: [inviteForm, linkForm, roleForm, removeForm, eraseForm] };
