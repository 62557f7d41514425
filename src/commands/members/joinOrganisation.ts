// Members join by a link with which they choose a password, or by an identity provider that vouches for their e-mail.
import { hashToken, isToken, passwordFault } from "../../domain/members.js";
import { Rejection } from "../../domain/rejection.js";
import { isInvited, memberOfLink, type OpenLink, type VerifiedMember } from "../../queries/lookUps/members.js";
import { loadState } from "../handle.js";
import { changeMember, type MemberDeps } from "./changeMember.js";
import { memberAggregate, voidLinkRejection } from "./memberDecider.js";
import { openSession, type VerifiedMemberRef } from "./sessions.js";

/**
 * Finds the member of the link; undefined if the link was used, has expired or never existed. The stream decides: a row that an earlier
 * version wrote keeps the link of a member who joined without it.
 */
export async function findLink(deps: MemberDeps, token: string): Promise<OpenLink | undefined> {
  const openLink = isToken(token) ? await memberOfLink(hashToken(token), deps.pool) : undefined;
  if (!openLink) return undefined;
  const { state } = await loadState(deps.eventStore, memberAggregate, openLink.memberId);
  return state.link?.linkSha256 === hashToken(token) ? openLink : undefined;
}

/** Sets the password, voids the link and ends the member's sessions. The caller opens a session for the returned member. */
export async function joinByLink(
  deps: MemberDeps,
  { token, password }: { token: string; password: string },
  correlationId: string,
): Promise<VerifiedMember> {
  const link = await findLink(deps, token);
  if (!link) throw voidLinkRejection();
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

/** Opens a session and returns its token; undefined if the member has changed since the verification. An invited member joins first. */
export async function startSession(
  deps: MemberDeps,
  member: VerifiedMemberRef,
  { oldToken, browser, correlationId }: { oldToken: string | undefined; browser?: string; correlationId: string },
): Promise<string | undefined> {
  const { memberId } = member;
  let { credentialsRevision } = member;
  if (await isInvited(memberId, credentialsRevision, deps.pool)) {
    const command = { type: "joinBySingleSignOn", by: { kind: "member", id: memberId }, now: await deps.now() } as const;
    const { newEvents, revision } = await changeMember(deps, member, command, correlationId);
    if (newEvents.length > 0) credentialsRevision = String(revision);
  }
  return openSession(deps.pool, { memberId, credentialsRevision }, oldToken, browser);
}
