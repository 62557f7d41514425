// Members join by a link, which leads to choosing a password, once, or by an identity provider that vouches for their e-mail.
import type { Pool } from "pg";
import { emailKey, hashToken, isToken, passwordFault } from "../../domain/members.js";
import { Rejection } from "../../domain/rejection.js";
import { load } from "../handle.js";
import { changeMember, type MemberDeps, type MemberOf } from "./changeMember.js";
import { linkIsVoid, memberAggregate } from "./memberDecider.js";
import { type NamelessMember, openSession, type VerifiedMember } from "./sessions.js";

export interface OpenLink extends MemberOf {
  readonly organisationName: string;
  readonly email: string;
  readonly name: string | null;
  /** True for a forgotten password, false for an invitation. */
  readonly hasJoined: boolean;
}

/**
 * The member of the link; undefined where it was used, has expired, or never existed. The stream has the last word: a row that an earlier
 * version wrote keeps the link of a member who joined without it.
 */
export async function findLink(deps: MemberDeps, token: string): Promise<OpenLink | undefined> {
  const found = isToken(token) ? await linkInTable(deps, hashToken(token)) : undefined;
  if (!found) return undefined;
  const { state } = await load(deps.events, memberAggregate, found.memberId);
  return state.link?.linkSha256 === hashToken(token) ? found : undefined;
}

async function linkInTable({ pool }: MemberDeps, linkSha256: string): Promise<OpenLink | undefined> {
  const { rows } = await pool.query<OpenLink>(
    `select member_id as "memberId", organisation_id as "organisationId", organisations.name as "organisationName", email, members.name,
            status = 'active' as "hasJoined"
       from members join organisations on organisations.id = organisation_id
      where link_sha256 = $1 and link_expires_at > now() and status <> 'removed'`,
    [linkSha256],
  );
  return rows[0];
}

/** Sets the password, uses the link up and ends the member's sessions. The caller opens a session for the returned member. */
export async function joinByLink(
  deps: MemberDeps,
  { token, password }: { token: string; password: string },
  correlationId: string,
): Promise<VerifiedMember> {
  const link = await findLink(deps, token);
  if (!link) throw linkIsVoid();
  const fault = passwordFault(password, [link.email, link.organisationName, link.organisationId, link.name ?? ""], deps.passwords.isCommon);
  if (fault) throw new Rejection("invalid", fault);
  const passwordHash = await deps.passwords.hash(password);
  const { organisationId, memberId, organisationName } = link;
  const by = { kind: "member", id: memberId } as const;
  const command = { type: "joinByLink", linkSha256: hashToken(token), passwordHash, by, now: await deps.now() } as const;
  // The stream decides, so of two requests with one link at the same moment one is rejected.
  const { revision } = await changeMember(deps, { organisationId, memberId }, command, correlationId);
  return { memberId, organisationId, organisationName, credentialsRevision: String(revision) };
}

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
  const command = { type: "joinBySingleSignOn", by, now: await deps.now() } as const;
  const { decided, revision } = await changeMember(deps, member, command, correlationId);
  return decided.length > 0 ? String(revision) : credentialsRevision;
}
