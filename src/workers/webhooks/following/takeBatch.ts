// Notes the events of a batch for the endpoints that are told of them, in the transaction that moves the checkpoint. The sender makes
// deliveries of them. If the batch comes again, events that are known already are known by their ids.
import { followerName, noteTold } from "../../../commands/webhooks/deliveries.js";
import { toldEvent } from "../../../commands/webhooks/replay.js";
import { streamPrefix } from "../../../events/streams.js";
import { type EventBatch, isAfter, type Position } from "../../../ports/eventStore.js";
import { CheckpointMovedBack, throwIfUnseen } from "../../../projections/running/applyBatch.js";
import { lockCheckpoints, saveCheckpoints } from "../../../projections/running/checkpoints.js";
import type { WebhookWorkerDeps } from "../deps.js";

export interface TakeOptions extends Pick<WebhookWorkerDeps, "inTransaction" | "organisations"> {
  /** Called when there is something to send. */
  readonly onEnqueued: () => void;
}

/** First writes the endpoints that the batch adds to their table: the command that added one may have died before it did so. */
export async function takeBatch(options: TakeOptions, batch: EventBatch, after: Position | undefined): Promise<void> {
  for (const organisationId of changedBy(batch)) await options.organisations.project(organisationId);
  const noted = await options.inTransaction(async (client) => {
    const at = (await lockCheckpoints(client, [followerName])).get(followerName);
    if (!at) return 0;
    if (after && isAfter(after, at))
      throw new CheckpointMovedBack(`the webhooks' checkpoint stands at ${at.commit}, before ${after.commit}`);
    throwIfUnseen(followerName, at, batch.events);
    const fresh = batch.events.filter((event) => isAfter(event.position, at)).flatMap((event) => toldEvent(event) ?? []);
    if (fresh.length > 0) await noteTold(client, fresh);
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
