// src/commands holds the deciders and the functions that run them. A decider is pure: it takes the state, the time and the ids, and returns
// events. `handleCommand` reads a whole stream, decides and appends; importStream.ts does this for imports, whose streams are too long to be read.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { backOffMs } from "../backOff.js";
import { decodeOn, type EventContext, encode } from "../events/codec.js";
import type { EventOn, StreamKind } from "../events/registry.js";
import { streamOf } from "../events/streams.js";
import { StoreUnavailable, WrongVersion } from "../portErrors.js";
import { type EventStore, type NewEvent, noStream, type Revision } from "../ports/eventStore.js";
import { logIdOf } from "./logIdentity.js";

export interface Aggregate<S extends StreamKind, State> {
  readonly kind: S;
  readonly initial: () => State;
  /** `position`: the event's commit position in the event log. */
  readonly evolve: (state: State, event: EventOn<S>, revision: Revision, position: bigint) => State;
}

export interface CommandOutcome<S extends StreamKind, State> {
  /** The state that the decision was based on. */
  readonly before: State;
  readonly decided: readonly EventOn<S>[];
  /** The stream's revision afterwards. */
  readonly revision: Revision;
}

/** Loads, decides and appends. When another process has appended in between, it loads and decides again. No events, no append. */
export async function handleCommand<S extends StreamKind, State>(
  events: EventStore,
  aggregate: Aggregate<S, State>,
  id: string,
  context: EventContext,
  decide: (state: State, head: Revision) => readonly EventOn<S>[] | Promise<readonly EventOn<S>[]>,
): Promise<CommandOutcome<S, State>> {
  return retryConflicts(async () => {
    await logIdOf(events); // writes LogCreated first if the event log is empty
    const { state, head } = await loadState(events, aggregate, id);
    const decided = await decide(state, head);
    if (decided.length === 0) return { before: state, decided, revision: head };
    return { before: state, decided, revision: await appendDecision(events, aggregate.kind, id, { decided, context, head }) };
  });
}

/**
 * `head`: the revision that the decision was based on. Each chunk is appended at the exact revision after the one before, so that an append of
 * another process in between stops the rest.
 */
export async function appendDecision<S extends StreamKind>(
  events: EventStore,
  kind: S,
  id: string,
  { decided, context, head }: { decided: readonly EventOn<S>[]; context: EventContext; head: Revision },
): Promise<Revision> {
  const encoded = decided.map((event) => encode(event.type, event.data as never, context, randomUUID()));
  let revision = head;
  for (const chunk of chunksOf(encoded)) revision = (await events.append(streamOf[kind](id), chunk, revision)).revision;
  return revision;
}

/** The state that a stream's events lead to, and the stream's last revision. */
export async function loadState<S extends StreamKind, State>(
  events: EventStore,
  { kind, initial, evolve }: Aggregate<S, State>,
  id: string,
): Promise<{ state: State; head: Revision }> {
  let state = initial();
  let head = noStream;
  for await (const stored of events.read(streamOf[kind](id))) {
    head = stored.revision;
    const event = decodeOn(kind, stored);
    if (event) state = evolve(state, event as EventOn<S>, head, stored.position.commit);
  }
  return { state, head };
}

const maxEvents = 500;
/** The server takes 1 MiB per append; ids, types and framing are not counted here. */
const maxBytes = 800 * 1024;

function* chunksOf(all: readonly NewEvent[]): Generator<NewEvent[]> {
  let chunk: NewEvent[] = [];
  let bytes = 0;
  for (const event of all) {
    const size = Buffer.byteLength(event.json) + Buffer.byteLength(JSON.stringify(event.metadata));
    if (chunk.length > 0 && (chunk.length >= maxEvents || bytes + size > maxBytes)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(event);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

const withinMs = 5_000;
const pauses = { firstMs: 20, mostMs: 250 };

/** By stream: the last of this process's callers that try again. Each one waits for the one before it. */
const lastInLine = new Map<string, Promise<unknown>>();

/**
 * Runs `attempt` again when someone else has appended to its stream in between. This process's callers that had a conflict try one by one; those
 * of other processes are avoided by pauses of random length. If conflicts do not end, the caller is told to come back: its last append was refused.
 */
export async function retryConflicts<Result>(attempt: (conflicts: number) => Promise<Result>, limitMs = withinMs): Promise<Result> {
  const deadline = performance.now() + limitMs;
  try {
    return await attempt(0);
  } catch (error) {
    if (!(error instanceof WrongVersion)) throw error;
    return takeTurns(error.stream, () => tryAgain(attempt, error, deadline));
  }
}

async function tryAgain<Result>(attempt: (conflicts: number) => Promise<Result>, first: WrongVersion, deadline: number): Promise<Result> {
  let cause = first;
  for (let conflicts = 1; performance.now() < deadline; conflicts += 1) {
    try {
      return await attempt(conflicts);
    } catch (error) {
      if (!(error instanceof WrongVersion)) throw error;
      cause = error;
      await pause(backOffMs(conflicts, pauses));
    }
  }
  throw new StoreUnavailable("event store", "Too many changes to the same thing at the moment, try again shortly", { cause });
}

async function takeTurns<Result>(stream: string, work: () => Promise<Result>): Promise<Result> {
  const before = lastInLine.get(stream) ?? Promise.resolve();
  const mine = before.then(work, work);
  lastInLine.set(stream, mine);
  try {
    return await mine;
  } finally {
    if (lastInLine.get(stream) === mine) lastInLine.delete(stream);
  }
}
