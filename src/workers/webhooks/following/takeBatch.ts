// Adds the deliveries for a batch of events. Endpoints that work get theirs first, so that a thousand failing ones do not delay them. The
// checkpoint moves with the rest. If the batch comes again, deliveries that exist already are known by the event's id.
import { endpointsOf, enqueueTold } from "../../../commands/webhooks/deliveries.js";
import { toldEvent } from "../../../commands/webhooks/replay.js";
import { streamPrefix } from "../../../events/streams.js";
import { type EventBatch, isAfter, type Position, type StoredEvent } from "../../../ports/eventStore.js";
import { CheckpointMovedBack, throwIfUnseen } from "../../../projections/running/applyBatch.js";
import { lockCheckpoints, saveCheckpoints } from "../../../projections/running/checkpoints.js";
import type { WebhookWorkerDeps } from "../deps.js";
import { slicesOf } from "./slices.js";

export interface TakeOptions extends Pick<WebhookWorkerDeps, "pool" | "inTransaction" | "organisations"> {
  /** Called when there is something to send. */
  readonly onEnqueued: () => void;
}

/** The name of the follower's checkpoint, which is a row beside those of the projections. */
export const followerName = "webhooks";
/** With at most this many deliveries to endpoints that do not work, those that work get no transaction of their own. */
const few = 200;

/** First writes the endpoints that the batch adds to their table: the command that added one may have died before it did so. */
export async function takeBatch(options: TakeOptions, batch: EventBatch, after: Position | undefined): Promise<void> {
  for (const organisationId of changedBy(batch)) await options.organisations.project(organisationId);
  const told = batch.events.flatMap((event) => toldEvent(event) ?? []);
  const endpoints = await endpointsOf(options.pool, new Set(told.map(({ organisationId }) => organisationId)));
  const of = (event: StoredEvent) => (toldEvent(event) ? endpoints.get(event.metadata.organisation) : undefined);
  const [all, working] = [(event: StoredEvent) => of(event)?.all ?? 0, (event: StoredEvent) => of(event)?.working.length ?? 0];
  if (batch.events.reduce((sum, event) => sum + all(event) - working(event), 0) > few) {
    // Chosen once for the whole batch: an endpoint that began to work in the middle of it would get an import's end before its start.
    const only = [...endpoints.values()].flatMap((each) => each.working);
    for (const events of slicesOf(batch.events, working))
      if (events.some((event) => working(event) > 0)) await enqueue(options, { ...batch, events }, { only, after });
  }
  let reached = after;
  for (const part of partsOf(batch, all)) {
    await enqueue(options, part, { after: reached });
    reached = part.position;
  }
}

const changedBy = ({ events }: EventBatch): ReadonlySet<string> =>
  new Set(
    events.flatMap(({ stream, type }) =>
      type.startsWith("Webhook") && stream.startsWith(streamPrefix.organisation) ? [stream.slice(streamPrefix.organisation.length)] : [],
    ),
  );

/** Splits a batch that adds many deliveries into several. The last one has the batch's own position. */
function partsOf(batch: EventBatch, rowsOf: (event: StoredEvent) => number): EventBatch[] {
  const parts = slicesOf(batch.events, rowsOf).map((events): EventBatch => {
    const last = events.at(-1);
    return { events, position: last?.position ?? batch.position, caughtUp: false };
  });
  return [...parts.slice(0, -1), { ...batch, events: parts.at(-1)?.events ?? [] }];
}

/** Adds the deliveries and moves the checkpoint. With `only` it adds those of some endpoints and leaves the checkpoint. */
async function enqueue(
  { inTransaction, onEnqueued }: TakeOptions,
  part: EventBatch,
  { only, after }: { readonly only?: readonly string[]; readonly after: Position | undefined },
): Promise<void> {
  const enqueued = await inTransaction(async (client) => {
    const at = (await lockCheckpoints(client, [followerName])).get(followerName);
    if (!at) return 0;
    if (after && isAfter(after, at))
      throw new CheckpointMovedBack(`the webhooks' checkpoint stands at ${at.commit}, before ${after.commit}`);
    throwIfUnseen(followerName, at, part.events);
    const fresh = part.events.filter((event) => isAfter(event.position, at)).flatMap((event) => toldEvent(event) ?? []);
    const added = fresh.length === 0 ? 0 : await enqueueTold(client, fresh, only);
    if (!only) await saveCheckpoints(client, [followerName], part);
    return added;
  });
  if (enqueued > 0) onEnqueued();
}
