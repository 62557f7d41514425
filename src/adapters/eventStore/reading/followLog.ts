// Follows `$all` for ever, or replays it up to its end. It opens one subscription after another, each from the position reached. The server
// ends a live subscription that lags by more than 32 events, so subscribing again is the normal case.
import type { EventStoreDBClient } from "@eventstore/db-client";
import type { Logger } from "pino";
import { LogTooShort, StoreUnavailable } from "../../../portErrors.js";
import { type EventBatch, isAfter, logStart, type Position, type StoredEvent } from "../../../ports/eventStore.js";
import { newClient, pauseBeforeRetry, pauseFor } from "../connection.js";
import { definiteFailure, isForeignPosition, isNotLeader, isTooSlow } from "../failures.js";
import { type SubscriptionFilter, subscribeRequest } from "../protocol/readRequest.js";
import { closeClient, openReadCall } from "../vendor.js";
import { type FeedBatch, openEventFeed } from "./eventFeed.js";
import type { ReadHead } from "./readStream.js";

export interface FollowOptions {
  readonly address: string;
  readonly head: ReadHead;
  readonly logger: Logger;
  readonly deadlineMs: number;
  /** After this much silence the end of the log is read, to see whether the subscription should have sent something. */
  readonly stallMs: number;
}

interface SubscriptionRange {
  readonly filter: SubscriptionFilter;
  readonly from: Position | undefined;
  readonly maxBatch: number;
  readonly signal: AbortSignal | undefined;
  /** Where a replay stops: at the log's end as the leader reported it, or before. Undefined for following, which never stops. */
  readonly until: Position | undefined;
}

// After fewer silences in a row, a subscription that has caught up counts as idle if the log has not grown since the subscription began.
const maxSilences = 6;

type OnBatch = (batch: EventBatch) => Promise<void>;

/** Marks an error that the caller's `onBatch` has thrown. It ends the subscription; errors of the store only interrupt it. */
class OnBatchFailed extends Error {
  constructor(override readonly cause: unknown) {
    super("the batch could not be handled");
  }
}

/** The subscription is silent although the log has grown: it hangs, or only events outside its filter passed. */
class Stalled extends Error {}

/** A caller waits for the end of a replay, so a replay gives up after this many failures in a row. Following never gives up. */
const maxReplayAttempts = 10;

/** Resolves when `until` is reached or the signal aborts, with the position that was reached. */
export async function followLog(options: FollowOptions, range: SubscriptionRange, onBatch: OnBatch): Promise<Position | undefined> {
  let reached = range.from;
  let failures = 0;
  let client = newClient(options.address); // for the subscription alone, so that giving it up disturbs no other call
  const handle: OnBatch = async (batch) => {
    await onBatch(batch).catch((error: unknown) => {
      throw new OnBatchFailed(error);
    });
    reached = batch.position;
    failures = 0;
  };
  try {
    while (!range.signal?.aborted) {
      try {
        const finished = await subscribeOnce(options, client, { ...range, from: reached }, handle);
        if (finished) return reached;
      } catch (error) {
        failures += 1;
        throwIfHopeless(error, { ...range, from: reached }, failures);
        logFailure(options.logger, error, failures);
        await (failures === 1 && isTooSlow(error) ? pauseFor(gatherMs, range.signal) : pauseBeforeRetry(failures, range.signal));
        if (isTooSlow(error) || isNotLeader(error)) continue; // the connection works, or the client connects to the leader by itself
        await closeClient(client);
        client = newClient(options.address);
      }
    }
    return reached;
  } finally {
    await closeClient(client);
  }
}

/** When events arrive faster than a live subscription takes them, a pause lets more come as one batch, which is cheaper per event. */
const gatherMs = 50;

function throwIfHopeless(error: unknown, { from, until }: SubscriptionRange, failures: number): void {
  if (error instanceof OnBatchFailed) throw error.cause;
  if (error instanceof LogTooShort) throw error;
  if (from && isForeignPosition(error)) throw new LogTooShort(from, undefined);
  const definite = definiteFailure(error, "$all", "a subscription to $all");
  if (definite && !(definite instanceof StoreUnavailable)) throw definite;
  if (until && failures >= maxReplayAttempts) {
    throw new StoreUnavailable("event store", `The log could not be read in ${failures} attempts`, { cause: error });
  }
}

/** Failures under load or at a change of leader are logged as warnings only if they happen twice without a batch in between. */
function logFailure(logger: Logger, error: unknown, failures: number): void {
  if (failures === 1 && isTooSlow(error)) logger.debug("live subscription fell behind, catching up");
  else if (failures === 1 && isNotLeader(error)) logger.debug("a replay turns to the leader");
  else if (failures === 1 && error instanceof Stalled) logger.debug("subscription silent, subscribing again");
  else logger.warn({ err: error, failures }, "subscription ended, subscribing again");
}

/**
 * Returns true when the end of the range is reached, false when the signal aborts. A subscription that breaks throws. Following may read
 * from a node that lacks events of the leader, so its position moves only by what the subscription reports. A replay reads from the leader,
 * so when it has caught up it has passed the end that the leader had reported, even if no event matched the filter.
 */
async function subscribeOnce(options: FollowOptions, client: EventStoreDBClient, range: SubscriptionRange, onBatch: OnBatch) {
  const endBefore = await options.head();
  const isReplay = range.until !== undefined;
  if (range.from && isAfter(range.from, endBefore ?? logStart)) throw new LogTooShort(range.from, endBefore);
  if (range.until && isAfter(range.until, endBefore)) throw new StoreUnavailable("event store", "the leader has not caught up yet");
  let reached = range.from;
  let [silences, hasCaughtUp] = [0, false];
  const feed = openEventFeed(openReadCall(client, subscribeRequest(range.filter, reached), isReplay), range.maxBatch);
  try {
    while (!range.signal?.aborted) {
      const feedBatch = await feed.take(options.stallMs, range.signal);
      if (range.signal?.aborted) break;
      if (feedBatch.state === "ended") throw new StoreUnavailable("event store", "the server closed the subscription");
      if (feedBatch.state === "silent") {
        silences += 1;
        await checkIdle(options, reached, hasCaughtUp && silences < maxSilences ? endBefore : undefined);
        if (reached) await onBatch({ events: [], position: reached, caughtUp: true });
        continue;
      }
      silences = 0;
      hasCaughtUp ||= feedBatch.caughtUp;
      const batch = batchOf(feedBatch, range, reached);
      if (batch) {
        await onBatch(batch);
        reached = batch.position;
      }
      if (range.until && (feedBatch.caughtUp || (reached && !isAfter(range.until, reached)))) return true;
    }
    return false;
  } finally {
    feed.stop();
  }
}

/** The batch for the caller; undefined when there is nothing new. Omits events that the server repeats after a reconnect. */
function batchOf(feedBatch: FeedBatch, { until }: SubscriptionRange, reached: Position | undefined): EventBatch | undefined {
  const events = eventsInBounds(feedBatch.events, reached, until);
  let position = feedBatch.position && isAfter(feedBatch.position, reached) ? feedBatch.position : reached;
  if (until && (feedBatch.caughtUp || (position && isAfter(position, until)))) position = until;
  if (events.length === 0 && !feedBatch.caughtUp && position === reached) return undefined;
  return { events, position: position ?? logStart, caughtUp: feedBatch.caughtUp };
}

/** The events within the bounds. They come in order, so the first and the last show whether all are within. */
function eventsInBounds(events: readonly StoredEvent[], after: Position | undefined, until: Position | undefined): readonly StoredEvent[] {
  const [first, last] = [events[0], events.at(-1)];
  const fits = first && last && isAfter(first.position, after) && !(until && isAfter(last.position, until));
  return fits ? events : events.filter(({ position }) => isAfter(position, after) && !(until && isAfter(position, until)));
}

/**
 * Throws if the log goes on after `reached`, since the subscription should then have sent something. `searched`, if set, is a later position
 * up to which the subscription has found no wanted event. Then the function throws only if the log goes on after `searched` too.
 */
async function checkIdle({ head, deadlineMs }: FollowOptions, reached: Position | undefined, searched: Position | undefined) {
  const end = await head(deadlineMs);
  if (!end || !isAfter(end, reached) || (searched && !isAfter(end, searched))) return;
  throw new Stalled("the subscription is silent though the log has grown");
}
