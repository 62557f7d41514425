// What an admin, or the command line, does with members. `member` is an e-mail or a member's id.
import { emailKey } from "../../domain/members.js";
import { streamOf } from "../../events/streams.js";
import type { Origin } from "../organisations/organisation.js";
import {
  changeMember,
  type MemberDeps,
  type MemberOf,
  memberMeant,
  noSuchMember,
  record,
  undefinedIfDeleted,
  underMemberLock,
} from "./changeMember.js";
import { claimedMember, forgetMember } from "./claims.js";
import { parseRole } from "./invite.js";

interface Meant {
  readonly organisationId: string;
  readonly member: string;
}

/** The member's sessions end. The same role again changes nothing. */
export async function changeRole(
  deps: MemberDeps,
  { organisationId, member, role: given }: Meant & { role: string },
  { by, correlationId }: Origin,
) {
  const role = parseRole(given);
  const who = await memberMeant(deps, organisationId, member);
  const { before } = await changeMember(deps, who, { type: "changeRole", role, by, now: await deps.now() }, correlationId);
  return { ...who, email: before.email, before: before.role, role };
}

/** Ends sessions, password and link. Removing a removed member changes nothing. */
export async function removeMember(deps: MemberDeps, { organisationId, member }: Meant, { by, correlationId }: Origin) {
  const who = await memberMeant(deps, organisationId, member);
  const { before } = await changeMember(deps, who, { type: "removeMember", by, now: await deps.now() }, correlationId);
  return { ...who, email: before.email };
}

/** Forgets the person: deletes the stream, the row, the claim and the sessions. Other streams keep the member's id, which leads to nothing. */
export async function eraseMember(deps: MemberDeps, { organisationId, member }: Meant, { by, correlationId }: Origin): Promise<MemberOf> {
  const memberId = await claimedMember(deps.pool, organisationId, emailKey(member));
  if (memberId === undefined) throw noSuchMember(organisationId);
  const who = { organisationId, memberId };
  const now = await deps.now();
  await underMemberLock(deps, organisationId, async (client) => {
    // Projections learn of the erasure by the event. The claim stays until the stream is gone, so that an interrupted erasure can be repeated.
    await record(deps, client, who, { type: "eraseMember", by, now }, correlationId).catch(undefinedIfDeleted);
    await deps.events.deleteStream(streamOf.member(who.memberId));
    await forgetMember(client, organisationId, memberId);
  });
  return who;
}
