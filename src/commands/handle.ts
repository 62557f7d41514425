// src/commands holds the deciders and the functions that run them. A decider is pure: it is given the state, the time and the
// ids, and answers with events. `handle` is the one way from a decision to the stream.
import { decode, type EventContext, encode, type RecordedEvent } from "../events/codec.js";
import type { EventDataOf, EventType } from "../events/registry.js";
import { WrongVersion } from "../portErrors.js";
import { type EventStore, noStream, type Revision } from "../ports.js";
import { appendInChunks } from "./chunks.js";
import { logIdOf } from "./logIdentity.js";

/** An event that was decided and is not yet recorded. */
export type Decided = { [T in EventType]: { readonly type: T; readonly data: EventDataOf<T> } }[EventType];

export interface Aggregate<State> {
  readonly stream: string;
  readonly initial: () => State;
  readonly evolve: (state: State, event: RecordedEvent) => State;
}

export interface Handling {
  readonly events: EventStore;
  readonly newId: () => string;
}

export interface Handled<State> {
  /** What the decision was based on. */
  readonly before: State;
  readonly decided: readonly Decided[];
  /** The stream's revision afterwards. */
  readonly revision: Revision;
}

const attempts = 10;

/** Loads, decides, appends; decides again on what it finds when somebody else was quicker. Deciding nothing appends nothing. */
export async function handle<State>(
  { events, newId }: Handling,
  aggregate: Aggregate<State>,
  context: EventContext,
  decide: (state: State, head: Revision) => readonly Decided[],
): Promise<Handled<State>> {
  await logIdOf(events); // the first event of a log says whose it is
  for (let attempt = 1; ; attempt++) {
    const { state, head } = await load(events, aggregate);
    const decided = decide(state, head);
    if (decided.length === 0) return { before: state, decided, revision: head };
    const encoded = decided.map((event) => encode(event.type, event.data as never, context, newId()));
    try {
      const revision = await appendInChunks(events, aggregate.stream, encoded, head);
      return { before: state, decided, revision };
    } catch (error) {
      if (!(error instanceof WrongVersion) || attempt === attempts) throw error;
    }
  }
}

async function load<State>(events: EventStore, aggregate: Aggregate<State>): Promise<{ state: State; head: Revision }> {
  let state = aggregate.initial();
  let head = noStream;
  for await (const stored of events.read(aggregate.stream)) {
    head = stored.revision;
    const event = decode(stored);
    if (event) state = aggregate.evolve(state, event);
  }
  return { state, head };
}
