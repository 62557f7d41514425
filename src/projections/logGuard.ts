import { LogTooShort } from "../portErrors.js";
import type { EventStore } from "../ports.js";
import type { Checkpoints } from "./checkpoints.js";
import { beginning, isAfter, isSame, latest } from "./position.js";

export type LogGuard = (checkpoints: Checkpoints) => Promise<void>;

/** Found so often in a row it is certain: a cluster's follower may lag for a moment. */
const certain = 2;

/**
 * Refuses a log that ends before where a projection stands: it would take whatever comes next for something it has already. Once that is
 * certain, also when the log has grown past it meanwhile, since what it grew by was never seen; only a rebuild, which moves the checkpoints, ends that.
 */
export function createLogGuard(eventStore: EventStore): LogGuard {
  let refused = beginning;
  let times = 0;
  return async (checkpoints) => {
    const furthest = latest([...checkpoints.values()]);
    if (!isSame(refused, furthest)) times = 0;
    const end = await eventStore.head();
    if (times < certain && !isAfter(furthest, end ?? beginning)) return;
    refused = furthest;
    times += 1;
    throw new LogTooShort(furthest, end);
  };
}
