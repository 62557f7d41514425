import { setTimeout as pause } from "node:timers/promises";
import type { Doorbell } from "../../waiting/doorbell.js";
import type { WebhookWorkerDeps } from "../deps.js";
import { type Claimed, claimDeliveries } from "./claim.js";
import { deliver } from "./deliver.js";

/** Of this process. A dead endpoint holds one place for 15 s at a time, and the dead together at most half of them. */
const inAll = 1_000;
const failing = 500;
const pollMs = 500;
/** Claims are gathered: each looks at every endpoint. */
const gatherMs = 20;
const mostOutageMs = 10_000;

/** Sends until the signal aborts; then requests in flight are cut off and their deliveries put back, for the next process that claims them. */
export async function runSender(deps: WebhookWorkerDeps, bell: Doorbell): Promise<void> {
  const { logger, signal } = deps;
  const running = new Map<Promise<void>, Claimed>();
  let outages = 0;
  const begin = (delivery: Claimed) => {
    const run = deliver(deps, delivery)
      .catch((error: unknown) => logger.warn({ err: error, eventId: delivery.eventId }, "a delivery was interrupted; it is sent again"))
      .finally(() => {
        running.delete(run);
        bell.ring();
      });
    running.set(run, delivery);
  };
  while (!signal.aborted) {
    try {
      const toFailing = [...running.values()].filter(({ endpointFailures }) => endpointFailures > 0).length;
      const room = { inAll: inAll - running.size, failing: Math.max(0, failing - toFailing) };
      const claimed = room.inAll > 0 ? await claimDeliveries(deps, room) : [];
      outages = 0;
      for (const delivery of claimed ?? []) begin(delivery);
      if (claimed?.length === 0) await bell.wait(pollMs);
      await pause(gatherMs, undefined, { signal }).catch(() => undefined);
    } catch (error) {
      outages += 1;
      logger.warn({ err: error }, "deliveries of webhooks cannot be claimed; trying again");
      await bell.pause(Math.min(mostOutageMs, 250 * 2 ** outages));
    }
  }
  await Promise.all(running.keys());
}
