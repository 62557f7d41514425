import { role as roleShape } from "../../../domain/members.js";
import type { MemberSummary } from "../../../queries/organisations/organisations.js";
import type { SignedInVisit } from "../pageDefinition.js";
import { Answer, NoQuestion, Question } from "../shell/form.js";

export const membersPath = "/portal/settings/members";

/** For what the page says. The command decides it again, while nobody else changes members. */
export function isLastAdmin(members: readonly MemberSummary[], memberId: string): boolean {
  const admins = members.filter(({ role, status }) => role === "admin" && status === "active");
  return admins.length === 1 && admins[0]?.memberId === memberId;
}

interface OfMember {
  readonly visit: SignedInVisit;
  readonly member: MemberSummary;
}

/** The question before a member is removed or erased, becomes an admin, or changes their own role. */
export function MemberQuestion({ visit, members }: { visit: SignedInVisit; members: readonly MemberSummary[] }) {
  const named = (what: string) => members.find(({ memberId }) => memberId === visit.query[what]);
  const [remove, erase, change] = [named("remove"), named("erase"), named("change")];
  const meant = remove ?? erase ?? change;
  if (!meant || (remove && remove.status === "removed")) return <NoQuestion />;
  const isPromoted = change !== undefined && visit.query["to"] === "admin";
  if (!isPromoted && isLastAdmin(members, meant.memberId)) return <LastAdmin visit={visit} member={meant} />;
  if (remove) return <RemoveQuestion visit={visit} member={remove} />;
  if (erase) return <EraseQuestion visit={visit} member={erase} />;
  return <RoleQuestion visit={visit} member={meant} />;
}

const isYou = ({ visit, member }: OfMember) => member.memberId === visit.person.memberId;

const LastAdmin = ({ visit, member }: OfMember) => (
  <Answer visit={visit} title={isYou({ visit, member }) ? "You are the only admin" : "This is the only admin"} back={membersPath}>
    <p>An organisation needs at least one admin. Make another member who has joined an admin, then try again.</p>
  </Answer>
);

const RemoveQuestion = ({ visit, member }: OfMember) => {
  const asking = { visit, to: `${membersPath}/${member.memberId}/remove`, back: membersPath };
  if (isYou({ visit, member }))
    return (
      <Question {...asking} title="Remove yourself?" label="Remove myself">
        <p>
          You are signed out everywhere at once and can no longer sign in to <strong>{visit.person.organisationName}</strong>. What you did
          stays recorded. Another admin can invite you again.
        </p>
      </Question>
    );
  return (
    <Question {...asking} title="Remove this member?" label="Remove">
      <p>
        <strong>{member.name ?? member.email}</strong> ({member.email}) is signed out everywhere at once and can no longer sign in. What
        they did stays recorded. They can be invited again.
      </p>
    </Question>
  );
};

const EraseQuestion = ({ visit, member }: OfMember) => {
  const asking = { visit, to: `${membersPath}/${member.memberId}/erase`, back: membersPath };
  if (isYou({ visit, member }))
    return (
      <Question {...asking} title="Erase yourself?" label="Erase myself">
        <p>
          You are signed out everywhere at once, and your name and email are deleted for good. What you did stays recorded as done by a
          removed member. This cannot be undone.
        </p>
      </Question>
    );
  return (
    <Question {...asking} title="Erase this person?" label="Erase">
      <p>
        Name and email of <strong>{member.email}</strong> are deleted for good. What they did stays recorded as done by a removed member.
        This cannot be undone.
      </p>
    </Question>
  );
};

/** Before one changes one's own role, and before somebody becomes an admin. */
function RoleQuestion({ visit, member }: OfMember) {
  const role = roleShape.safeParse(visit.query["to"]).data;
  const isOwn = isYou({ visit, member });
  if (role === undefined || role === member.role || !(isOwn || role === "admin")) return <NoQuestion />;
  const name = member.name ?? member.email;
  const asking = { visit, to: `${membersPath}/${member.memberId}/role`, back: membersPath, fields: { role, sure: "yes" } };
  return isOwn ? (
    <Question {...asking} title="Change your own role?" label="Change my role">
      <p>
        Your role changes from <strong>{member.role}</strong> to <strong>{role}</strong>. You are signed out everywhere and have to sign in
        again. You can no longer open this page, and only another admin can change your role back.
      </p>
    </Question>
  ) : (
    <Question {...asking} title={`Make ${name} an admin?`} label="Make admin" harmless>
      <p>
        An admin can do everything in <strong>{visit.person.organisationName}</strong>: change prices, create API keys, and invite and
        remove people. {name} has to sign in again.
      </p>
    </Question>
  );
}
