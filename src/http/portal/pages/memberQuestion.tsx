import type { MemberSummary } from "../../../queries/organisations/organisations.js";
import { NoQuestion, Question } from "../shell/dialog.js";
import type { SignedInVisit } from "../visit.js";
import { membersPath } from "./membersPath.js";

interface MemberQuestionProps {
  readonly visit: SignedInVisit;
  readonly remove: MemberSummary | undefined;
  readonly erase: MemberSummary | undefined;
}

/** The question before a member is removed or erased. */
export function MemberQuestion({ visit, remove, erase }: MemberQuestionProps) {
  if (remove && remove.status !== "removed")
    return (
      <Question visit={visit} title="Remove this member?" to={`${membersPath}/${remove.memberId}/remove`} back={membersPath} label="Remove">
        <p>
          <strong>{remove.name ?? remove.email}</strong> ({remove.email}) is signed out everywhere at once and can no longer sign in. What
          they did stays recorded. They can be invited again.
        </p>
      </Question>
    );
  if (erase)
    return (
      <Question visit={visit} title="Erase this person?" to={`${membersPath}/${erase.memberId}/erase`} back={membersPath} label="Erase">
        <p>
          Name and e-mail of <strong>{erase.email}</strong> are deleted for good. What they did stays recorded as done by a removed member.
          This cannot be undone.
        </p>
      </Question>
    );
  return <NoQuestion />;
}
