// Signed-in browsers: 256 random bits in a cookie, of which the database has only the hash. A session is valid while the member is active and
// the credentials are those of the sign-in, so that a removal, a new password or a new role ends it at every process at once.
import { createHmac, randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { hashToken, isToken, makeToken, type Role } from "../../domain/members.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import { isUuid } from "../../domain/uuid.js";
import type { Database } from "../../ports/database.js";
import type { VerifiedMember } from "../../queries/lookUps/members.js";

export const sessionLimits = { idleHours: 12, longestDays: 7 } as const;
const mostPerMember = 20;
/** The member's data that a session needs. */
export type NamelessMember = Omit<VerifiedMember, "organisationName">;

export interface Session {
  readonly sessionId: string;
  readonly memberId: string;
  readonly by: Principal;
  readonly organisationId: string;
  readonly organisationName: string;
  readonly timezone: string;
  readonly email: string;
  /** The e-mail where no name is known. */
  readonly name: string;
  readonly role: Role;
  /** The token that every form of the session carries. */
  readonly formToken: string;
}

/** SQL for whether a row of `sessions` is neither idle for too long nor too old. */
const isAliveSql = `last_seen_at > now() - interval '${sessionLimits.idleHours} hours' and created_at > now() - interval '${sessionLimits.longestDays} days'`;

/** Always a new token; the browser's session from before, if any, ends. Undefined where the member changed since the verification. */
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
       (select token_sha256 from sessions where member_id = $1 order by created_at desc, token_sha256 offset ${mostPerMember})`,
    [memberId],
  );
  return token;
}

/** Deletes sessions that are over by time. Every sign-in calls it, and the worker. */
export async function forgetSessions(database: Database): Promise<void> {
  await database.query(`delete from sessions where not (${isAliveSql})`);
}

interface Row extends Omit<Session, "by" | "formToken" | "name"> {
  readonly name: string | null;
  readonly stale: boolean;
}

/** One look-up; a write at most once a minute. */
export async function findSession(pool: Database, token: string | undefined): Promise<Session | undefined> {
  if (token === undefined || !isToken(token)) return undefined;
  const { rows } = await pool.query<Row>(
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
  const { stale, name, ...known } = row;
  if (stale)
    await pool.query("update sessions set last_seen_at = now() where token_sha256 = $1 and last_seen_at < now() - interval '1 minute'", [
      hashToken(token),
    ]);
  return { ...known, name: name ?? known.email, by: { kind: "member", id: known.memberId }, formToken: formTokenOf(token) };
}

/** Which of these sessions, by the hashes of their tokens, are still valid. The check does not count as a use of the session. */
export async function validSessions(pool: Database, tokenHashes: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ hash: string }>(
    `select token_sha256 as hash from sessions
       join members on members.member_id = sessions.member_id and members.credentials_revision = sessions.credentials_revision
      where token_sha256 = any($1::text[]) and members.status = 'active' and ${isAliveSql}`,
    [tokenHashes],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Sessions that a change of the member has made invalid. Deleting their rows only tidies up. */
export async function endOutdatedSessions(database: Database, memberId: string): Promise<void> {
  await database.query(
    "delete from sessions using members where sessions.member_id = $1 and members.member_id = $1 and sessions.credentials_revision <> members.credentials_revision",
    [memberId],
  );
}

export async function endSession(pool: Database, token: string): Promise<void> {
  if (isToken(token)) await pool.query("delete from sessions where token_sha256 = $1", [hashToken(token)]);
}

/** The token in the pages' forms. It is derived from the session's token, which cannot be computed from it. */
export const formTokenOf = (token: string): string => createHmac("sha256", token).update("waybill form").digest("base64url");

/** How long `acceptOnce` remembers a token. What it stands for expires sooner. */
export const acceptOnceMinutes = 10;

/** True the first time only, of all API processes together: for what a browser brings back and what must not be accepted again. */
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
  readonly since: Date;
  readonly lastSeenAt: Date;
}

const ofMember =
  "members.organisation_id = $1 and members.member_id = $2 and sessions.member_id = $2 and sessions.credentials_revision = members.credentials_revision";

/** The member's valid sessions, the last used first. At most as many as a member can have. */
export async function listSessions(pool: Pool, { organisationId, memberId }: SessionMember): Promise<OwnSession[]> {
  const { rows } = await pool.query<OwnSession>(
    `select session_id as "sessionId", browser, created_at as since, last_seen_at as "lastSeenAt" from sessions, members
      where ${ofMember} and ${isAliveSql} order by last_seen_at desc, created_at desc, session_id limit 100`,
    [organisationId, memberId],
  );
  return rows;
}

/** Throws a Rejection where the member has no such session, or has it no longer. */
export async function endOwnSession(pool: Pool, { organisationId, memberId }: SessionMember, sessionId: string): Promise<void> {
  const ended = isUuid(sessionId)
    ? await pool.query(`delete from sessions using members where ${ofMember} and session_id = $3`, [organisationId, memberId, sessionId])
    : undefined;
  if (ended?.rowCount !== 1) throw new Rejection("notFound", "This browser is already signed out");
}

/** Ends every session of the member, this one too. */
export async function endOwnSessions(pool: Pool, { organisationId, memberId }: SessionMember): Promise<void> {
  await pool.query(
    "delete from sessions using members where members.organisation_id = $1 and members.member_id = $2 and sessions.member_id = $2",
    [organisationId, memberId],
  );
}
