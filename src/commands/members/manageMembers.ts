// The commands of admins and of the command line about members. A `member` in their input is an e-mail or a member's id.
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

/** `linkAddress` makes the link from the token, which is returned only here: the member's stream has its hash. */
interface CreatedLink extends MemberRef {
  readonly token: string;
  readonly expiresAt: Date;
}

const maxMembers = 1_000;

export async function inviteMember(deps: MemberDeps, invitation: Invitation, origin: Origin): Promise<CreatedLink> {
  const { organisationId } = invitation;
  const email = parseEmail(invitation.email);
  const role = parseRole(invitation.role);
  const name = parseName(invitation.name);
  if (!(await deps.eventStore.last(streamOf.organisation(organisationId)))) throw noOrganisation(organisationId);
  if (await hasMembers(organisationId, maxMembers, deps.pool))
    throw new Rejection("conflict", `An organisation has at most ${maxMembers} members; erase those who have left`);
  const { token, ...link } = await newLink(deps);
  const command: MemberCommand = { type: "inviteMember", organisationId, email, name, role, ...link, by: origin.by };
  for (let attempt = 1; ; attempt += 1) {
    // A random id: an id derived from the e-mail would let others guess the e-mail.
    const memberId = await claimMemberId(deps.pool, { organisationId, emailKey: emailKey(email), newId: randomUUID() });
    try {
      await changeMember(deps, { organisationId, memberId }, command, origin.correlationId);
      return { organisationId, memberId, token, expiresAt: new Date(link.linkExpiresAt) };
    } catch (error) {
      if (!(error instanceof StreamDeleted) || attempt > 1) throw error;
      await deleteMemberRows(organisationId, memberId, deps.pool); // an erasure was interrupted after it had deleted the stream
    }
  }
}

/** Makes a new link, for a forgotten password or an expired invitation, and voids the previous link. */
export async function makeLink(
  deps: MemberDeps,
  { organisationId, member: emailOrId }: { organisationId: string; member: string },
  origin: Origin,
): Promise<CreatedLink> {
  const member = await findMember(organisationId, emailOrId, deps);
  const { token, ...link } = await newLink(deps);
  await changeMember(deps, member, { type: "makeLink", ...link, by: origin.by }, origin.correlationId);
  return { ...member, token, expiresAt: new Date(link.linkExpiresAt) };
}

/** `now` is for the command that records the link. */
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

/** Changes the role and ends the member's sessions. The same role again changes nothing. */
export async function changeRole(
  deps: MemberDeps,
  { organisationId, member, role: roleName }: NamedMember & { role: string },
  { by, correlationId }: Origin,
) {
  const role = parseRole(roleName);
  const memberRef = await findMember(organisationId, member, deps);
  const { stateBefore } = await changeMember(deps, memberRef, { type: "changeRole", role, by, now: await deps.now() }, correlationId);
  return { ...memberRef, email: stateBefore.email, before: stateBefore.role, role };
}

/** Removes the member, whose sessions, password and link end. Removing a removed member changes nothing. */
export async function removeMember(deps: MemberDeps, { organisationId, member }: NamedMember, { by, correlationId }: Origin) {
  const memberRef = await findMember(organisationId, member, deps);
  const { stateBefore } = await changeMember(deps, memberRef, { type: "removeMember", by, now: await deps.now() }, correlationId);
  return { ...memberRef, email: stateBefore.email };
}

/** Deletes the member's stream, row, sessions and claim of an id. Other streams keep the id, which no longer leads to a person. */
export async function eraseMember(
  deps: MemberDeps,
  { organisationId, member }: NamedMember,
  { by, correlationId }: Origin,
): Promise<MemberRef> {
  const memberId = await findClaimedMemberId(organisationId, emailKey(member), deps.pool);
  if (memberId === undefined) throw noSuchMember(organisationId);
  const memberRef = { organisationId, memberId };
  const now = await deps.now();
  await withMemberLock(
    organisationId,
    async (client) => {
      // The projections need the event. The claim stays until the stream is deleted, so that an interrupted erasure can be repeated.
      await recordMemberChange(deps, client, memberRef, { type: "eraseMember", by, now }, correlationId).catch(undefinedIfDeleted);
      const context = { organisation: organisationId, by, correlationId };
      await handleCommand(deps.eventStore, catalogueAggregate, organisationId, context, (state) =>
        decide({ type: "forgetMember", memberId, by, now }, state),
      );
      await deps.eventStore.deleteStream(streamOf.member(memberRef.memberId));
      await deleteMemberRows(organisationId, memberId, client);
    },
    deps,
  );
  return memberRef;
}

/** Claims an id for this e-mail in this organisation and returns it: `newId`, unless the e-mail already has an id. */
async function claimMemberId(
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

/** Also finds a member whose row an interrupted erasure has deleted. */
async function findClaimedMemberId(organisationId: string, emailKeyOrId: string, pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ memberId: string }>(
    `select member_id as "memberId" from members where organisation_id = $1 and (email_key = $2 or member_id::text = $2)
     union all
     select member_id from member_claims where organisation_id = $1 and (email_key = $2 or member_id::text = $2) limit 1`,
    [organisationId, emailKeyOrId],
  );
  return rows[0]?.memberId;
}

/** Called when the member's stream is deleted. */
export async function deleteMemberRows(organisationId: string, memberId: string, database: Pool | PoolClient): Promise<void> {
  await database.query("delete from members where member_id = $1", [memberId]);
  await database.query("delete from sessions where member_id = $1", [memberId]);
  await database.query("delete from member_claims where organisation_id = $1 and member_id = $2", [organisationId, memberId]);
}
