// Follows `$all` for ever, or replays it up to its end: one subscription after another, each from behind the last event dealt
// with. The server ends a live subscription that lags by more than 32 events, so beginning anew is everyday work here.
import type { EventStoreDBClient } from "@eventstore/db-client";
import type { Logger } from "pino";
import { StoreUnavailable } from "../../portErrors.js";
import type { EventBatch, Position } from "../../ports.js";
import { isAfter } from "./conversion.js";
import { definiteFailure, isTooSlow } from "./failures.js";
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

/** Resolves with the position reached, when `until` is reached or the signal aborts. */
export async function run(following: Following, course: Course, deal: Deal): Promise<Position | undefined> {
  let reached = course.from;
  let failures = 0;
  const dealt: Deal = async (batch) => {
    try {
      await deal(batch);
    } catch (error) {
      throw new DealFailed(error);
    }
    reached = batch.position;
    failures = 0;
  };
  while (!course.signal?.aborted) {
    const client = following.newClient();
    try {
      const finished = await subscribeOnce(following, client, { ...course, from: reached }, dealt);
      if (finished) return reached;
    } catch (error) {
      if (error instanceof DealFailed) throw error.cause;
      const definite = definiteFailure(error, "$all", "a subscription to $all");
      if (definite) throw definite;
      const progressed = failures === 0;
      failures += 1;
      if (isTooSlow(error) && progressed) {
        following.logger.debug({ reached: String(reached?.commit) }, "live subscription fell behind, catching up");
        continue;
      }
      following.logger.warn({ err: error, failures }, "subscription ended, subscribing again");
      await backOff(failures, course.signal);
    } finally {
      await following.shutClient(client);
    }
  }
  return reached;
}

/** True when the course is finished; a subscription that breaks throws. */
async function subscribeOnce(following: Following, client: EventStoreDBClient, course: Course, deal: Deal): Promise<boolean> {
  // Read before subscribing: once caught up, everything up to here has passed, though none of it may have been ours.
  const endBefore = await following.head();
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
  const events = taken.events.filter((event) => isAfter(event.position, reached) && !(until && isAfter(event.position, until)));
  let position = taken.position && isAfter(taken.position, reached) ? taken.position : reached;
  if (taken.caughtUp && endBefore && isAfter(endBefore, position)) position = endBefore;
  if (until && position && isAfter(position, until)) position = until;
  if (position === undefined) return undefined;
  if (events.length === 0 && !taken.caughtUp && position === reached) return undefined;
  return { events, position, caughtUp: taken.caughtUp };
}

/** Silence is fine while the log has no more to tell; otherwise the subscription hangs, or only foreign events passed. */
async function proveIdle({ head, deadlineMs }: Following, reached: Position | undefined): Promise<void> {
  const end = await head(deadlineMs);
  if (end && isAfter(end, reached)) throw new StoreUnavailable("event store", "the subscription is silent though the log has grown");
}
