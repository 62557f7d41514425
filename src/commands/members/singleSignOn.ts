// Sign-in by an identity provider: the e-mail that it vouches for must be a member's.
import type { Pool } from "pg";
import { emailKey } from "../../domain/members/email.js";
import type { EventOn } from "../../events/registry.js";
import { changeMember } from "./changeMember.js";
import type { MemberDeps } from "./deps.js";
import { type NamelessMember, openSession, type VerifiedMember } from "./sessions.js";

/** The members with this e-mail. Invited ones join by signing in. */
export async function membersOf(pool: Pool, email: string): Promise<VerifiedMember[]> {
  const { rows } = await pool.query<VerifiedMember>(
    `select member_id as "memberId", organisation_id as "organisationId", organisations.name as "organisationName",
            credentials_revision as "credentialsRevision"
       from members join organisations on organisations.id = organisation_id
      where email_key = $1 and status <> 'removed' order by organisations.name, organisation_id limit 100`,
    [emailKey(email)],
  );
  return rows;
}

/** Opens a session for the verified member; undefined where the member changed meanwhile. An invited member joins. */
export async function startSession(
  deps: MemberDeps,
  member: NamelessMember,
  { oldToken, correlationId }: { oldToken: string | undefined; correlationId: string },
): Promise<string | undefined> {
  const credentialsRevision = await joinIfInvited(deps, member, correlationId);
  return openSession(deps.pool, { memberId: member.memberId, credentialsRevision }, oldToken);
}

async function joinIfInvited(deps: MemberDeps, member: NamelessMember, correlationId: string): Promise<string> {
  const { memberId, credentialsRevision } = member;
  const { rowCount } = await deps.pool.query(
    "select from members where member_id = $1 and status = 'invited' and credentials_revision = $2",
    [memberId, credentialsRevision],
  );
  if (rowCount === 0) return credentialsRevision;
  const by = { kind: "member", id: memberId } as const;
  const at = (await deps.now()).toISOString();
  const joined: EventOn<"member"> = { type: "MemberJoined", data: { how: "singleSignOn", by, at } };
  const { decided, revision } = await changeMember(deps, member, { by, correlationId }, ({ status }) =>
    status === "invited" ? [joined] : [],
  );
  return decided.length > 0 ? String(revision) : credentialsRevision;
}
