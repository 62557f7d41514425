// Finds the earlier import that has the same file and still counts: it is not finished, or what it wrote is not all reversed. The tables
// say which imports to look at; the streams say whether they still count.
import { limits } from "../../domain/imports/limits.js";
import { decodeOn } from "../../events/codec.js";
import { readRequestedEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import type { Stores } from "../../ports/database.js";
import type { EventStore } from "../../ports/eventStore.js";
import { type FileLookUp, importsWithFile, isBeingRecorded, type SameFile } from "../../queries/lookUps/sameFiles.js";
import { lookUntilFound } from "../../timeLimit.js";
import type { Deadline } from "../deadline.js";
import { loadState } from "../handle.js";
import { reversalsAggregate } from "../reversals/reversalsDecider.js";

interface FileToCompare extends Omit<FileLookUp, "since" | "importId"> {
  readonly now: Date;
  /** The push's own import, if it has a place in the queue. The search then waits for pushes that reserved their places earlier. */
  readonly importId?: string;
}

const dayMs = 24 * 3_600_000;
/** How much of the deadline is kept for this push's append, however long the earlier push takes. */
const reservedAppendMs = 1_000;
const recordedPollMs = 15;

/**
 * The last import that has the same file and still counts. Two pushes of one file at the same moment cannot both miss each other: places
 * are reserved one after the other, and the later push waits until the earlier one is in the event log or can no longer get there.
 */
export async function importWithSameFile(deps: Stores, file: FileToCompare, deadline: Deadline): Promise<string | undefined> {
  const since = new Date(file.now.getTime() - limits.sameFileDays * dayMs);
  const lookUp = { ...file, since, importId: file.importId ?? null };
  for (const candidate of await deadline.within("database", importsWithFile(lookUp, deps.pool))) {
    if (candidate.known === "reserved" && file.importId !== undefined) await waitUntilRecorded(deps, candidate.importId, deadline);
    if (await deadline.within("event store", stillCounts(deps, candidate, lookUp))) return candidate.importId;
  }
  return undefined;
}

async function waitUntilRecorded({ pool }: Stores, importId: string, deadline: Deadline): Promise<void> {
  const lookForRecord = async () => ((await deadline.within("database", isBeingRecorded(importId, pool))) ? undefined : true);
  await lookUntilFound(deadline.remainingMs() - reservedAppendMs, lookForRecord, recordedPollMs);
}

async function stillCounts({ eventStore }: Stores, candidate: SameFile, lookUp: FileLookUp): Promise<boolean> {
  if (candidate.known !== "recorded" && !(await hasFile(eventStore, candidate.importId, lookUp))) return false;
  const processed = candidate.processed ?? (await processedCount(eventStore, candidate.importId));
  if (processed === "running") return true;
  return processed !== "none" && !(await isReversed(eventStore, candidate.importId, processed));
}

async function hasFile(eventStore: EventStore, importId: string, { organisationId, kind, sha256, since }: FileLookUp): Promise<boolean> {
  const data = (await readRequestedEvent(eventStore, importId))?.data;
  if (!data || data.corrects || data.organisationId !== organisationId) return false;
  return data.kind === kind && data.file.sha256 === sha256 && new Date(data.at) >= since;
}

/** How many activities or shipments a completed import wrote. `none` for an import that will never write anything. */
async function processedCount(eventStore: EventStore, importId: string): Promise<number | "running" | "none"> {
  const stored = await eventStore.last(streamOf.import(importId));
  const last = stored && decodeOn("import", stored);
  if (!last || last.type === "ImportFailed" || last.type === "ImportCancelled") return "none";
  return last.type === "ImportCompleted" ? last.data.counts.processed : "running";
}

/** Whether everything that the import wrote is reversed. */
async function isReversed(eventStore: EventStore, importId: string, processed: number): Promise<boolean> {
  const { state } = await loadState(eventStore, reversalsAggregate, importId);
  return state.isWhole || (state.reversedCount > 0 && state.reversedCount >= processed);
}
