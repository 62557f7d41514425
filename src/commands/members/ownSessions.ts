// The sessions that a member has, as the member sees and ends them. A session that is ended is gone at every process with the next request.
import type { Pool } from "pg";
import { Rejection } from "../../domain/rejection.js";
import { isUuid } from "../../domain/uuid.js";
import type { MemberRef } from "./changeMember.js";
import { isAliveSql } from "./sessions.js";

export interface OwnSession {
  readonly sessionId: string;
  /** Null for a session that an earlier version opened. */
  readonly browser: string | null;
  readonly since: Date;
  readonly lastSeenAt: Date;
}

const ofMember =
  "members.organisation_id = $1 and members.member_id = $2 and sessions.member_id = $2 and sessions.credentials_revision = members.credentials_revision";

/** The member's valid sessions, the last used first. At most as many as a member can have. */
export async function listSessions(pool: Pool, { organisationId, memberId }: MemberRef): Promise<OwnSession[]> {
  const { rows } = await pool.query<OwnSession>(
    `select session_id as "sessionId", browser, created_at as since, last_seen_at as "lastSeenAt" from sessions, members
      where ${ofMember} and ${isAliveSql} order by last_seen_at desc, created_at desc, session_id limit 100`,
    [organisationId, memberId],
  );
  return rows;
}

/** Throws a Rejection where the member has no such session, or has it no longer. */
export async function endOwnSession(pool: Pool, { organisationId, memberId }: MemberRef, sessionId: string): Promise<void> {
  const ended = isUuid(sessionId)
    ? await pool.query(`delete from sessions using members where ${ofMember} and session_id = $3`, [organisationId, memberId, sessionId])
    : undefined;
  if (ended?.rowCount !== 1) throw new Rejection("notFound", "This browser is already signed out");
}

/** Ends every session of the member, this one too. */
export async function endOwnSessions(pool: Pool, { organisationId, memberId }: MemberRef): Promise<void> {
  await pool.query(
    "delete from sessions using members where members.organisation_id = $1 and members.member_id = $2 and sessions.member_id = $2",
    [organisationId, memberId],
  );
}
