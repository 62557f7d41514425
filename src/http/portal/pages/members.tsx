import { inviteMember, makeLink } from "../../../commands/members/invite.js";
import { linkAddress, linkHours } from "../../../domain/members.js";
import { listMembers, type MemberSummary } from "../../../queries/organisations/organisations.js";
import type { FormOf, PageOf } from "../page.js";
import { AskButton } from "../shell/dialog.js";
import { Choice, Field, Form } from "../shell/form.js";
import { type Column, Table } from "../shell/table.js";
import { OnlyOnce, Time } from "../shell/values.js";
import { originOf, type SignedInVisit } from "../visit.js";
import { MemberQuestion } from "./memberQuestion.js";
import { membersPath } from "./membersPath.js";

export const membersPage: PageOf<SignedInVisit> = {
  path: membersPath,
  access: "members",
  show: async (visit, { pool }) => {
    const members = await listMembers(pool, visit.person.organisationId);
    const asked = (what: string) => members.find(({ memberId }) => memberId === visit.query[what]);
    return {
      title: "Members",
      body: (
        <>
          {visit.notice?.once ? <OnlyOnce title="The link, shown only this once" text={visit.notice.once} copyLabel="Copy link" /> : null}
          <MemberQuestion visit={visit} remove={asked("remove")} erase={asked("erase")} />
          <section class="panel" aria-labelledby="invite">
            <h2 id="invite">Invite a person</h2>
            <Form visit={visit} to={membersPath} class="in-line">
              <Field label="Email" name="email" type="email" maxlength={254} value={visit.submitted.get("email")} autocomplete="off" />
              <Field label="Name" name="name" maxlength={200} value={visit.submitted.get("name")} autocomplete="off" required={false} />
              <Choice label="Role" name="role" options={roles} value={visit.submitted.get("role") || "operator"} />
              <button type="submit">Invite</button>
            </Form>
            <p class="hint">Admins do everything. Operators do everything but members, keys and webhooks. Viewers look.</p>
          </section>
          <section class="panel" aria-labelledby="members">
            <h2 id="members">People</h2>
            <Table
              caption="Members of the organisation"
              columns={columns(visit)}
              rows={members}
              muted={({ status }) => status === "removed"}
            />
          </section>
        </>
      ),
    };
  },
};

const roles = [
  { value: "admin", label: "Admin" },
  { value: "operator", label: "Operator" },
  { value: "viewer", label: "Viewer" },
];

const states: Readonly<Record<MemberSummary["status"], { label: string; badge: string }>> = {
  invited: { label: "Invited", badge: "busy" },
  active: { label: "Active", badge: "good" },
  removed: { label: "Removed", badge: "" },
};

const columns = (visit: SignedInVisit): readonly Column<MemberSummary>[] => [
  {
    heading: "Member",
    names: true,
    cell: ({ name, email }) => (
      <span class="member">
        {name ?? email}
        {name ? <span class="muted email">{email}</span> : null}
      </span>
    ),
  },
  { heading: "Status", cell: ({ status }) => <span class={`badge ${states[status].badge}`}>{states[status].label}</span> },
  { heading: "Since", cell: ({ invitedAt, joinedAt, removedAt }) => <Time visit={visit} at={removedAt ?? joinedAt ?? invitedAt} /> },
  { heading: "Role", cell: (member) => <RoleForm visit={visit} member={member} /> },
  { heading: "Action", number: true, cell: (member) => <Actions visit={visit} member={member} /> },
];

interface OfMember {
  readonly visit: SignedInVisit;
  readonly member: MemberSummary;
}

function RoleForm({ visit, member: { memberId, email, role, status } }: OfMember) {
  if (status === "removed") return <span>{roles.find(({ value }) => value === role)?.label}</span>;
  return (
    <Form visit={visit} to={`${membersPath}/${memberId}/role`} class="role">
      <Choice label={`Role of ${email}`} unseenLabel name="role" id={`role-${memberId}`} options={roles} value={role} />
      <button type="submit" class="quiet" aria-description={`of ${email}`}>
        Change role
      </button>
    </Form>
  );
}

function Actions({ visit, member: { memberId, email, status } }: OfMember) {
  const ask = (what: string, label: string) => (
    <AskButton visit={visit} at={membersPath} question={{ [what]: memberId }} label={label} about={email} />
  );
  return (
    <div class="actions">
      {status === "removed" ? null : (
        <Form visit={visit} to={`${membersPath}/${memberId}/link`} class="link">
          <button type="submit" class="quiet" aria-description={`for ${email}`}>
            New link
          </button>
        </Form>
      )}
      {status === "removed" ? ask("erase", "Erase") : ask("remove", "Remove")}
    </div>
  );
}

const inviteForm: FormOf<SignedInVisit> = {
  path: membersPath,
  access: "members",
  page: membersPage,
  submit: async (visit, fields, { members, publicUrl }) => {
    const { organisationId } = visit.person;
    const email = fields.get("email").trim();
    const invitation = { organisationId, email, role: fields.get("role"), name: fields.get("name").trim() || undefined };
    const { token } = await inviteMember(members, invitation, originOf(visit));
    const lines = [`${email} is invited. Send them this link: it works once, for ${linkHours} hours.`];
    return { goTo: membersPath, notice: { kind: "done", lines, once: linkAddress(publicUrl, token) } };
  },
};

const linkForm: FormOf<SignedInVisit> = {
  path: `${membersPath}/{memberId}/link`,
  access: "members",
  page: membersPage,
  submit: async (visit, _, { members, publicUrl }) => {
    const { organisationId } = visit.person;
    const { token } = await makeLink(members, { organisationId, member: visit.params["memberId"] ?? "" }, originOf(visit));
    const lines = [`Send them this link to choose a new password: it works once, for ${linkHours} hours.`];
    return { goTo: membersPath, notice: { kind: "done", lines, once: linkAddress(publicUrl, token) } };
  },
};

export const invitationForms = [inviteForm, linkForm];
