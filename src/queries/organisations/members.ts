import type { Pool } from "pg";
import type { Role } from "../../domain/members.js";

type Database = Pick<Pool, "query">;

export interface MemberSummary {
  readonly memberId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly status: "invited" | "active" | "removed";
  readonly invitedAt: Date;
  readonly joinedAt: Date | null;
  readonly removedAt: Date | null;
  /** Null where no link is open. */
  readonly linkExpiresAt: Date | null;
}

const columns = `member_id as "memberId", email, name, role, status, invited_at as "invitedAt", joined_at as "joinedAt", removed_at as "removedAt",
  case when link_expires_at > now() then link_expires_at end as "linkExpiresAt"`;

/** By e-mail; those who were removed come last. */
export async function listMembers(database: Database, organisationId: string): Promise<MemberSummary[]> {
  const { rows } = await database.query<MemberSummary>(
    `select ${columns} from members where organisation_id = $1 order by status = 'removed', email_key`,
    [organisationId],
  );
  return rows;
}
