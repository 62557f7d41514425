// How readers find events: all of them by position, those of a stream by revision, in pages.
import { frameEnd, splitFrames } from "../../../adapters/eventStore/protocol/frames.js";
import { MAX_INT64 } from "../../../adapters/eventStore/protocol/protobuf.js";
import { failedRead } from "../protocol/grpc.js";
import { type EventFilter, mayMatch } from "../protocol/parseRequest.js";
import { type Block, endOf, eventIn, partOf } from "./blocks.js";
import type { Storage } from "./storage.js";
import { isMetastream, isSoftDeleted, type Retention, retentionOf, storedMetadata, streamOfMeta } from "./streamMetadata.js";

/** `from` is inclusive. `until` is exclusive, and has to be the end of a block. */
export function* allForwards(
  storage: Storage,
  { from, until = Number.MAX_VALUE }: { from: number; until?: number },
  filter?: EventFilter,
  checkpointAfter?: CheckpointAfter,
): Generator<ReadStep> {
  for (const block of storage.blocksFrom(from)) {
    if (block.position >= until) return;
    const part = block.position >= from ? block : partOf(block, (position) => position >= from);
    yield { runs: runsOf(part, filter, checkpointAfter), next: endOf(block) };
  }
}

export function* allBackwards(storage: Storage, before: number, filter?: EventFilter): Generator<ReadStep> {
  for (const block of storage.blocksBefore(before)) {
    const part = partOf(block, (position) => position < before);
    yield { runs: newestFirst(runsOf(part, filter)), next: block.position };
  }
}

/**
 * Throws for a position inside the log at which no event begins, as EventStoreDB does. Accepts the position of a deleted event. For a
 * forward read it also accepts a position beyond the end, from which the read gives nothing.
 */
export function refusePositionWithoutEvent(storage: Storage, end: number, position: number, backwards: boolean): void {
  if (position === 0 || position === end || (position > end && !backwards)) return;
  for (const block of position < end ? storage.blocksFrom(position) : []) {
    if (block.position > position) return; // between two blocks: a deleted event was there
    if (partOf(block, (each) => each === position).count > 0) return;
    if (endOf(block) > position) break;
  }
  throw failedRead(`There is no event at position ${position}.`);
}

/** What a reader gets of a stream: its metadata can hide events. `head` is the last revision, -1 if there is none. */
export type StreamView = { kind: "missing"; head: number } | { kind: "deleted" } | VisibleStream;

/** Readers get the events from revision `first` to `head` that were created at `oldestAt` (ms since 1970) or later. */
interface VisibleStream {
  kind: "visible";
  first: number;
  head: number;
  oldestAt: number;
}

export function streamViewOf(storage: Storage, stream: string): StreamView {
  const head = storage.headOf(stream);
  if (head >= MAX_INT64 || (isMetastream(stream) && storage.headOf(streamOfMeta(stream)) >= MAX_INT64)) return { kind: "deleted" };
  // Readers get only the last event of a metastream, as on EventStoreDB. A metastream of the metastream is ignored.
  const retention: Retention = isMetastream(stream) ? { maxCount: 1 } : retentionOf(storedMetadata(storage, stream));
  if (head < 0 || isSoftDeleted(retention)) return { kind: "missing", head };
  const first = Math.max(0, retention.truncateBefore ?? 0, head - (retention.maxCount ?? Number.MAX_SAFE_INTEGER) + 1);
  const oldestAt = retention.maxAgeSeconds === undefined ? 0 : Date.now() - retention.maxAgeSeconds * 1000;
  return { kind: "visible", first, head, oldestAt };
}

export function isVisible(view: StreamView, revision: number, createdAt: number): boolean {
  return view.kind === "visible" && revision >= view.first && revision <= view.head && createdAt >= view.oldestAt;
}

export function* streamForwards(storage: Storage, stream: string, view: VisibleStream, from: number): Generator<ReadStep> {
  const first = Math.max(from, view.first);
  for (const block of storage.streamBlocksFrom(stream, first)) {
    if (block.revision > view.head) return;
    const part = partOf(block, (_, revision) => revision >= first && isVisible(view, revision, block.createdAt));
    yield { runs: runsOf(part), next: block.revision + block.count };
  }
}

export function* streamBackwards(storage: Storage, stream: string, view: VisibleStream, from: number): Generator<ReadStep> {
  for (const block of storage.streamBlocksBack(stream, Math.min(from, view.head))) {
    if (block.createdAt < view.oldestAt) return; // all earlier events are older still
    const part = partOf(block, (_, revision) => revision <= from && isVisible(view, revision, block.createdAt));
    yield { runs: newestFirst(runsOf(part)), next: block.revision - 1 };
    if (block.revision <= view.first) return;
  }
}

// Reads go page by page, so that one reader neither fills the memory nor holds up other readers.
const MAX_PAGE_BYTES = 128 * 1024;
/** A page also ends after this many blocks: with a filter that matches few events it would otherwise read the whole log. */
const MAX_PAGE_BLOCKS = 256;

/** Frames that are sent together: consecutive events, or a checkpoint, for which `events` is 0. */
export interface EventRun {
  frames: Buffer;
  events: number;
}

/** What a reader gets of one block. `next`: the position in the log, or the revision in the stream, from which the read continues. */
export interface ReadStep {
  runs: EventRun[];
  next: number;
}

export interface ReadPage {
  /** The frames to send, in order. */
  frames: Buffer[];
  events: number;
  next: number;
  /** True if there is nothing more to read at present or the limit is reached. Any read but a subscription then ends. */
  done: boolean;
}

export function takePage(steps: Iterable<ReadStep>, from: number, limit = Number.MAX_SAFE_INTEGER): ReadPage {
  const page: ReadPage = { frames: [], events: 0, next: from, done: true };
  let [bytes, blocks] = [0, 0];
  for (const { runs, next } of steps) {
    for (const run of runs) {
      const room = limit - page.events;
      if (room === 0) break;
      const frames = run.events <= room ? run.frames : Buffer.concat(splitFrames(run.frames).slice(0, room));
      page.frames.push(frames);
      page.events += Math.min(run.events, room);
      bytes += frames.length;
    }
    page.next = next;
    blocks += 1;
    if (page.events >= limit) break;
    if (bytes >= MAX_PAGE_BYTES || blocks >= MAX_PAGE_BLOCKS) return { ...page, done: false };
  }
  return page;
}

/** Called for each event that a filtered read tests. Returns the checkpoint to send after the event, if any. */
export type CheckpointAfter = (position: number, matches: boolean) => Buffer | undefined;

/** The block's matching events and the checkpoints between them. */
export function runsOf(block: Block, filter?: EventFilter, checkpointAfter?: CheckpointAfter): EventRun[] {
  const { frames } = block;
  const runs: EventRun[] = [];
  const blockMayMatch = mayMatch(filter, block);
  const typeFilter = filter?.on === "type" ? filter : undefined;
  let [start, events] = [0, 0];
  const endRun = (end: number): void => {
    if (events > 0) runs.push({ frames: frames.subarray(start, end), events });
    events = 0;
  };
  for (let at = 0, end = 0; at < frames.length; at = end) {
    end = frameEnd(frames, at);
    const matches = blockMayMatch && (!typeFilter || typeFilter.matches(eventIn(frames.subarray(at, end)).type));
    if (!matches) endRun(at);
    else if (events === 0) start = at;
    if (matches) events += 1;
    const checkpoint = checkpointAfter?.(block.position + at, matches);
    if (!checkpoint) continue;
    endRun(end);
    runs.push({ frames: checkpoint, events: 0 });
  }
  endRun(frames.length);
  return runs;
}

/** Splits the runs into single events, the latest first. */
const newestFirst = (runs: EventRun[]): EventRun[] =>
  runs.flatMap((run) => splitFrames(run.frames).map((frames) => ({ frames, events: 1 }))).reverse();
