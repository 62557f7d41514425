import { setTimeout as pause } from "node:timers/promises";
import { backOffMs } from "../../../backOff.js";
import { noNotices } from "../../../ports/notices.js";
import { type Doorbell, waitUntilDue } from "../../waiting/doorbell.js";
import type { WebhookWorkerDeps } from "../deps.js";
import { type FreeSlots, nextDeliveryInMs, type SendingSlot } from "./chooseDeliveries.js";
import { type ClaimedDelivery, claimDeliveries, releaseLostClaims } from "./claimDeliveries.js";
import { deliver } from "./deliver.js";
import { createOutcomeWriter } from "./outcomes.js";

/**
 * How many requests this process may have in flight. An endpoint that hangs holds a slot for 15 s, so a quarter of the slots is kept for
 * endpoints that work.
 */
const slots = { inAll: 2_000, further: 500, new: 1_000, failing: 500 };
const pollMs = 500;
/** The pause between two claims, since each looks at every endpoint. */
const gatherMs = 20;
const outagePauses = { firstMs: 500, mostMs: 10_000 };

/** Sends until the signal aborts; then requests in flight are cut off and their deliveries put back, for the next process that claims them. */
export async function runSender(deps: WebhookWorkerDeps, bell: Doorbell): Promise<void> {
  const { pool, logger, signal, notices = noNotices } = deps;
  const running = new Map<Promise<void>, ClaimedDelivery>();
  const outcomes = createOutcomeWriter(deps);
  let outages = 0;
  const underWay = new Set<string>();
  const begin = (delivery: ClaimedDelivery) => {
    // Its claim ran out while this process was frozen, and this process has just claimed it again. It needs no second request.
    if (underWay.has(delivery.id)) return;
    underWay.add(delivery.id);
    const run = deliver(deps, delivery, outcomes)
      .catch((error: unknown) => logger.warn({ err: error, eventId: delivery.eventId }, "a delivery was interrupted; it is sent again"))
      .finally(() => {
        running.delete(run);
        underWay.delete(delivery.id);
        bell.ring();
      });
    running.set(run, delivery);
  };
  while (!signal.aborted) {
    try {
      if (outages > 0) await releaseLostClaims(deps, running.values());
      const room = roomBeside([...running.values()]);
      const claimed = room.inAll > 0 ? await claimDeliveries(deps, room) : [];
      outages = 0;
      for (const delivery of claimed ?? []) begin(delivery);
      if (claimed?.length === 0) await waitUntilDue(bell, { pollMs, isTold: notices.arrive, dueInMs: () => nextDeliveryInMs(pool) });
      await pause(gatherMs, undefined, { signal }).catch(() => undefined);
    } catch (error) {
      outages += 1;
      logger.warn({ err: error }, "deliveries of webhooks cannot be claimed; trying again");
      await bell.pause(backOffMs(outages, outagePauses));
    }
  }
  await Promise.all(running.keys());
}

function roomBeside(running: readonly ClaimedDelivery[]): FreeSlots {
  const taken = (slot: SendingSlot) => running.filter((delivery) => delivery.slot === slot).length;
  return {
    inAll: slots.inAll - running.length,
    further: Math.max(0, slots.further - taken("further")),
    new: Math.max(0, slots.new - taken("new")),
    failing: Math.max(0, slots.failing - taken("failing")),
  };
}
