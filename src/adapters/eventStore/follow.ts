// Follows `$all` for ever, or replays it up to its end: one subscription after another, each from behind the last event dealt
// with. The server ends a live subscription that lags by more than 32 events, so beginning anew is everyday work here.
import { setTimeout as pause } from "node:timers/promises";
import type { EventStoreDBClient } from "@eventstore/db-client";
import type { Logger } from "pino";
import { LogTooShort, StoreUnavailable } from "../../portErrors.js";
import type { EventBatch, Position, StoredEvent } from "../../ports.js";
import { isAfter } from "./conversion.js";
import { definiteFailure, isForeignPosition, isTooSlow } from "./failures.js";
import { openFeed, type Taken } from "./feed.js";
import type { Head } from "./head.js";
import { backOff } from "./patience.js";
import { subscribeCall } from "./readCall.js";

export interface Following {
  /** A client of its own, so that giving up on a subscription disturbs no call. */
  readonly newClient: () => EventStoreDBClient;
  readonly shutClient: (client: EventStoreDBClient) => Promise<void>;
  readonly head: Head;
  readonly logger: Logger;
  readonly deadlineMs: number;
  /** Silence after which the subscription has to prove that there is nothing to tell. */
  readonly stallMs: number;
}

interface Course {
  readonly prefixes: readonly string[];
  readonly from: Position | undefined;
  readonly maxBatch: number;
  readonly signal: AbortSignal | undefined;
  /** Where to stop; undefined: never. */
  readonly until: Position | undefined;
}

type Deal = (batch: EventBatch) => Promise<void>;

/** Marks a failure of the caller's own, which ends the course; the store's failures only interrupt it. */
class DealFailed extends Error {
  constructor(override readonly cause: unknown) {
    super("the batch could not be dealt with");
  }
}

/** The subscription has nothing to say though the log has grown: it hangs, or only foreign events passed. */
class Stalled extends Error {}

/** A replay is somebody's command and must end; following goes on for ever. */
const replayAttempts = 10;

/** Resolves with the position reached, when `until` is reached or the signal aborts. */
export async function run(following: Following, course: Course, deal: Deal): Promise<Position | undefined> {
  let reached = course.from;
  let failures = 0;
  let client = following.newClient();
  const dealt: Deal = async (batch) => {
    await deal(batch).catch((error: unknown) => {
      throw new DealFailed(error);
    });
    reached = batch.position;
    failures = 0;
  };
  try {
    while (!course.signal?.aborted) {
      try {
        const finished = await subscribeOnce(following, client, { ...course, from: reached }, dealt);
        if (finished) return reached;
      } catch (error) {
        failures += 1;
        endIfHopeless(error, { ...course, from: reached }, failures);
        note(following.logger, error, failures);
        await (failures === 1 && isTooSlow(error) ? gather(course.signal) : backOff(failures, course.signal));
        if (isTooSlow(error)) continue; // the connection is fine
        await following.shutClient(client);
        client = following.newClient();
      }
    }
    return reached;
  } finally {
    await following.shutClient(client);
  }
}

const gatherMs = 50;

/** Events pour in faster than a live subscription takes them: a moment later more of them come as one batch, at far less cost each. */
async function gather(signal: AbortSignal | undefined): Promise<void> {
  await pause(gatherMs, undefined, signal ? { signal } : {}).catch(() => undefined);
}

function endIfHopeless(error: unknown, { from, until }: Course, failures: number): void {
  if (error instanceof DealFailed) throw error.cause;
  if (error instanceof LogTooShort) throw error;
  if (from && isForeignPosition(error)) throw new LogTooShort(from, undefined);
  const definite = definiteFailure(error, "$all", "a subscription to $all");
  if (definite && !(definite instanceof StoreUnavailable)) throw definite;
  if (until && failures >= replayAttempts) {
    throw new StoreUnavailable("event store", `The log could not be read in ${failures} attempts`, { cause: error });
  }
}

/** What happens every day is not worth a warning until it happens twice without an event in between. */
function note(logger: Logger, error: unknown, failures: number): void {
  if (failures === 1 && isTooSlow(error)) logger.debug("live subscription fell behind, catching up");
  else if (failures === 1 && error instanceof Stalled) logger.debug("subscription silent, subscribing again");
  else logger.warn({ err: error, failures }, "subscription ended, subscribing again");
}

/** True when the course is finished; a subscription that breaks throws. */
async function subscribeOnce(following: Following, client: EventStoreDBClient, course: Course, deal: Deal): Promise<boolean> {
  // Read before subscribing: once caught up, everything up to here has passed, though none of it may have been ours.
  const endBefore = await following.head();
  if (course.from && isAfter(course.from, endBefore)) throw new LogTooShort(course.from, endBefore);
  let reached = course.from;
  const feed = openFeed(subscribeCall(client, course.prefixes, reached), course.maxBatch);
  try {
    while (!course.signal?.aborted) {
      const taken = await feed.take(following.stallMs, course.signal);
      if (course.signal?.aborted) break;
      if (taken.state === "ended") throw new StoreUnavailable("event store", "the server closed the subscription");
      if (taken.state === "silent") {
        await proveIdle(following, reached);
        if (reached) await deal({ events: [], position: reached, caughtUp: true });
        continue;
      }
      const batch = batchOf(taken, course, reached, endBefore);
      if (batch) {
        await deal(batch);
        reached = batch.position;
      }
      if (course.until && (taken.caughtUp || (reached && !isAfter(course.until, reached)))) return true;
    }
    return false;
  } finally {
    feed.stop();
  }
}

/** Undefined when there is nothing new to tell. Events come once even if the server repeats one after a reconnect. */
function batchOf(taken: Taken, { until }: Course, reached: Position | undefined, endBefore: Position | undefined): EventBatch | undefined {
  const events = inBounds(taken.events, reached, until);
  let position = taken.position && isAfter(taken.position, reached) ? taken.position : reached;
  if (taken.caughtUp && endBefore && isAfter(endBefore, position)) position = endBefore;
  if (until && position && isAfter(position, until)) position = until;
  if (position === undefined) return undefined;
  if (events.length === 0 && !taken.caughtUp && position === reached) return undefined;
  return { events, position, caughtUp: taken.caughtUp };
}

/** Events come in order, so that looking at the ends tells whether any is out of bounds. */
function inBounds(events: readonly StoredEvent[], after: Position | undefined, until: Position | undefined): readonly StoredEvent[] {
  const [first, last] = [events[0], events.at(-1)];
  const fits = first && last && isAfter(first.position, after) && !(until && isAfter(last.position, until));
  return fits ? events : events.filter(({ position }) => isAfter(position, after) && !(until && isAfter(position, until)));
}

/** Silence is fine while the log has no more to tell. */
async function proveIdle({ head, deadlineMs }: Following, reached: Position | undefined): Promise<void> {
  const end = await head(deadlineMs);
  if (end && isAfter(end, reached)) throw new Stalled("the subscription is silent though the log has grown");
}
