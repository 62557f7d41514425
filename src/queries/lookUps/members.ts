import { type Database, hasRow } from "../../ports/database.js";

/** The id of the member that has this e-mail or id in the organisation. A removed member is found too. */
export async function findMemberId(organisationId: string, emailKeyOrId: string, database: Database): Promise<string | undefined> {
  const { rows } = await database.query<{ memberId: string }>(
    `select member_id as "memberId" from members where organisation_id = $1 and (email_key = $2 or member_id::text = $2)`,
    [organisationId, emailKeyOrId],
  );
  return rows[0]?.memberId;
}

/** The ids of the organisation's other admins: first those who have joined, then those who are invited. */
export async function otherAdmins(organisationId: string, memberId: string, database: Database): Promise<string[]> {
  const { rows } = await database.query<{ memberId: string }>(
    `select member_id as "memberId" from members
      where organisation_id = $1 and member_id <> $2 and role = 'admin' and status <> 'removed' order by status`,
    [organisationId, memberId],
  );
  return rows.map((other) => other.memberId);
}

/** Whether the organisation has at least this many members. Removed members count until they are erased. */
export const hasMembers = (organisationId: string, count: number, database: Database): Promise<boolean> =>
  hasRow(database, "select from members where organisation_id = $1 offset $2 limit 1", [organisationId, count - 1]);

export interface OpenLink {
  readonly memberId: string;
  readonly organisationId: string;
  readonly organisationName: string;
  readonly email: string;
  readonly name: string | null;
  /** True if the link is for a forgotten password, false if it is an invitation. */
  readonly hasJoined: boolean;
}

/** The member that the link is for; undefined if the link has expired. */
export async function memberOfLink(linkSha256: string, database: Database): Promise<OpenLink | undefined> {
  const { rows } = await database.query<OpenLink>(
    `select member_id as "memberId", organisation_id as "organisationId", organisations.name as "organisationName", email, members.name,
            status = 'active' as "hasJoined"
       from members join organisations on organisations.id = organisation_id
      where link_sha256 = $1 and link_expires_at > now() and status <> 'removed'`,
    [linkSha256],
  );
  return rows[0];
}

/** A member whose password, link or identity has just been verified. */
export interface VerifiedMember {
  readonly memberId: string;
  readonly organisationId: string;
  readonly organisationName: string;
  /** The revision at the verification. If it changes before a session is opened, none is opened. */
  readonly credentialsRevision: string;
}

const verifiedColumns = `member_id as "memberId", organisation_id as "organisationId", organisations.name as "organisationName",
            credentials_revision as "credentialsRevision"`;

/** The members with this e-mail in all organisations, invited ones included. An identity provider vouches for the e-mail. */
export async function membersWithEmail(emailKey: string, database: Database): Promise<VerifiedMember[]> {
  const { rows } = await database.query<VerifiedMember>(
    `select ${verifiedColumns}
       from members join organisations on organisations.id = organisation_id
      where email_key = $1 and status <> 'removed' order by organisations.name, organisation_id limit 100`,
    [emailKey],
  );
  return rows;
}

/** The hash of the member's password; undefined for a member who has none. */
export async function passwordHashOf(organisationId: string, memberId: string, database: Database): Promise<string | undefined> {
  const { rows } = await database.query<{ hash: string | null }>(
    "select password_hash as hash from members where organisation_id = $1 and member_id = $2",
    [organisationId, memberId],
  );
  return rows[0]?.hash ?? undefined;
}

/** The active members with this e-mail who have a password, with its hash: those of all organisations, or only `memberId`. */
export async function passwordsOf(
  emailKey: string,
  max: number,
  memberId: string | undefined,
  database: Database,
): Promise<(VerifiedMember & { readonly passwordHash: string })[]> {
  const { rows } = await database.query<VerifiedMember & { passwordHash: string }>(
    `select ${verifiedColumns}, password_hash as "passwordHash"
       from members join organisations on organisations.id = organisation_id
      where email_key = $1 and status = 'active' and password_hash is not null and ($2::uuid is null or member_id = $2)
      order by organisations.name, organisation_id limit ${max}`,
    [emailKey, memberId ?? null],
  );
  return rows;
}

/** Whether one of the members has this e-mail. */
export const hasEmail = (memberIds: readonly string[], emailKey: string, database: Database): Promise<boolean> =>
  hasRow(database, "select from members where email_key = $1 and member_id = any($2::uuid[]) limit 1", [emailKey, memberIds]);

/** Whether the member is invited and has not changed since that revision. */
export const isInvited = (memberId: string, credentialsRevision: string, database: Database): Promise<boolean> =>
  hasRow(database, "select from members where member_id = $1 and status = 'invited' and credentials_revision = $2", [
    memberId,
    credentialsRevision,
  ]);
