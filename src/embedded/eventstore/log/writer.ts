import { randomUUID } from "node:crypto";
import { framesIn } from "../../../adapters/eventStore/protocol/frames.js";
import { MAX_INT64 } from "../../../adapters/eventStore/protocol/protobuf.js";
import { dataOf, encodeBlocks, idOf, newEvent, type ProposedEvent } from "./blockEncoder.js";
import { endOf, eventIn, lastFrame, type NewBlock, partOf } from "./blocks.js";
import type { CommitLog } from "./commitLog.js";
import { isVisible, viewOf } from "./reads.js";
import { checkRevision, createRecentIds, type ExpectedRevision, type Refusal, type StreamFacts } from "./revisionCheck.js";
import type { Storage } from "./storage.js";
import {
  isMetastream,
  isSoftDeleted,
  metastreamOf,
  parseMetadata,
  retentionOf,
  SOFT_DELETE,
  storedMetadata,
  streamOfMeta,
} from "./streamMetadata.js";

interface Written {
  kind: "written";
  /** -1 where nothing was appended to a stream that is not there. */
  revision: number;
  /** The position of the last event. Undefined when the event was appended before and readers of the stream no longer get it. */
  position: number | undefined;
}

export type WriteOutcome = Written | Refusal;

export type Writer = ReturnType<typeof createWriter>;

/** Decides every append and delete, one after the other, against what has been decided before, durable or not yet. */
export function createWriter(storage: Storage, log: CommitLog, keptStreams?: number) {
  const states = createStreamStates(storage, log, keptStreams);
  const recent = createRecentIds();

  function factsOf(stream: string): StreamFacts {
    const { head, metadata } = states.of(stream);
    return {
      head,
      tombstoned: head >= MAX_INT64 || (isMetastream(stream) && states.of(streamOfMeta(stream)).head >= MAX_INT64),
      softDeleted: isSoftDeleted(retentionOf(metadata)),
      hasMetadata: metadata !== undefined,
      recentRevision: (id) => recent.revisionOf(stream, id),
      idsFrom: (revision) => idsFrom(storage, stream, revision),
    };
  }

  /** Adds the events to `blocks`, the next transaction, so that every later decision sees them. Returns where the last event is. */
  function place(blocks: NewBlock[], stream: string, events: readonly ProposedEvent[], revision?: number): Written {
    const state = states.of(stream);
    const before = blocks.at(-1);
    const position = before ? endOf(before) : log.nextPosition();
    const first = revision ?? state.head + 1;
    blocks.push(...encodeBlocks({ stream, events, position, revision: first, createdAt: Date.now() }));
    recent.add(stream, first, events.map(idOf));
    const last = blocks.at(-1) as NewBlock;
    state.head = first + events.length - 1;
    state.writtenTo = endOf(last);
    if (isMetastream(stream)) describe(streamOfMeta(stream), dataOf(events.at(-1) as ProposedEvent));
    return { kind: "written", revision: state.head, position: endOf(last) - lastFrame(last).length };
  }

  function describe(stream: string, metadata: Buffer): void {
    if (isMetastream(stream)) return; // metadata of a metadata stream is ignored
    states.of(stream).metadata = Buffer.from(metadata); // a copy, since it is a view on a whole request
  }

  /** A soft-deleted stream that is written to again begins after its old events. */
  function undelete(blocks: NewBlock[], stream: string, from: number): void {
    const metadata = parseMetadata(states.of(stream).metadata);
    if (!metadata) return; // the stored metadata is no JSON object, so nothing can be added to it
    place(blocks, metastreamOf(stream), [systemEvent("$metadata", Buffer.from(JSON.stringify({ ...metadata, $tb: from })))]);
  }

  async function append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<WriteOutcome> {
    const ids = (): string[] => events.map(idOf);
    let verdict = checkRevision(expected, ids, factsOf(stream));
    if (verdict.kind !== "append" && !states.isDurable(states.of(stream))) {
      await log.waitForAppends(); // ids can only be compared with events that can be read
      storage.refresh();
      verdict = checkRevision(expected, ids, factsOf(stream));
    }
    if (verdict.kind === "append") return write(stream, events);
    return verdict.kind === "replay" ? replayed(stream, verdict.revision) : verdict;
  }

  /** A write to a soft-deleted stream undeletes it, also a write without events, and a write of new metadata. */
  async function write(stream: string, events: readonly ProposedEvent[]): Promise<WriteOutcome> {
    const blocks: NewBlock[] = [];
    const original = isMetastream(stream) ? streamOfMeta(stream) : stream;
    const { head, metadata } = states.of(original);
    const wasDeleted = isSoftDeleted(retentionOf(metadata));
    const nothing: Written = { kind: "written", revision: states.of(stream).head, position: log.committedEnd() };
    const outcome = events.length > 0 ? place(blocks, stream, events) : nothing;
    if (wasDeleted) undelete(blocks, original, head + 1);
    if (blocks.length > 0) await log.append(blocks);
    return outcome;
  }

  async function replayed(stream: string, revision: number): Promise<WriteOutcome> {
    await log.waitForAppends(); // a repeated append is acknowledged only when the first one is durable
    storage.refresh();
    for (const block of storage.streamBlocksFrom(stream, revision)) {
      const isRead = isVisible(viewOf(storage, stream), revision, block.createdAt);
      return { kind: "written", revision, position: isRead ? partOf(block, (_, at) => at === revision).position : undefined };
    }
    throw new Error(`${stream} has no event ${revision}, which was appended before`);
  }

  /** Soft: hidden behind metadata, and open for new events. Hard: a tombstone, for good. */
  async function remove(stream: string, expected: ExpectedRevision, hard: boolean): Promise<WriteOutcome> {
    const facts = factsOf(stream);
    const verdict = checkRevision(expected, () => [randomUUID()], facts);
    const isMissing = !hard && facts.head < 0 && !facts.hasMetadata;
    if (verdict.kind === "deleted") return verdict;
    if (verdict.kind !== "append" || isMissing) return { kind: "wrongVersion", current: facts.head };
    const blocks: NewBlock[] = [];
    const outcome = hard
      ? place(blocks, stream, [systemEvent("$streamDeleted", Buffer.alloc(0), "application/octet-stream")], MAX_INT64)
      : place(blocks, metastreamOf(stream), [systemEvent("$metadata", SOFT_DELETE)]);
    await log.append(blocks);
    return outcome;
  }

  /** EventStoreDB's $all begins with events of its own, and so does this node's: no application may expect the first event to be its own. */
  const writeFirstEvent = () => append("$$$scavenges", "any", [systemEvent("$metadata", Buffer.from('{"$maxAge":2592000}'))]);

  return { append, remove, writeFirstEvent };
}

const systemEvent = (type: string, data: Buffer, contentType = "application/json"): ProposedEvent =>
  newEvent({ id: randomUUID(), type, contentType, data });

function* idsFrom(storage: Storage, stream: string, revision: number): Generator<string> {
  for (const block of storage.streamBlocksFrom(stream, revision)) {
    const { frames } = partOf(block, (_, at) => at >= revision);
    for (const frame of framesIn(frames)) yield eventIn(frame).id;
  }
}

/** What the writer knows of a stream, events still on their way to the disk included. */
export interface StreamState {
  /** MAX_INT64 where it is tombstoned. */
  head: number;
  metadata: Buffer | undefined;
  /** The end of its last block; until the log has committed that far the state is ahead of the disk. */
  writtenTo: number;
}

const KEPT = 10_000;

/** States are loaded on first use. When there are too many all are dropped, except those that are ahead of the disk. */
export function createStreamStates(storage: Storage, log: CommitLog, kept = KEPT) {
  const states = new Map<string, StreamState>();
  const isDurable = (state: StreamState): boolean => state.writtenTo <= log.committedEnd();

  return {
    isDurable,
    of(stream: string): StreamState {
      const known = states.get(stream);
      if (known) return known;
      // Before the new state is added: the caller is about to change that one, so it has to stay.
      if (states.size >= kept) for (const [name, state] of states) if (isDurable(state)) states.delete(name);
      storage.refresh();
      const state = { head: storage.headOf(stream), metadata: storedMetadata(storage, stream), writtenTo: 0 };
      states.set(stream, state);
      return state;
    },
  };
}
