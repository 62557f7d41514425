// Sessions of signed-in browsers. The cookie has 256 random bits, and the database only their hash. A session is valid while the member is
// active and the credentials are those of the sign-in, so that a removal, a new password or a new role immediately ends it everywhere.
import { createHmac, randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { hashToken, isToken, makeToken, type Role } from "../../domain/members.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import { isUuid } from "../../domain/uuid.js";
import type { Database } from "../../ports/database.js";
import type { VerifiedMember } from "../../queries/lookUps/members.js";

export const sessionLimits = { maxIdleHours: 12, maxDays: 7 } as const;
const maxSessionsPerMember = 20;
/** The verified member's ids and credentials revision, which a session needs. */
export type VerifiedMemberRef = Omit<VerifiedMember, "organisationName">;

export interface Session {
  readonly sessionId: string;
  readonly memberId: string;
  readonly by: Principal;
  readonly organisationId: string;
  readonly organisationName: string;
  readonly timezone: string;
  readonly email: string;
  /** The member's name, or the e-mail if the member has none. */
  readonly name: string;
  readonly role: Role;
  /** The token that every form of the session carries. */
  readonly formToken: string;
}

/** SQL for whether a row of `sessions` has been used recently enough and is not too old. */
const isAliveSql = `last_seen_at > now() - interval '${sessionLimits.maxIdleHours} hours' and created_at > now() - interval '${sessionLimits.maxDays} days'`;

/** Returns the new session's token, and ends the session of `oldToken`. Undefined if the member has changed since the verification. */
export async function openSession(
  pool: Pool,
  { memberId, credentialsRevision }: Pick<VerifiedMember, "memberId" | "credentialsRevision">,
  oldToken: string | undefined,
  /** What the member's list of sessions calls the browser. */
  browser?: string,
): Promise<string | undefined> {
  const token = makeToken(randomBytes);
  if (oldToken !== undefined) await endSession(pool, oldToken);
  await forgetSessions(pool);
  const { rowCount } = await pool.query(
    `insert into sessions (token_sha256, member_id, credentials_revision, browser)
     select $1, member_id, credentials_revision, $4 from members where member_id = $2 and credentials_revision = $3 and status = 'active'`,
    [hashToken(token), memberId, credentialsRevision, browser ?? null],
  );
  if (rowCount !== 1) return undefined;
  await pool.query(
    `delete from sessions where member_id = $1 and token_sha256 in
       (select token_sha256 from sessions where member_id = $1 order by created_at desc, token_sha256 offset ${maxSessionsPerMember})`,
    [memberId],
  );
  return token;
}

/** Deletes expired sessions. Every sign-in and the worker call it. */
export async function forgetSessions(database: Database): Promise<void> {
  await database.query(`delete from sessions where not (${isAliveSql})`);
}

interface SessionRow extends Omit<Session, "by" | "formToken" | "name"> {
  readonly name: string | null;
  readonly stale: boolean;
}

/** Finds the token's session with one query. Writes the time of the last use at most once a minute. */
export async function findSession(pool: Database, token: string | undefined): Promise<Session | undefined> {
  if (token === undefined || !isToken(token)) return undefined;
  const { rows } = await pool.query<SessionRow>(
    `select session_id as "sessionId", members.member_id as "memberId", members.organisation_id as "organisationId", organisations.name as "organisationName",
            organisations.timezone, members.email, members.name, members.role, last_seen_at < now() - interval '1 minute' as stale
       from sessions
       join members on members.member_id = sessions.member_id and members.credentials_revision = sessions.credentials_revision
       join organisations on organisations.id = members.organisation_id
      where token_sha256 = $1 and members.status = 'active' and ${isAliveSql}`,
    [hashToken(token)],
  );
  const row = rows[0];
  if (!row) return undefined;
  const { stale, name, ...fields } = row;
  if (stale)
    await pool.query("update sessions set last_seen_at = now() where token_sha256 = $1 and last_seen_at < now() - interval '1 minute'", [
      hashToken(token),
    ]);
  return { ...fields, name: name ?? fields.email, by: { kind: "member", id: fields.memberId }, formToken: formTokenOf(token) };
}

/** Returns the token hashes of the sessions that are still valid. The check does not count as a use of a session. */
export async function validSessions(pool: Database, tokenHashes: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ hash: string }>(
    `select token_sha256 as hash from sessions
       join members on members.member_id = sessions.member_id and members.credentials_revision = sessions.credentials_revision
      where token_sha256 = any($1::text[]) and members.status = 'active' and ${isAliveSql}`,
    [tokenHashes],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Deletes sessions that a change of the member has made invalid. `findSession` ignores them anyway. */
export async function endOutdatedSessions(database: Database, memberId: string): Promise<void> {
  await database.query(
    "delete from sessions using members where sessions.member_id = $1 and members.member_id = $1 and sessions.credentials_revision <> members.credentials_revision",
    [memberId],
  );
}

export async function endSession(pool: Database, token: string): Promise<void> {
  if (isToken(token)) await pool.query("delete from sessions where token_sha256 = $1", [hashToken(token)]);
}

/** The token in the pages' forms. It is derived from the session's token; the reverse is not possible. */
export const formTokenOf = (token: string): string => createHmac("sha256", token).update("waybill form").digest("base64url");

/** How long `acceptOnce` remembers a token. Callers pass tokens that expire sooner. */
export const acceptOnceMinutes = 10;

/** True only for the token's first use, across all API processes. For tokens that a browser brings back and that are valid once. */
export async function acceptOnce(pool: Pool, token: string): Promise<boolean> {
  await pool.query("delete from used_states where expires_at < now()");
  const { rowCount } = await pool.query(
    `insert into used_states (sha256, expires_at) values ($1, now() + interval '${acceptOnceMinutes} minutes') on conflict do nothing`,
    [hashToken(token)],
  );
  return rowCount === 1;
}

type SessionMember = Pick<Session, "organisationId" | "memberId">;

export interface OwnSession {
  readonly sessionId: string;
  /** Null for a session that an earlier version opened. */
  readonly browser: string | null;
  readonly openedAt: Date;
  readonly lastSeenAt: Date;
}

const isOwnSql =
  "members.organisation_id = $1 and members.member_id = $2 and sessions.member_id = $2 and sessions.credentials_revision = members.credentials_revision";

/** The member's valid sessions, the last used first. */
export async function listSessions(pool: Pool, { organisationId, memberId }: SessionMember): Promise<OwnSession[]> {
  const { rows } = await pool.query<OwnSession>(
    `select session_id as "sessionId", browser, created_at as "openedAt", last_seen_at as "lastSeenAt" from sessions, members
      where ${isOwnSql} and ${isAliveSql} order by last_seen_at desc, created_at desc, session_id limit 100`,
    [organisationId, memberId],
  );
  return rows;
}

/** Throws a Rejection if the member does not have this session, or no longer has it. */
export async function endOwnSession(pool: Pool, { organisationId, memberId }: SessionMember, sessionId: string): Promise<void> {
  const deletion = isUuid(sessionId)
    ? await pool.query(`delete from sessions using members where ${isOwnSql} and session_id = $3`, [organisationId, memberId, sessionId])
    : undefined;
  if (deletion?.rowCount !== 1) throw new Rejection("notFound", "This browser is already signed out");
}

/** Ends every session of the member, including the one that the request uses. */
export async function endOwnSessions(pool: Pool, { organisationId, memberId }: SessionMember): Promise<void> {
  await pool.query(
    "delete from sessions using members where members.organisation_id = $1 and members.member_id = $2 and sessions.member_id = $2",
    [organisationId, memberId],
  );
}
