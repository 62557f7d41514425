// The follower reads the event log, records the events that webhooks are sent for, and moves its checkpoint; the sender makes the deliveries. One
// follower is active at a time. If the event log is another one, or an earlier state of itself, the follower starts at its beginning: events that
// are recorded already are known by their ids.
import { setTimeout as pause } from "node:timers/promises";
import { deleteFollowerState, followerName, recordEvents } from "../../../commands/webhooks/deliveries.js";
import { webhookEventOf } from "../../../commands/webhooks/replay.js";
import { webhookEvents } from "../../../domain/webhooks/types.js";
import type { EventType } from "../../../events/registry.js";
import { streamPrefix } from "../../../events/streams.js";
import { LogTooShort } from "../../../portErrors.js";
import { type EventBatch, isAfter, type Position } from "../../../ports/eventStore.js";
import { CheckpointMovedBack, throwIfUnseen } from "../../../projections/running/applyBatch.js";
import {
  type Checkpoint,
  createCheckpoints,
  isSamePosition,
  moveSql,
  moveValues,
  readCheckpoints,
  startAfter,
} from "../../../projections/running/checkpoints.js";
import { keepActive } from "../../../projections/running/locks.js";
import { createLogGuard, type LogGuard, TablesOfAnotherLog } from "../../../projections/running/logGuard.js";
import type { WebhookWorkerDeps } from "../deps.js";

interface WebhookFollowerOptions extends WebhookWorkerDeps {
  /** Called when there are events that an endpoint was not sent yet. */
  readonly onEndpointsBehind: () => void;
}

const recordedTypes: readonly EventType[] = Object.values(webhookEvents).map((told) => told.recorded);
/** `Webhook…` changes endpoints; `LogCreated` has the event log's id, which the checkpoint stores. */
const typePrefixes = [...recordedTypes, "Webhook", "LogCreated"];
const eventsPerBatch = 1_000;
/** Batches without events move the checkpoint only this often: reading a little again after a restart costs less than writing each time. */
const idleSaveMs = 1_000;
/** The pause after a batch, so that single events form the next. */
const gatherMs = 50;

/** Resolves when the signal aborts. */
export async function runFollower(options: WebhookFollowerOptions): Promise<void> {
  const { pool, logger, signal } = options;
  const ownGuard = createLogGuard(options, () => restartAtBeginning(options));
  // The endpoints come from tables that the projector writes. While those tables were built from another event log, no event is recorded.
  const tablesGuard = createLogGuard(options);
  const guard: LogGuard = async (own) => {
    await tablesGuard(await readCheckpoints(pool, ["organisations"]));
    await ownGuard(own);
  };
  const work = (until: AbortSignal, progressed: () => void) => follow(options, guard, until, progressed);
  await keepActive({ pool, logger, signal, lock: "webhook follower" }, work, async (error, failures) => {
    if (error instanceof TablesOfAnotherLog && error.isCertain) await restartAtBeginning(options).catch(() => undefined);
    if (error instanceof LogTooShort || error instanceof TablesOfAnotherLog)
      logger.error({ err: error }, "no webhook event is recorded: the tables were built from another log");
    else logger.warn({ err: error, failures }, "following the log for webhooks was interrupted, it goes on from its checkpoint");
  });
}

async function restartAtBeginning({ inTransaction, logger }: WebhookFollowerOptions): Promise<void> {
  await inTransaction(deleteFollowerState);
  logger.warn(
    "the log is another one, or was restored: webhooks are looked for from its beginning, and those that were sent are not sent again",
  );
}

async function follow(options: WebhookFollowerOptions, guard: LogGuard, signal: AbortSignal, progressed: () => void): Promise<void> {
  const { pool, eventStore } = options;
  const own = await readCheckpoints(pool, [followerName]);
  await guard(own);
  await createCheckpoints(pool, [followerName]);
  const checkpoint = own.get(followerName) as Checkpoint;
  // As the projector does, reading starts after the last event and not at the checkpoint: an event between the two, which only another event log can
  // have, is noticed.
  const from = startAfter(checkpoint.lastEvent?.position ?? checkpoint);
  let saved: Position = checkpoint;
  let savedAt = 0;
  await eventStore.follow({ types: typePrefixes, from, maxBatch: eventsPerBatch, signal }, async (batch) => {
    throwIfUnseen(followerName, checkpoint, batch.events);
    const isDue = performance.now() - savedAt > idleSaveMs;
    if (!isAfter(batch.position, saved)) {
      if (isDue && !isSamePosition((await readCheckpoints(pool, [followerName])).get(followerName), saved))
        throw new CheckpointMovedBack("the webhooks' checkpoint has moved");
    } else if (batch.events.length > 0 || isDue) {
      await recordBatch(options, batch, saved);
      saved = batch.position;
      savedAt = performance.now();
      await pause(gatherMs, undefined, { signal }).catch(() => undefined);
    }
    progressed();
  });
}

const moveFromSql = `${moveSql} and (commit, prepare) = (:fromCommit::bigint, :fromPrepare::bigint)`;

/**
 * Records the events of a batch that webhooks are sent for, in the statement that moves the checkpoint; the sender makes deliveries of them. An
 * event that comes again is known by its id. Endpoints that the batch adds are first written to their table: the command that added one may have
 * died before it did so. `saved`: where the checkpoint was set to. After a restore it is elsewhere, and the follower starts at the beginning.
 */
export async function recordBatch(
  { pool, organisations, onEndpointsBehind }: Pick<WebhookFollowerOptions, "pool" | "organisations" | "onEndpointsBehind">,
  batch: EventBatch,
  saved: Position,
): Promise<void> {
  for (const organisationId of changedBy(batch)) await organisations.project(organisationId);
  const events = batch.events.flatMap((event) => webhookEventOf(event) ?? []);
  const move = {
    sql: moveFromSql,
    values: { names: [followerName], ...moveValues(batch), fromCommit: String(saved.commit), fromPrepare: String(saved.prepare) },
  };
  const { moved, behind } = await recordEvents(pool, events, move);
  if (!moved) throw new CheckpointMovedBack(`the webhooks' checkpoint no longer stands at ${saved.commit}`);
  if (behind) onEndpointsBehind();
}

const changedBy = ({ events }: EventBatch): ReadonlySet<string> =>
  new Set(
    events.flatMap(({ stream, type }) =>
      type.startsWith("Webhook") && stream.startsWith(streamPrefix.organisation) ? [stream.slice(streamPrefix.organisation.length)] : [],
    ),
  );
