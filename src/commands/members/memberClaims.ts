// Which member id an e-mail has in an organisation, from before the member's first event until the member is erased.
import type { Pool, PoolClient } from "pg";

/** The id that this e-mail has in this organisation from now on: `newId`, unless it has one. */
export async function claimMember(
  pool: Pool,
  { organisationId, emailKey, newId }: { readonly organisationId: string; readonly emailKey: string; readonly newId: string },
): Promise<string> {
  const { rows } = await pool.query<{ memberId: string }>(
    `insert into member_claims (organisation_id, email_key, member_id)
     values ($1, $2, coalesce((select member_id from members where organisation_id = $1 and email_key = $2), $3))
     on conflict (organisation_id, email_key) do update set email_key = excluded.email_key returning member_id as "memberId"`,
    [organisationId, emailKey, newId],
  );
  return rows[0]?.memberId as string;
}

/** Also finds a member whose row is gone, after an erasure that was interrupted. */
export async function claimedMember(organisationId: string, emailKeyOrId: string, pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ memberId: string }>(
    `select member_id as "memberId" from members where organisation_id = $1 and (email_key = $2 or member_id::text = $2)
     union all
     select member_id from member_claims where organisation_id = $1 and (email_key = $2 or member_id::text = $2) limit 1`,
    [organisationId, emailKeyOrId],
  );
  return rows[0]?.memberId;
}

/** The member's stream is deleted: deletes the row, the sessions and the claim. */
export async function forgetMember(organisationId: string, memberId: string, database: Pool | PoolClient): Promise<void> {
  await database.query("delete from members where member_id = $1", [memberId]);
  await database.query("delete from sessions where member_id = $1", [memberId]);
  await database.query("delete from member_claims where organisation_id = $1 and member_id = $2", [organisationId, memberId]);
}
