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
 * How many requests this process may have in flight: in all, and of each bounded kind. A request to an endpoint that hangs holds its slot
 * for 15 s. New and failing endpoints, which may hang, hold at most three quarters of the slots, and leave a quarter to those that work.
 */
const maxSlots = { inAll: 2_000, further: 500, new: 1_000, failing: 500 };
const pollMs = 500;
/** The pause between claims, in which due deliveries gather for one claim, since each claim looks at every endpoint. */
const claimPauseMs = 20;
const outagePause = { firstMs: 500, maxMs: 10_000 };

/** Sends until the signal aborts. Requests in flight are then cut off, and their deliveries are put back for other processes. */
export async function runSender(deps: WebhookWorkerDeps, bell: Doorbell): Promise<void> {
  const { pool, logger, signal, notices = noNotices } = deps;
  const inFlight = new Map<string, { readonly delivery: ClaimedDelivery; readonly attempt: Promise<void> }>();
  const outcomes = createOutcomeWriter(deps);
  let failedClaims = 0; // in a row
  const startDelivery = (delivery: ClaimedDelivery) => {
    // The delivery's claim ended while this process was frozen, and this process has claimed it again. It needs no second request.
    if (inFlight.has(delivery.id)) return;
    const attempt = deliver(deps, delivery, outcomes)
      .catch((error: unknown) => logger.warn({ err: error, eventId: delivery.eventId }, "a delivery was interrupted; it is sent again"))
      .finally(() => {
        inFlight.delete(delivery.id);
        bell.ring();
      });
    inFlight.set(delivery.id, { delivery, attempt });
  };
  while (!signal.aborted) {
    try {
      const deliveries = [...inFlight.values()].map(({ delivery }) => delivery);
      if (failedClaims > 0) await releaseLostClaims(deps, [...inFlight.keys()]);
      const free = freeSlots(deliveries);
      const claimed = free.inAll > 0 ? await claimDeliveries(deps, free) : [];
      failedClaims = 0;
      for (const delivery of claimed ?? []) startDelivery(delivery);
      if (claimed?.length === 0)
        await waitUntilDue(bell, { pollMs, noticesArrive: notices.areArriving, dueInMs: () => nextDeliveryInMs(pool) });
      await pause(claimPauseMs, undefined, { signal }).catch(() => undefined);
    } catch (error) {
      failedClaims += 1;
      logger.warn({ err: error }, "deliveries of webhooks cannot be claimed; trying again");
      await bell.pause(backOffMs(failedClaims, outagePause));
    }
  }
  await Promise.all([...inFlight.values()].map(({ attempt }) => attempt));
}

function freeSlots(inFlight: readonly ClaimedDelivery[]): FreeSlots {
  const usedSlots = (slot: SendingSlot) => inFlight.filter((delivery) => delivery.slot === slot).length;
  return {
    inAll: maxSlots.inAll - inFlight.length,
    further: Math.max(0, maxSlots.further - usedSlots("further")),
    new: Math.max(0, maxSlots.new - usedSlots("new")),
    failing: Math.max(0, maxSlots.failing - usedSlots("failing")),
  };
}
