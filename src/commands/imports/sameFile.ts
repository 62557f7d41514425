// Finds the earlier import that has the same file. The tables say which imports to look at; the streams say whether they still count.

import { limits } from "../../domain/imports/limits.js";
import { decodeOn } from "../../events/codec.js";
import { requestedEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import type { Stores } from "../../ports/database.js";
import type { EventStore } from "../../ports/eventStore.js";
import { importsWithFile, isBeingRecorded, type SameFile, type SoughtFile } from "../../queries/lookUps/sameFiles.js";
import { lookUntilFound } from "../../timeLimit.js";
import type { Deadline } from "../deadline.js";
import { loadState } from "../handle.js";
import { reversalsAggregate } from "../reversals/reversalsDecider.js";

interface FileToCompare extends Omit<SoughtFile, "since" | "importId"> {
  readonly now: Date;
  /** The push itself, once it has a place in the queue. It then waits for those that reserved theirs before it. */
  readonly importId?: string;
}

const dayMs = 24 * 3_600_000;
/** What is left of the time for the append, however long another push takes. */
const appendMs = 1_000;
const lookAgainMs = 15;

/**
 * The last import that has the same file and still counts. Two pushes of the same file at once cannot both miss each other: places are reserved one
 * after the other, and the later push waits until the earlier one is in the event log, or is given up.
 */
export async function importWithSameFile(deps: Stores, file: FileToCompare, deadline: Deadline): Promise<string | undefined> {
  const since = new Date(file.now.getTime() - limits.sameFileDays * dayMs);
  const sought = { ...file, since, importId: file.importId ?? null };
  for (const found of await deadline.within("database", importsWithFile(sought, deps.pool))) {
    if (found.known === "reserved" && file.importId !== undefined) await waitUntilRecorded(deps, found.importId, deadline);
    if (await deadline.within("event store", counts(deps, found, sought))) return found.importId;
  }
  return undefined;
}

async function waitUntilRecorded({ pool }: Stores, importId: string, deadline: Deadline): Promise<void> {
  const look = async () => ((await deadline.within("database", isBeingRecorded(importId, pool))) ? undefined : true);
  await lookUntilFound(deadline.leftMs() - appendMs, look, lookAgainMs);
}

async function counts({ eventStore }: Stores, found: SameFile, sought: SoughtFile): Promise<boolean> {
  if (found.known !== "recorded" && !(await hasFile(eventStore, found.importId, sought))) return false;
  const processed = found.processed ?? (await processedNow(eventStore, found.importId));
  if (processed === "running") return true;
  return processed !== "none" && !(await isReversed(eventStore, found.importId, processed));
}

async function hasFile(eventStore: EventStore, importId: string, { organisationId, kind, sha256, since }: SoughtFile): Promise<boolean> {
  const data = (await requestedEvent(eventStore, importId))?.data;
  if (!data || data.corrects || data.organisationId !== organisationId) return false;
  return data.kind === kind && data.file.sha256 === sha256 && new Date(data.at) >= since;
}

/** The number of rows that a completed import has written. `none` for an import that will never write anything. */
async function processedNow(eventStore: EventStore, importId: string): Promise<number | "running" | "none"> {
  const stored = await eventStore.last(streamOf.import(importId));
  const last = stored && decodeOn("import", stored);
  if (!last || last.type === "ImportFailed" || last.type === "ImportCancelled") return "none";
  return last.type === "ImportCompleted" ? last.data.counts.processed : "running";
}

/** Whether everything that it wrote was taken back. */
async function isReversed(eventStore: EventStore, importId: string, processed: number): Promise<boolean> {
  const { state } = await loadState(eventStore, reversalsAggregate, importId);
  return state.all || (state.count > 0 && state.count >= processed);
}
