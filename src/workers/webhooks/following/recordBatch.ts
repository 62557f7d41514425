// Records the events of a batch that webhooks are sent for, in the statement that moves the checkpoint. The sender makes deliveries of them.
// If a batch comes again, its events are recognised by their ids.
import { followerName, recordEvents } from "../../../commands/webhooks/deliveries.js";
import { webhookEventOf } from "../../../commands/webhooks/replay.js";
import { streamPrefix } from "../../../events/streams.js";
import type { EventBatch, Position } from "../../../ports/eventStore.js";
import { CheckpointMovedBack } from "../../../projections/running/applyBatch.js";
import { moveSql, moveValues, valuesOf } from "../../../projections/running/checkpoints.js";
import type { WebhookWorkerDeps } from "../deps.js";

export interface RecordBatchOptions extends Pick<WebhookWorkerDeps, "pool" | "organisations"> {
  /** Called when there is something to send. */
  readonly onEnqueued: () => void;
}

const moveFromSql = `${moveSql} and (commit, prepare) = ($11::bigint, $12::bigint)`;

/**
 * First writes the endpoints that the batch adds to their table: the command that added one may have died before it did so. `stands`: where the
 * checkpoint stands. It stands elsewhere after a restore, and the follower then begins anew.
 */
export async function recordBatch(
  { pool, organisations, onEnqueued }: RecordBatchOptions,
  batch: EventBatch,
  stands: Position,
): Promise<void> {
  for (const organisationId of changedBy(batch)) await organisations.project(organisationId);
  const events = batch.events.flatMap((event) => webhookEventOf(event) ?? []);
  const move = { sql: moveFromSql, values: [[followerName], ...moveValues(batch), ...valuesOf(stands)] };
  const { moved, behind } = await recordEvents(pool, events, move);
  if (!moved) throw new CheckpointMovedBack(`the webhooks' checkpoint no longer stands at ${stands.commit}`);
  if (behind) onEnqueued();
}

const changedBy = ({ events }: EventBatch): ReadonlySet<string> =>
  new Set(
    events.flatMap(({ stream, type }) =>
      type.startsWith("Webhook") && stream.startsWith(streamPrefix.organisation) ? [stream.slice(streamPrefix.organisation.length)] : [],
    ),
  );
