// The people of the organisations. The command that changes a member also writes the row, so that every process sees a removal
// immediately. The projector applies the same events later, which changes something only if the command was killed.
import type { PoolClient } from "pg";
import { emailKey } from "../../domain/members.js";
import { decodeOn, type RecordedEventOn } from "../../events/codec.js";
import type { EventDataOf } from "../../events/registry.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import { bindNames } from "../../namedSql.js";
import { type EventStore, noStream, type StoredEvent } from "../../ports/eventStore.js";
import type { Projection } from "../projection.js";
import { decodeOrSkip, type SkipEvent } from "../sortedBatch.js";

export const members: Projection = {
  name: "members",
  tables: ["members"],
  async apply(client, { events }, { skip }) {
    for (const stored of events) {
      if (!stored.stream.startsWith(streamPrefix.member)) continue;
      const event = decodeOrSkip("member", stored, skip);
      if (event) await applyMemberEvent(client, event, skip);
    }
  },
};

/** Applies the events of the member's stream that the row does not include yet, in the caller's transaction. */
export async function catchUpMember(client: PoolClient, eventStore: EventStore, memberId: string): Promise<void> {
  const { rows } = await client.query<{ revision: string }>("select revision from members where member_id = $1", [memberId]);
  const includedRevision = rows[0] ? BigInt(rows[0].revision) : noStream;
  const skip = (_: StoredEvent, why: string) => {
    throw new Error(why);
  };
  for await (const stored of eventStore.read(streamOf.member(memberId), { from: includedRevision + 1n })) {
    const event = decodeOn("member", stored);
    if (event) await applyMemberEvent(client, event, skip);
  }
}

async function applyMemberEvent(client: PoolClient, event: RecordedEventOn<"member">, skip: SkipEvent): Promise<void> {
  const memberId = event.stream.slice(streamPrefix.member.length);
  const revision = String(event.revision);
  const update = async (assignments: string, ...values: unknown[]) => {
    const statement = `update members set revision = $2, ${assignments} where member_id = $1 and revision < $2`;
    await client.query(statement, [memberId, revision, ...values]);
  };
  switch (event.type) {
    case "MemberInvited":
      if (!(await writeInvited(client, memberId, revision, event.data))) skip(event, "another member has this e-mail already");
      return;
    case "MemberLinkMade":
      return update("link_sha256 = $3, link_expires_at = $4", event.data.linkSha256, event.data.linkExpiresAt);
    case "MemberJoined":
      return update(
        "status = 'active', joined_at = $3, link_sha256 = null, link_expires_at = null, credentials_revision = $2",
        event.data.at,
      );
    case "MemberPasswordSet":
      return update("password_hash = $3, link_sha256 = null, link_expires_at = null, credentials_revision = $2", event.data.passwordHash);
    case "MemberRoleChanged":
      return update("role = $3, credentials_revision = $2", event.data.role);
    case "MemberRenamed":
      return update("name = $3", event.data.name);
    case "MemberRemoved":
      return update(
        "status = 'removed', removed_at = $3, password_hash = null, link_sha256 = null, link_expires_at = null, credentials_revision = $2",
        event.data.at,
      );
    case "MemberErased":
      await client.query("delete from members where member_id = $1", [memberId]);
      return;
  }
  event satisfies never;
}

/** False if another member of the organisation already has the e-mail: that member stays. */
async function writeInvited(
  client: PoolClient,
  memberId: string,
  revision: string,
  { organisationId, email, name, role, linkSha256, linkExpiresAt, at }: EventDataOf<"MemberInvited">,
): Promise<boolean> {
  // The command and the projector may insert the same member at the same time. Without the lock, the unique e-mail would fail one of them.
  await client.query("select pg_advisory_xact_lock(hashtextextended('member ' || current_schema() || ' ' || $1, 0))", [memberId]);
  const { rows } = await client.query<{ taken: boolean }>(
    bindNames(
      `with written as (
       insert into members (member_id, organisation_id, email, email_key, name, role, status, link_sha256, link_expires_at, invited_at,
         credentials_revision, revision)
       select :memberId::uuid, :organisationId::text, :email::text, :emailKey::text, :name::text, :role::text, 'invited', :linkSha256::text, :linkExpiresAt::timestamptz, :at::timestamptz, :revision::bigint, :revision::bigint
       where not exists (select from members where organisation_id = :organisationId and email_key = :emailKey and member_id <> :memberId)
       on conflict (member_id) do update set email = excluded.email, name = excluded.name, role = excluded.role, status = 'invited',
         password_hash = null, link_sha256 = excluded.link_sha256, link_expires_at = excluded.link_expires_at, invited_at = excluded.invited_at,
         joined_at = null, removed_at = null, credentials_revision = excluded.credentials_revision, revision = excluded.revision
       where members.revision < excluded.revision)
     select exists (select from members where organisation_id = :organisationId and email_key = :emailKey and member_id <> :memberId) as taken`,
      { memberId, organisationId, email, emailKey: emailKey(email), name, role, linkSha256, linkExpiresAt, at, revision },
    ),
  );
  return rows[0]?.taken !== true;
}
