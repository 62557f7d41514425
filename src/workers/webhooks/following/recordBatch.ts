// Records the events of a batch that webhooks are sent for, in the transaction that moves the checkpoint. The sender makes deliveries of them.
// If a batch comes again, its events are recognised by their ids.
import { followerName, recordEvents } from "../../../commands/webhooks/deliveries.js";
import { webhookEventOf } from "../../../commands/webhooks/replay.js";
import { streamPrefix } from "../../../events/streams.js";
import { type EventBatch, isAfter, type Position } from "../../../ports/eventStore.js";
import { CheckpointMovedBack, throwIfUnseen } from "../../../projections/running/applyBatch.js";
import { lockCheckpoints, saveCheckpoints } from "../../../projections/running/checkpoints.js";
import type { WebhookWorkerDeps } from "../deps.js";

export interface RecordBatchOptions extends Pick<WebhookWorkerDeps, "inTransaction" | "organisations"> {
  /** Called when there is something to send. */
  readonly onEnqueued: () => void;
}

/** First writes the endpoints that the batch adds to their table: the command that added one may have died before it did so. */
export async function recordBatch(options: RecordBatchOptions, batch: EventBatch, after: Position | undefined): Promise<void> {
  for (const organisationId of changedBy(batch)) await options.organisations.project(organisationId);
  const noted = await options.inTransaction(async (client) => {
    const at = (await lockCheckpoints(client, [followerName])).get(followerName);
    if (!at) return 0;
    if (after && isAfter(after, at))
      throw new CheckpointMovedBack(`the webhooks' checkpoint stands at ${at.commit}, before ${after.commit}`);
    throwIfUnseen(followerName, at, batch.events);
    const fresh = batch.events.filter((event) => isAfter(event.position, at)).flatMap((event) => webhookEventOf(event) ?? []);
    if (fresh.length > 0) await recordEvents(client, fresh);
    await saveCheckpoints(client, [followerName], batch);
    return fresh.length;
  });
  if (noted > 0) options.onEnqueued();
}

const changedBy = ({ events }: EventBatch): ReadonlySet<string> =>
  new Set(
    events.flatMap(({ stream, type }) =>
      type.startsWith("Webhook") && stream.startsWith(streamPrefix.organisation) ? [stream.slice(streamPrefix.organisation.length)] : [],
    ),
  );
