// src/commands holds the deciders and the functions that run them. A decider is pure: it takes the state, the time and the ids, and returns
// events. `handleCommand` reads a whole stream, decides and appends. Imports' streams are too long for that: see importStream.ts.
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
  readonly stateBefore: State;
  readonly newEvents: readonly EventOn<S>[];
  /** The stream's last revision after the append. */
  readonly revision: Revision;
}

/** Loads, decides and appends. If another append came in between, it loads and decides again. A decision without events appends nothing. */
export async function handleCommand<S extends StreamKind, State>(
  eventStore: EventStore,
  aggregate: Aggregate<S, State>,
  id: string,
  context: EventContext,
  decide: (state: State, head: Revision) => readonly EventOn<S>[] | Promise<readonly EventOn<S>[]>,
): Promise<CommandOutcome<S, State>> {
  return retryConflicts(async () => {
    await logIdOf(eventStore); // writes LogCreated first if the event log is empty
    const { state, head } = await loadState(eventStore, aggregate, id);
    const newEvents = await decide(state, head);
    const revision = await appendDecision(eventStore, aggregate.kind, id, { newEvents, context, head });
    return { stateBefore: state, newEvents, revision };
  });
}

/** Appends the events in chunks. Each chunk expects the revision before it, `head` at first, so after another append the rest fail. */
export async function appendDecision<S extends StreamKind>(
  eventStore: EventStore,
  kind: S,
  id: string,
  { newEvents, context, head }: { newEvents: readonly EventOn<S>[]; context: EventContext; head: Revision },
): Promise<Revision> {
  const encoded = newEvents.map((event) => encode(event.type, event.data as never, context, randomUUID()));
  let revision = head;
  for (const chunk of chunksOf(encoded)) revision = (await eventStore.append(streamOf[kind](id), chunk, revision)).revision;
  return revision;
}

/** The state that a stream's events lead to, and the stream's last revision. */
export async function loadState<S extends StreamKind, State>(
  eventStore: EventStore,
  { kind, initial, evolve }: Aggregate<S, State>,
  id: string,
): Promise<{ state: State; head: Revision }> {
  let state = initial();
  let head = noStream;
  for await (const stored of eventStore.read(streamOf[kind](id))) {
    head = stored.revision;
    const event = decodeOn(kind, stored);
    if (event) state = evolve(state, event as EventOn<S>, head, stored.position.commit);
  }
  return { state, head };
}

const maxEventsPerAppend = 500;
/** The server accepts 1 MiB per append. This limit leaves room for ids, types and framing, which `chunksOf` does not count. */
const maxBytesPerAppend = 800 * 1024;

function* chunksOf(events: readonly NewEvent[]): Generator<NewEvent[]> {
  let chunk: NewEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event.json) + Buffer.byteLength(JSON.stringify(event.metadata));
    if (chunk.length > 0 && (chunk.length >= maxEventsPerAppend || bytes + size > maxBytesPerAppend)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(event);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

const maxConflictMs = 5_000;
const conflictPauses = { firstMs: 20, maxMs: 250 };

/** By stream: the newest retry in this process. The next retry waits for it. */
const lastRetries = new Map<string, Promise<unknown>>();

type Attempt<Result> = (conflicts: number) => Promise<Result>;

/**
 * Runs `attempt` again when another append to its stream came first. Callers in this process retry one after the other; pauses of random
 * length avoid conflicts with other processes. If conflicts do not end, throws StoreUnavailable: the last append was refused.
 */
export async function retryConflicts<Result>(attempt: Attempt<Result>, limitMs = maxConflictMs): Promise<Result> {
  const deadline = performance.now() + limitMs;
  try {
    return await attempt(0);
  } catch (error) {
    if (!(error instanceof WrongVersion)) throw error;
    return runAfterOthers(error.stream, () => retryUntilDeadline(attempt, error, deadline));
  }
}

async function retryUntilDeadline<Result>(attempt: Attempt<Result>, firstConflict: WrongVersion, deadline: number): Promise<Result> {
  let lastConflict = firstConflict;
  for (let conflicts = 1; performance.now() < deadline; conflicts += 1) {
    try {
      return await attempt(conflicts);
    } catch (error) {
      if (!(error instanceof WrongVersion)) throw error;
      lastConflict = error;
      await pause(backOffMs(conflicts, conflictPauses));
    }
  }
  throw new StoreUnavailable("event store", "The same data is being changed by other calls, try again shortly", { cause: lastConflict });
}

async function runAfterOthers<Result>(stream: string, run: () => Promise<Result>): Promise<Result> {
  const previous = lastRetries.get(stream) ?? Promise.resolve();
  const current = previous.then(run, run);
  lastRetries.set(stream, current);
  try {
    return await current;
  } finally {
    if (lastRetries.get(stream) === current) lastRetries.delete(stream);
  }
}
