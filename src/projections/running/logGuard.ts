import { requestedRevision } from "../../events/importLayout.js";
import { readLogId, streamOf } from "../../events/streams.js";
import { StreamDeleted } from "../../portErrors.js";
import { type EventStore, eventAt, isAfter, logStart, type Revision, type StoredEvent } from "../../ports/eventStore.js";
import type { ProjectionDeps } from "../projection.js";
import { type Checkpoint, type Checkpoints, isBeginning, isDisowned, isSamePosition, latestPosition } from "./checkpoints.js";

/**
 * The tables contain events that this event log does not have: they were built from another event log, or this one was restored from a
 * backup. Nothing may be added to the tables.
 */
export class TablesOfAnotherLog extends Error {
  override readonly name = "TablesOfAnotherLog";
  constructor(
    reason: string,
    /** True if another check of the event log cannot give another result. */
    readonly isCertain = false,
  ) {
    super(`${reason}; nothing is projected until \`projections rebuild\` has built the tables from this log`);
  }
}

export type LogGuard = (checkpoints: Checkpoints) => Promise<void>;

type GuardedLog = Pick<ProjectionDeps, "eventStore" | "pool">;

/** How often in a row the guard must find the same reason to be certain: a cluster's new leader may lag for a moment. */
const findsUntilCertain = 3;

/**
 * The guard throws if the event log is not the one that the tables were built from, or is an earlier state of it: the next events would be
 * skipped as already applied. Once certain, it calls `disown` to mark the tables for good: the event log may grow past their position.
 */
export function createLogGuard(guarded: GuardedLog, disown: (checkpoints: Checkpoints) => Promise<void> = async () => undefined): LogGuard {
  let lastReason = "";
  let timesFound = 0;
  return async (checkpoints) => {
    const reason = await reasonForAnotherLog(guarded, checkpoints);
    timesFound = reason === undefined ? 0 : reason === lastReason ? timesFound + 1 : 1;
    lastReason = reason ?? "";
    if (reason === undefined) return;
    if (timesFound === findsUntilCertain) await disown(checkpoints);
    throw new TablesOfAnotherLog(reason);
  };
}

async function reasonForAnotherLog({ eventStore, pool }: GuardedLog, checkpoints: Checkpoints): Promise<string | undefined> {
  const all = [...checkpoints.values()];
  if (all.some(isDisowned)) return "the tables were found to be of another log, or of a later state of this one";
  const furthest = latestPosition(all);
  if (isBeginning(furthest)) return undefined;
  const end = await eventStore.head();
  if (isAfter(furthest, end ?? logStart))
    return `the log ends at position ${end?.commit ?? "none"}, the tables stand at ${furthest.commit}: an older event store was restored, or the tables belong to another event store`;
  const logId = await readLogId(eventStore);
  const checkpointOfOther = all.find((each) => each.logId !== undefined && each.logId !== logId);
  if (checkpointOfOther) return `the tables are of log ${checkpointOfOther.logId}, this is log ${logId ?? "without an id"}`;
  for (const each of distinctEvents(all)) {
    const reason = await reasonEventIsMissing(eventStore, each);
    if (reason) return reason;
  }
  const isEventUnknown = all.some((each) => !each.lastEvent && !isBeginning(each));
  return isEventUnknown ? reasonNewestImportIsMissing({ eventStore, pool }) : undefined;
}

function distinctEvents(all: readonly Checkpoint[]): Checkpoint[] {
  const byId = new Map<string, Checkpoint>();
  for (const each of all) {
    const existing = byId.get(each.lastEvent?.id ?? "");
    if (each.lastEvent && (!existing || isAfter(existing, each))) byId.set(each.lastEvent.id, each);
  }
  return [...byId.values()];
}

async function reasonEventIsMissing(eventStore: EventStore, { lastEvent, ...checkpoint }: Checkpoint): Promise<string | undefined> {
  if (!lastEvent) return undefined;
  const { id, stream, revision, position } = lastEvent;
  if (isAfter(position, checkpoint)) return `the tables stand at ${checkpoint.commit}, before event ${id} that they hold`;
  const event = await existingEventAt(eventStore, stream, revision);
  if (event?.id === id && isSamePosition(event.position, position)) return undefined;
  return `the tables hold event ${id}, revision ${revision} of ${stream}, which the log does not have there: an older event store was restored, or the tables belong to another event store`;
}

/** For checkpoints of an older version, which name no event: the newest import in the tables must be in the event log at its position. */
async function reasonNewestImportIsMissing({ eventStore, pool }: GuardedLog): Promise<string | undefined> {
  const { rows } = await pool.query<{ importId: string; position: string }>(
    'select import_id as "importId", position from imports order by position desc limit 1',
  );
  const [newest] = rows;
  if (!newest) return undefined;
  const requested = await existingEventAt(eventStore, streamOf.import(newest.importId), requestedRevision);
  if (String(requested?.position.commit) === newest.position) return undefined;
  return `the tables hold import ${newest.importId}, which the log does not have at position ${newest.position}`;
}

async function existingEventAt(eventStore: EventStore, stream: string, revision: Revision): Promise<StoredEvent | undefined> {
  try {
    return await eventAt(eventStore, stream, revision);
  } catch (error) {
    if (error instanceof StreamDeleted) return undefined;
    throw error;
  }
}
