// The follower reads the event log, records the events for which webhooks are sent, and moves its checkpoint. One follower is active at a
// time. If the event log was replaced or restored, the follower starts again at its beginning. It knows recorded events by their ids.
import { setTimeout as pause } from "node:timers/promises";
import { deleteFollowerState, followerName, recordEvents } from "../../../commands/webhooks/deliveries.js";
import { webhookEventOf } from "../../../commands/webhooks/replay.js";
import { webhookEventsByType } from "../../../domain/webhooks/types.js";
import type { EventType } from "../../../events/registry.js";
import { streamPrefix } from "../../../events/streams.js";
import { LogTooShort } from "../../../portErrors.js";
import { type EventBatch, isAfter, type Position } from "../../../ports/eventStore.js";
import { CheckpointMovedBack, throwIfUnseen } from "../../../projections/running/applyBatch.js";
import {
  type Checkpoint,
  createCheckpoints,
  isSamePosition,
  moveCheckpointsSql,
  moveCheckpointsValues,
  readCheckpoints,
  startAfter,
} from "../../../projections/running/checkpoints.js";
import { keepActive } from "../../../projections/running/locks.js";
import { createLogGuard, type LogGuard, TablesOfAnotherLog } from "../../../projections/running/logGuard.js";
import type { WebhookWorkerDeps } from "../deps.js";

interface WebhookFollowerOptions extends WebhookWorkerDeps {
  /** Called when endpoints have new events to be sent. */
  readonly onEndpointsBehind: () => void;
}

const recordedTypes: readonly EventType[] = Object.values(webhookEventsByType).map((event) => event.recorded);
/** Types that begin with `Webhook` change endpoints. `LogCreated` has the event log's id, which the checkpoint stores. */
const typePrefixes = [...recordedTypes, "Webhook", "LogCreated"];
const eventsPerBatch = 1_000;
/** Batches without events move the checkpoint only this often: to read a little again after a restart costs less than many writes. */
const idleSaveMs = 1_000;
/** The pause after a batch, in which single events gather for the next one. */
const batchPauseMs = 50;

/** Follows the event log, or waits while another process does, until the signal aborts. */
export async function runFollower(options: WebhookFollowerOptions): Promise<void> {
  const { pool, logger, signal } = options;
  const ownGuard = createLogGuard(options, () => restartAtBeginning(options));
  // The projector writes the tables with the endpoints. While those tables are of another event log, the follower records no event.
  const tablesGuard = createLogGuard(options);
  const guard: LogGuard = async (ownCheckpoints) => {
    await tablesGuard(await readCheckpoints(pool, ["organisations"]));
    await ownGuard(ownCheckpoints);
  };
  const work = (followSignal: AbortSignal, onProgress: () => void) => follow(options, guard, followSignal, onProgress);
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

async function follow(options: WebhookFollowerOptions, guard: LogGuard, signal: AbortSignal, onProgress: () => void): Promise<void> {
  const { pool, eventStore } = options;
  const ownCheckpoints = await readCheckpoints(pool, [followerName]);
  await guard(ownCheckpoints);
  await createCheckpoints(pool, [followerName]);
  const checkpoint = ownCheckpoints.get(followerName) as Checkpoint;
  // As in the projector, reading starts after the last event and not at the checkpoint. An event between the two reveals another log.
  const from = startAfter(checkpoint.lastEvent?.position ?? checkpoint);
  let savedPosition: Position = checkpoint;
  let savedAt = 0;
  await eventStore.follow({ types: typePrefixes, from, maxBatch: eventsPerBatch, signal }, async (batch) => {
    throwIfUnseen(followerName, checkpoint, batch.events);
    const isDue = performance.now() - savedAt > idleSaveMs;
    if (!isAfter(batch.position, savedPosition)) {
      if (isDue && !isSamePosition((await readCheckpoints(pool, [followerName])).get(followerName), savedPosition))
        throw new CheckpointMovedBack("the webhooks' checkpoint has moved");
    } else if (batch.events.length > 0 || isDue) {
      await recordBatch(options, batch, savedPosition);
      savedPosition = batch.position;
      savedAt = performance.now();
      await pause(batchPauseMs, undefined, { signal }).catch(() => undefined);
    }
    onProgress();
  });
}

const moveFromSql = `${moveCheckpointsSql} and (commit, prepare) = (:fromCommit::bigint, :fromPrepare::bigint)`;

/**
 * Records a batch's events for which webhooks are sent, in the statement that moves the checkpoint. First updates the table of endpoints
 * from the batch, since a command that added an endpoint may have died before it did so. `savedPosition`: where the follower has set the
 * checkpoint. If the checkpoint is elsewhere, after a restore, throws CheckpointMovedBack, and the follower starts at the beginning.
 */
export async function recordBatch(
  { pool, organisations, onEndpointsBehind }: Pick<WebhookFollowerOptions, "pool" | "organisations" | "onEndpointsBehind">,
  batch: EventBatch,
  savedPosition: Position,
): Promise<void> {
  const [fromCommit, fromPrepare] = [String(savedPosition.commit), String(savedPosition.prepare)];
  for (const organisationId of changedOrganisations(batch)) await organisations.project(organisationId);
  const events = batch.events.flatMap((event) => webhookEventOf(event) ?? []);
  const move = {
    sql: moveFromSql,
    values: { names: [followerName], ...moveCheckpointsValues(batch), fromCommit, fromPrepare },
  };
  const { checkpointMoved, endpointsBehind } = await recordEvents(pool, events, move);
  if (!checkpointMoved) throw new CheckpointMovedBack(`the webhooks' checkpoint no longer stands at ${savedPosition.commit}`);
  if (endpointsBehind) onEndpointsBehind();
}

const changedOrganisations = ({ events }: EventBatch): ReadonlySet<string> =>
  new Set(
    events.flatMap(({ stream, type }) =>
      type.startsWith("Webhook") && stream.startsWith(streamPrefix.organisation) ? [stream.slice(streamPrefix.organisation.length)] : [],
    ),
  );
