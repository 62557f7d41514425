import { randomUUID } from "node:crypto";
import { encodeBlocks } from "./blockEncoder.js";
import { type Block, frameOffsets, type ProposedEvent } from "./blocks.js";
import type { CommitLog } from "./commitLog.js";
import { createRecentIds } from "./recentIds.js";
import { checkRevision, type ExpectedRevision, type StreamFacts } from "./revisionCheck.js";
import type { Storage } from "./storage.js";
import { isMetastream, isSoftDeleted, metastreamOf, parseMetadata, retentionOf, SOFT_DELETE, streamOfMeta } from "./streamMetadata.js";
import { createEventLookup, createStreamStates, type StreamState } from "./streamStates.js";
import { MAX_INT64, textField } from "./wire.js";

export type WriteOutcome =
  /** `revision` is -1 where nothing was appended to a stream that is not there. */
  { kind: "written"; revision: number; position: number } | { kind: "wrongVersion"; current: number } | { kind: "deleted" };

export type Writer = ReturnType<typeof createWriter>;

/** Decides every append and delete, one after the other, against what has been decided before, durable or not yet. */
export function createWriter(storage: Storage, log: CommitLog, now: () => number = Date.now) {
  const states = createStreamStates(storage, log);
  const recent = createRecentIds();

  function factsOf(stream: string, state: StreamState): StreamFacts {
    const lookup = createEventLookup(storage, stream);
    return {
      head: state.head,
      tombstoned: state.tombstoned || (isMetastream(stream) && states.of(streamOfMeta(stream)).tombstoned),
      softDeleted: isSoftDeleted(state.retention),
      hasMetadata: state.metadata !== undefined,
      recentRevision: (id) => recent.revisionOf(stream, id),
      idAt: lookup.idAt,
    };
  }

  /** Adds the events to a transaction in the making, and lets every later decision see them. */
  function place(blocks: Block[], stream: string, events: readonly ProposedEvent[], revision?: number): void {
    const state = states.of(stream);
    const last = blocks.at(-1);
    const position = last ? last.position + last.frames.length : log.nextPosition();
    const first = revision ?? state.head + 1;
    const added = encodeBlocks({ stream, events, position, revision: first, createdAt: now() });
    blocks.push(...added);
    for (const [index, event] of events.entries()) recent.add(stream, event.id, first + index);
    state.head = first + events.length - 1;
    state.tombstoned = first >= MAX_INT64;
    state.writtenTo = (added.at(-1)?.position ?? 0) + (added.at(-1)?.frames.length ?? 0);
    if (isMetastream(stream)) describe(streamOfMeta(stream), (events.at(-1) as ProposedEvent).data);
  }

  function describe(stream: string, metadata: Buffer): void {
    const state = states.of(stream);
    state.metadata = Buffer.from(metadata); // a copy, since it is a view on a whole request
    state.retention = retentionOf(metadata);
  }

  /** A soft-deleted stream that is written to again begins after its old events. */
  function undelete(blocks: Block[], stream: string, from: number): void {
    const metadata = { ...parseMetadata(states.of(stream).metadata ?? Buffer.alloc(0)), $tb: from };
    place(blocks, metastreamOf(stream), [systemEvent("$metadata", Buffer.from(JSON.stringify(metadata)))]);
  }

  async function append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<WriteOutcome> {
    const state = states.of(stream);
    const ids = events.map(({ id }) => id);
    let verdict = checkRevision(expected, ids, factsOf(stream, state));
    if (verdict.kind !== "append" && !states.isDurable(state)) {
      await log.settled(); // ids can only be compared with events that can be read
      storage.refresh();
      verdict = checkRevision(expected, ids, factsOf(stream, state));
    }
    if (verdict.kind === "deleted") return verdict;
    if (verdict.kind === "wrongVersion") return { kind: "wrongVersion", current: state.head };
    if (verdict.kind === "replay") return replayed(stream, verdict.revision);
    if (events.length === 0) return { kind: "written", revision: state.head, position: log.committedEnd() };
    return write(stream, state, events);
  }

  async function write(stream: string, state: StreamState, events: readonly ProposedEvent[]): Promise<WriteOutcome> {
    const blocks: Block[] = [];
    const softDeleted = isSoftDeleted(state.retention);
    const recreateFrom = state.head + 1;
    const original = isMetastream(stream) ? streamOfMeta(stream) : undefined;
    const redescribes = original !== undefined && isSoftDeleted(states.of(original).retention);
    place(blocks, stream, events);
    const last = blocks.at(-1) as Block;
    const outcome = { kind: "written", revision: state.head, position: last.position + (frameOffsets(last).at(-1) as number) } as const;
    if (softDeleted) undelete(blocks, stream, recreateFrom);
    if (redescribes) undelete(blocks, original, states.of(original).head + 1);
    await log.append(blocks);
    return outcome;
  }

  async function replayed(stream: string, revision: number): Promise<WriteOutcome> {
    for (;;) {
      storage.refresh();
      const position = createEventLookup(storage, stream).positionAt(revision);
      if (position !== undefined) return { kind: "written", revision, position };
      await log.settled(); // acknowledged again only once the first one is durable
    }
  }

  /** Soft: hidden behind metadata, and open for new events. Hard: a tombstone, for good. */
  async function remove(stream: string, expected: ExpectedRevision, hard: boolean): Promise<WriteOutcome> {
    const state = states.of(stream);
    const verdict = checkRevision(expected, [randomUUID()], factsOf(stream, state));
    if (verdict.kind === "deleted") return verdict;
    const missing = !hard && state.head < 0 && state.metadata === undefined;
    if (verdict.kind !== "append" || missing) return { kind: "wrongVersion", current: state.head };
    const blocks: Block[] = [];
    if (hard) place(blocks, stream, [systemEvent("$streamDeleted", Buffer.alloc(0))], MAX_INT64);
    else place(blocks, metastreamOf(stream), [systemEvent("$metadata", SOFT_DELETE)]);
    await log.append(blocks);
    return { kind: "written", revision: state.head, position: (blocks[0] as Block).position };
  }

  /** A real server's $all begins with events of its own, so this one's does too: nobody may take the first event for theirs. */
  async function writeSystemEvent(): Promise<void> {
    const blocks: Block[] = [];
    place(blocks, "$$$scavenges", [systemEvent("$metadata", Buffer.from('{"$maxAge":2592000}'))]);
    await log.append(blocks);
  }

  return { append, remove, writeSystemEvent };
}

function systemEvent(type: string, data: Buffer): ProposedEvent {
  const properties = [propertyOf("type", type), propertyOf("content-type", "application/json")];
  return { id: randomUUID(), type, properties, metadata: Buffer.alloc(0), data };
}

const propertyOf = (key: string, value: string): Buffer => Buffer.concat([textField(1, key), textField(2, value)]);
