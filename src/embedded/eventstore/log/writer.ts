import { randomUUID } from "node:crypto";
import { splitFrames } from "../../../adapters/eventStore/protocol/frames.js";
import { MAX_INT64 } from "../../../adapters/eventStore/protocol/protobuf.js";
import { dataOf, encodeBlocks, idOf, newEvent, type ProposedEvent } from "./blockEncoder.js";
import { endOf, eventIn, lastFrame, type NewBlock, partOf } from "./blocks.js";
import type { CommitLog } from "./commitLog.js";
import { isVisible, streamViewOf } from "./reads.js";
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
  /** The revision of the last event. -1 if no events were appended to a stream that does not exist. */
  revision: number;
  /** The position of the last event. Undefined for a repeated append whose events readers of the stream no longer get. */
  position: number | undefined;
}

export type WriteOutcome = Written | Refusal;

export type Writer = ReturnType<typeof createWriter>;

/** Decides every append and delete, one after the other. Each decision sees all earlier ones, even those that are not durable yet. */
export function createWriter(storage: Storage, log: CommitLog, maxStates?: number) {
  const states = createStreamStates(storage, log, maxStates);
  const recentIds = createRecentIds();

  function factsOf(stream: string): StreamFacts {
    const { head, metadata } = states.of(stream);
    return {
      head,
      tombstoned: head >= MAX_INT64 || (isMetastream(stream) && states.of(streamOfMeta(stream)).head >= MAX_INT64),
      softDeleted: isSoftDeleted(retentionOf(metadata)),
      hasMetadata: metadata !== undefined,
      recentRevision: (id) => recentIds.revisionOf(stream, id),
      idsFrom: (revision) => idsFrom(storage, stream, revision),
    };
  }

  /** Adds the events to `blocks`, which the caller appends to the log. Every decision after this call sees them. */
  function addEvents(blocks: NewBlock[], stream: string, events: readonly ProposedEvent[], revision?: number): Written {
    const state = states.of(stream);
    const lastBefore = blocks.at(-1);
    const position = lastBefore ? endOf(lastBefore) : log.nextPosition();
    const first = revision ?? state.head + 1;
    blocks.push(...encodeBlocks({ stream, events, position, revision: first, createdAt: Date.now() }));
    recentIds.add(stream, first, events.map(idOf));
    const last = blocks.at(-1) as NewBlock;
    state.head = first + events.length - 1;
    state.end = endOf(last);
    if (isMetastream(stream)) setMetadata(streamOfMeta(stream), dataOf(events.at(-1) as ProposedEvent));
    return { kind: "written", revision: state.head, position: endOf(last) - lastFrame(last).length };
  }

  function setMetadata(stream: string, metadata: Buffer): void {
    if (isMetastream(stream)) return; // a metastream's own metadata is ignored
    states.of(stream).metadata = Buffer.from(metadata); // a copy, since `metadata` is a view on a whole request
  }

  /** Makes a soft-deleted stream readable again, beginning after its old events. */
  function undelete(blocks: NewBlock[], stream: string, from: number): void {
    const metadata = parseMetadata(states.of(stream).metadata);
    if (!metadata) return; // the stored metadata is no JSON object, so nothing can be added to it
    addEvents(blocks, metastreamOf(stream), [systemEvent("$metadata", Buffer.from(JSON.stringify({ ...metadata, $tb: from })))]);
  }

  async function append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<WriteOutcome> {
    const ids = (): string[] => events.map(idOf);
    let verdict = checkRevision(expected, ids, factsOf(stream));
    if (verdict.kind !== "append" && !states.isDurable(states.of(stream))) {
      await log.waitForAppends(); // a comparison of ids reads the stream's events
      storage.refresh();
      verdict = checkRevision(expected, ids, factsOf(stream));
    }
    if (verdict.kind === "append") return write(stream, events);
    return verdict.kind === "replay" ? acknowledgeAgain(stream, verdict.revision) : verdict;
  }

  /** Any write to a soft-deleted stream undeletes it, even one without events or one of new metadata. */
  async function write(stream: string, events: readonly ProposedEvent[]): Promise<WriteOutcome> {
    const blocks: NewBlock[] = [];
    const original = isMetastream(stream) ? streamOfMeta(stream) : stream;
    const { head, metadata } = states.of(original);
    const wasDeleted = isSoftDeleted(retentionOf(metadata));
    const nothing: Written = { kind: "written", revision: states.of(stream).head, position: log.committedEnd() };
    const outcome = events.length > 0 ? addEvents(blocks, stream, events) : nothing;
    if (wasDeleted) undelete(blocks, original, head + 1);
    if (blocks.length > 0) await log.append(blocks);
    return outcome;
  }

  async function acknowledgeAgain(stream: string, revision: number): Promise<WriteOutcome> {
    await log.waitForAppends(); // the first append must be durable before the repeated one is acknowledged
    storage.refresh();
    for (const block of storage.streamBlocksFrom(stream, revision)) {
      const isReadable = isVisible(streamViewOf(storage, stream), revision, block.createdAt);
      return { kind: "written", revision, position: isReadable ? partOf(block, (_, at) => at === revision).position : undefined };
    }
    throw new Error(`${stream} has no event ${revision}, which was appended before`);
  }

  /** A soft delete hides a stream's events by metadata, and the stream takes new ones. A hard delete ends the stream by a tombstone. */
  async function remove(stream: string, expected: ExpectedRevision, hard: boolean): Promise<WriteOutcome> {
    const facts = factsOf(stream);
    const verdict = checkRevision(expected, () => [randomUUID()], facts); // a new id, so never taken for a repeated append
    const isMissing = !hard && facts.head < 0 && !facts.hasMetadata;
    if (verdict.kind === "deleted") return verdict;
    if (verdict.kind !== "append" || isMissing) return { kind: "wrongVersion", current: facts.head };
    const blocks: NewBlock[] = [];
    const outcome = hard
      ? addEvents(blocks, stream, [systemEvent("$streamDeleted", Buffer.alloc(0), "application/octet-stream")], MAX_INT64)
      : addEvents(blocks, metastreamOf(stream), [systemEvent("$metadata", SOFT_DELETE)]);
    await log.append(blocks);
    return outcome;
  }

  /** As on EventStoreDB, $all begins with an event of the server, so that no application expects the first event to be its own. */
  const writeFirstEvent = () => append("$$$scavenges", "any", [systemEvent("$metadata", Buffer.from('{"$maxAge":2592000}'))]);

  return { append, remove, writeFirstEvent };
}

const systemEvent = (type: string, data: Buffer, contentType = "application/json"): ProposedEvent =>
  newEvent({ id: randomUUID(), type, contentType, data });

function* idsFrom(storage: Storage, stream: string, revision: number): Generator<string> {
  for (const block of storage.streamBlocksFrom(stream, revision)) {
    const { frames } = partOf(block, (_, at) => at >= revision);
    for (const frame of splitFrames(frames)) yield eventIn(frame).id;
  }
}

/** What the writer knows of a stream, including events that are still being written to the disk. */
export interface StreamState {
  /** The revision of the last event. -1 if there is none, MAX_INT64 after a tombstone. */
  head: number;
  metadata: Buffer | undefined;
  /** The end position of the last block. Until the log has committed that far, the state is ahead of the disk. */
  end: number;
}

const MAX_STATES = 10_000;

/** Loads states on first use. When there are too many, drops all except those that are ahead of the disk. */
export function createStreamStates(storage: Storage, log: CommitLog, maxStates = MAX_STATES) {
  const states = new Map<string, StreamState>();
  const isDurable = (state: StreamState): boolean => state.end <= log.committedEnd();

  return {
    isDurable,
    of(stream: string): StreamState {
      const known = states.get(stream);
      if (known) return known;
      // This comes before the new state is added, which must stay since the caller is about to change it.
      if (states.size >= maxStates) for (const [name, state] of states) if (isDurable(state)) states.delete(name);
      storage.refresh();
      const state = { head: storage.headOf(stream), metadata: storedMetadata(storage, stream), end: 0 };
      states.set(stream, state);
      return state;
    },
  };
}
