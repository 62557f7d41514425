import { role as roleShape } from "../../../domain/members.js";
import type { MemberSummary } from "../../../queries/organisations/organisations.js";
import type { SignedInVisit } from "../pageDefinition.js";
import { NoQuestion, Question } from "../shell/form.js";

export const membersPath = "/portal/settings/members";

/** For what the page says. The command decides it again, while nobody else changes members. */
export function isLastAdmin(members: readonly MemberSummary[], memberId: string): boolean {
  const admins = members.filter(({ role, status }) => role === "admin" && status === "active");
  return admins.length === 1 && admins[0]?.memberId === memberId;
}

/** The question before a member is removed or erased, becomes an admin, or changes their own role. */
export function MemberQuestion({ visit: { query, person }, members }: { visit: SignedInVisit; members: readonly MemberSummary[] }) {
  const named = (what: string) => members.find(({ memberId }) => memberId === query[what]);
  const [remove, erase, change] = [named("remove"), named("erase"), named("change")];
  const member = remove ?? erase ?? change;
  if (!member || (remove && remove.status === "removed")) return <NoQuestion />;
  const { memberId, email } = member;
  const name = member.name ?? email;
  const organisation = <strong>{person.organisationName}</strong>;
  const isOwn = memberId === person.memberId;
  const isPromoted = change !== undefined && query["to"] === "admin";
  if (!isPromoted && isLastAdmin(members, memberId))
    return (
      <Question title={isOwn ? "You are the only admin" : "This is the only admin"} back={membersPath}>
        <p>An organisation needs at least one admin. Make another member who has joined an admin, then try again.</p>
      </Question>
    );
  const asking = { to: `${membersPath}/${memberId}/${remove ? "remove" : erase ? "erase" : "role"}`, back: membersPath };
  if (remove)
    return isOwn ? (
      <Question {...asking} title="Remove yourself?" label="Remove myself">
        <p>
          You are signed out everywhere at once and can no longer sign in to {organisation}. What you did stays recorded. Another admin can
          invite you again.
        </p>
      </Question>
    ) : (
      <Question {...asking} title="Remove this member?" label="Remove">
        <p>
          <strong>{name}</strong> ({email}) is signed out everywhere at once and can no longer sign in. What they did stays recorded. They
          can be invited again.
        </p>
      </Question>
    );
  if (erase)
    return isOwn ? (
      <Question {...asking} title="Erase yourself?" label="Erase myself">
        <p>
          You are signed out everywhere at once, and your name and email are deleted for good. What you did stays recorded as done by a
          removed member. This cannot be undone.
        </p>
      </Question>
    ) : (
      <Question {...asking} title="Erase this person?" label="Erase">
        <p>
          Name and email of <strong>{email}</strong> are deleted for good. What they did stays recorded as done by a removed member. This
          cannot be undone.
        </p>
      </Question>
    );
  const role = roleShape.safeParse(query["to"]).data;
  if (role === undefined || role === member.role || !(isOwn || role === "admin")) return <NoQuestion />;
  const fields = { role, sure: "yes" };
  return isOwn ? (
    <Question {...{ ...asking, fields }} title="Change your own role?" label="Change my role">
      <p>
        Your role changes from <strong>{member.role}</strong> to <strong>{role}</strong>. You are signed out everywhere and have to sign in
        again. You can no longer open this page, and only another admin can change your role back.
      </p>
    </Question>
  ) : (
    <Question {...{ ...asking, fields }} title={`Make ${name} an admin?`} label="Make admin" harmless>
      <p>
        An admin can do everything in {organisation}: change prices, create API keys, and invite and remove people. {name} has to sign in
        again.
      </p>
    </Question>
  );
}
