import { channels } from "../../ports/notices.js";
import { doorbell } from "../waiting/doorbell.js";
import { repeatUntilStopped } from "../waiting/repeatUntilStopped.js";
import { deleteOldDeliveries } from "./deleteOldDeliveries.js";
import type { WebhookWorkerDeps } from "./deps.js";
import { runFollower } from "./following/followLog.js";
import { runSender } from "./sending/runSender.js";

const upkeepMs = 60_000;

/** Runs beside the imports of a worker process until the signal aborts. */
export async function runWebhooks(deps: WebhookWorkerDeps): Promise<void> {
  const bell = doorbell(deps.signal);
  const endHearing = deps.notices?.on(channels.deliveriesDue, () => bell.ring());
  await Promise.all([
    runFollower({ ...deps, onEnqueued: bell.ring }),
    runSender(deps, bell),
    repeatUntilStopped("cleaning up deliveries", upkeepMs, deps, () => deleteOldDeliveries(deps.pool)),
  ]);
  endHearing?.();
}
