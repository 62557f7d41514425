// src/commands/members: people, their passwords, links and sessions. This file has the steps of every change of a member, which is decided
// under a lock on the organisation's members and written to the table before the lock is released.
import type { Pool, PoolClient } from "pg";
import { emailKey } from "../../domain/members.js";
import { Rejection } from "../../domain/rejection.js";
import { StreamDeleted } from "../../portErrors.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { Passwords } from "../../ports/people.js";
import { findMemberId, otherAdmins } from "../../queries/lookUps/members.js";
import { type CommandOutcome, handleCommand, loadState } from "../handle.js";
import { decide, isAdmin, type MemberCommand, type MemberState, memberAggregate, takesAdmin } from "./memberDecider.js";
import { endOutdatedSessions } from "./sessions.js";

export interface MemberDeps {
  readonly eventStore: EventStore;
  readonly pool: Pool;
  readonly inTransaction: <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>;
  /** Updates the member's row from the member's stream. */
  readonly project: (client: PoolClient, memberId: string) => Promise<void>;
  readonly passwords: Passwords;
  /** The database's clock. */
  readonly now: () => Promise<Date>;
}

export interface MemberRef {
  readonly organisationId: string;
  readonly memberId: string;
}

export type MemberChange = CommandOutcome<"member", MemberState>;

/** Decides, appends and writes the member's row under the lock. Deletes the sessions that the change ends. */
export const changeMember = (deps: MemberDeps, member: MemberRef, command: MemberCommand, correlationId: string): Promise<MemberChange> =>
  withMemberLock(member.organisationId, (client) => recordMemberChange(deps, client, member, command, correlationId), deps);

/** Runs one `work` at a time for an organisation, across all processes, so that two admins cannot remove each other at the same moment. */
export function withMemberLock<Result>(
  organisationId: string,
  work: (client: PoolClient) => Promise<Result>,
  deps: MemberDeps,
): Promise<Result> {
  return deps.inTransaction(async (client) => {
    await client.query("select pg_advisory_xact_lock(hashtextextended('members ' || current_schema() || ' ' || $1, 0))", [organisationId]);
    return work(client);
  });
}

/** The caller holds the lock: `client` is that of `withMemberLock`. */
export async function recordMemberChange(
  deps: MemberDeps,
  client: PoolClient,
  member: MemberRef,
  command: MemberCommand,
  correlationId: string,
): Promise<MemberChange> {
  const context = { organisation: member.organisationId, by: command.by, correlationId };
  const outcome = await handleCommand(deps.eventStore, memberAggregate, member.memberId, context, async (state) => {
    if (takesAdmin(command, state)) await expectAnotherAdmin(deps, client, member, state);
    return decide(command, state);
  });
  await deps.project(client, member.memberId);
  if (outcome.newEvents.length > 0) await endOutdatedSessions(client, member.memberId);
  return outcome;
}

/**
 * An admin who has joined can be removed only while another admin who has joined remains. Reads the streams and not the table: a process
 * may have died after its append and before it wrote the row.
 */
async function expectAnotherAdmin(deps: MemberDeps, client: PoolClient, member: MemberRef, leavingState: MemberState): Promise<void> {
  for (const memberId of await otherAdmins(member.organisationId, member.memberId, client)) {
    const other = await loadState(deps.eventStore, memberAggregate, memberId).catch(undefinedIfDeleted);
    if (other && isAdmin(other.state) && (other.state.status === "active" || leavingState.status === "invited")) return;
  }
  throw new Rejection("conflict", "This is the organisation's last admin. Make another member an admin first, one who has joined");
}

/** Handles a failed read of a member's stream: an interrupted erasure leaves a member whose stream is deleted. */
export function undefinedIfDeleted(error: unknown): undefined {
  if (!(error instanceof StreamDeleted)) throw error;
  return undefined;
}

/** Finds the organisation's member with this e-mail or id, also a removed one. */
export async function findMember(organisationId: string, emailOrId: string, deps: MemberDeps): Promise<MemberRef> {
  const memberId = await findMemberId(organisationId, emailKey(emailOrId), deps.pool);
  if (memberId === undefined) throw noSuchMember(organisationId);
  return { organisationId, memberId };
}

export const noSuchMember = (organisationId: string) =>
  new Rejection("notFound", `${organisationId} has no such member; members list shows those there are`);
