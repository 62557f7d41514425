// src/commands/members: people, their passwords, links and sessions. Every change to the members of an organisation is decided while one lock
// on that organisation is held, and written to the table before the lock is given back.
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
  readonly events: EventStore;
  readonly pool: Pool;
  readonly inTransaction: <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>;
  /** Brings the member's row up to its stream. */
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

/** Decides, records and writes the row under the lock of the organisation's members. Sessions that the change ends are gone with it. */
export const changeMember = (deps: MemberDeps, who: MemberRef, command: MemberCommand, correlationId: string): Promise<MemberChange> =>
  withMemberLock(who.organisationId, (client) => recordMemberChange(deps, client, who, command, correlationId), deps);

/** Runs one `work` at a time for an organisation, across all processes: two admins who remove each other come one after the other. */
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

export async function recordMemberChange(
  deps: MemberDeps,
  client: PoolClient,
  who: MemberRef,
  command: MemberCommand,
  correlationId: string,
): Promise<MemberChange> {
  const context = { organisation: who.organisationId, by: command.by, correlationId };
  const handled = await handleCommand(deps.events, memberAggregate, who.memberId, context, async (state) => {
    if (takesAdmin(command, state)) await expectAnotherAdmin(deps, client, who, state);
    return decide(command, state);
  });
  await deps.project(client, who.memberId);
  if (handled.decided.length > 0) await endOutdatedSessions(client, who.memberId);
  return handled;
}

/**
 * An admin who has joined can be removed only while another admin who has joined remains. The streams are read, not the table: a process may
 * have died between its append and the write of the row.
 */
async function expectAnotherAdmin(deps: MemberDeps, client: PoolClient, who: MemberRef, going: MemberState): Promise<void> {
  for (const memberId of await otherAdmins(who.organisationId, who.memberId, client)) {
    const other = await loadState(deps.events, memberAggregate, memberId).catch(undefinedIfDeleted);
    if (other && isAdmin(other.state) && (other.state.status === "active" || going.status === "invited")) return;
  }
  throw new Rejection("conflict", "This is the organisation's last admin. Make another member an admin first, one who has joined");
}

/** An interrupted erasure leaves a member whose stream is deleted. */
export function undefinedIfDeleted(error: unknown): undefined {
  if (!(error instanceof StreamDeleted)) throw error;
  return undefined;
}

/** The member that has this e-mail or id in the organisation. A removed member is found too. */
export async function findMember(organisationId: string, given: string, deps: MemberDeps): Promise<MemberRef> {
  const memberId = await findMemberId(organisationId, emailKey(given), deps.pool);
  if (memberId === undefined) throw noSuchMember(organisationId);
  return { organisationId, memberId };
}

export const noSuchMember = (organisationId: string) =>
  new Rejection("notFound", `${organisationId} has no such member; members list shows those there are`);
