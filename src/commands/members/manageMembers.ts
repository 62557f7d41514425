// What an admin, or the command line, does with members. `member` is an e-mail or a member's id.
import { randomBytes, randomUUID } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { emailKey, hashToken, linkHours, makeToken, parseEmail, parseName, type Role, role as roleShape } from "../../domain/members.js";
import { Rejection } from "../../domain/rejection.js";
import { streamOf } from "../../events/streams.js";
import { StreamDeleted } from "../../portErrors.js";
import { hasMembers } from "../../queries/lookUps/members.js";
import { handleCommand } from "../handle.js";
import { catalogueAggregate, decide } from "../organisations/organisation.js";
import { noOrganisation, type Origin } from "../organisations/organisationStream.js";
import {
  changeMember,
  findMember,
  type MemberDeps,
  type MemberRef,
  noSuchMember,
  recordMemberChange,
  undefinedIfDeleted,
  withMemberLock,
} from "./changeMember.js";
import type { LinkHash, MemberCommand } from "./memberDecider.js";

export interface Invitation {
  readonly organisationId: string;
  readonly email: string;
  readonly role: string;
  readonly name?: string | undefined;
}

/** The token is returned once: only its hash is kept. `linkAddress` makes the link from it. */
interface CreatedLink extends MemberRef {
  readonly token: string;
  readonly expiresAt: Date;
}

const mostMembers = 1_000;

export async function inviteMember(deps: MemberDeps, invitation: Invitation, origin: Origin): Promise<CreatedLink> {
  const { organisationId } = invitation;
  const email = parseEmail(invitation.email);
  const role = parseRole(invitation.role);
  const name = parseName(invitation.name);
  if (!(await deps.events.last(streamOf.organisation(organisationId)))) throw noOrganisation(organisationId);
  if (await hasMembers(organisationId, mostMembers, deps.pool))
    throw new Rejection("conflict", `An organisation has at most ${mostMembers} members; erase those who have left`);
  const { token, ...link } = await newLink(deps);
  const command: MemberCommand = { type: "inviteMember", organisationId, email, name, role, ...link, by: origin.by };
  for (let attempt = 1; ; attempt += 1) {
    // Random: from an id made of the e-mail the e-mail could be guessed.
    const memberId = await claimMember(deps.pool, { organisationId, emailKey: emailKey(email), newId: randomUUID() });
    try {
      await changeMember(deps, { organisationId, memberId }, command, origin.correlationId);
      return { organisationId, memberId, token, expiresAt: new Date(link.linkExpiresAt) };
    } catch (error) {
      if (!(error instanceof StreamDeleted) || attempt > 1) throw error;
      await forgetMember(organisationId, memberId, deps.pool); // left over by an erasure that was interrupted after it had deleted the stream
    }
  }
}

/** A new link, for a forgotten password or an expired invitation. The link before it is void. `given` is an e-mail or a member's id. */
export async function makeLink(
  deps: MemberDeps,
  { organisationId, member: given }: { organisationId: string; member: string },
  origin: Origin,
): Promise<CreatedLink> {
  const member = await findMember(organisationId, given, deps);
  const { token, ...link } = await newLink(deps);
  await changeMember(deps, member, { type: "makeLink", ...link, by: origin.by }, origin.correlationId);
  return { ...member, token, expiresAt: new Date(link.linkExpiresAt) };
}

async function newLink(deps: MemberDeps): Promise<LinkHash & { readonly token: string; readonly now: Date }> {
  const token = makeToken(randomBytes);
  const now = await deps.now();
  const linkExpiresAt = new Date(now.getTime() + linkHours * 3_600_000).toISOString();
  return { token, now, linkSha256: hashToken(token), linkExpiresAt };
}

function parseRole(text: string): Role {
  const parsed = roleShape.safeParse(text);
  if (!parsed.success) throw new Rejection("invalid", "A role is one of admin, operator, viewer");
  return parsed.data;
}

interface NamedMember {
  readonly organisationId: string;
  readonly member: string;
}

/** The member's sessions end. The same role again changes nothing. */
export async function changeRole(
  deps: MemberDeps,
  { organisationId, member, role: given }: NamedMember & { role: string },
  { by, correlationId }: Origin,
) {
  const role = parseRole(given);
  const who = await findMember(organisationId, member, deps);
  const { before } = await changeMember(deps, who, { type: "changeRole", role, by, now: await deps.now() }, correlationId);
  return { ...who, email: before.email, before: before.role, role };
}

/** Ends sessions, password and link. Removing a removed member changes nothing. */
export async function removeMember(deps: MemberDeps, { organisationId, member }: NamedMember, { by, correlationId }: Origin) {
  const who = await findMember(organisationId, member, deps);
  const { before } = await changeMember(deps, who, { type: "removeMember", by, now: await deps.now() }, correlationId);
  return { ...who, email: before.email };
}

/** Forgets the person: deletes the stream, the row, the claim and the sessions. Other streams keep the member's id, which leads to nothing. */
export async function eraseMember(
  deps: MemberDeps,
  { organisationId, member }: NamedMember,
  { by, correlationId }: Origin,
): Promise<MemberRef> {
  const memberId = await claimedMember(organisationId, emailKey(member), deps.pool);
  if (memberId === undefined) throw noSuchMember(organisationId);
  const who = { organisationId, memberId };
  const now = await deps.now();
  await withMemberLock(
    organisationId,
    async (client) => {
      // Projections learn of the erasure by the event. The claim stays until the stream is gone, so that an interrupted erasure can be repeated.
      await recordMemberChange(deps, client, who, { type: "eraseMember", by, now }, correlationId).catch(undefinedIfDeleted);
      const context = { organisation: organisationId, by, correlationId };
      await handleCommand(deps.events, catalogueAggregate, organisationId, context, (state) =>
        decide({ type: "forgetMember", memberId, by, now }, state),
      );
      await deps.events.deleteStream(streamOf.member(who.memberId));
      await forgetMember(organisationId, memberId, client);
    },
    deps,
  );
  return who;
}

/** The id that this e-mail has in this organisation from now on: `newId`, unless it has one. */
async function claimMember(
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
async function claimedMember(organisationId: string, emailKeyOrId: string, pool: Pool): Promise<string | undefined> {
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
