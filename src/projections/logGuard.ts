import { LogTooShort } from "../portErrors.js";
import type { EventStore } from "../ports.js";
import type { Checkpoints } from "./checkpoints.js";
import { beginning, isAfter, isSame, latest } from "./position.js";

export type LogGuard = (checkpoints: Checkpoints) => Promise<void>;

/** Found so often in a row it is certain: a cluster's follower may lag for a moment. */
const certain = 3;

/**
 * Refuses a log that ends before where a projection stands: it would take whatever comes next for something it has already. Once that is
 * certain `onCertain` is to see to it that it stays so: the log may grow past that position, and what it grew by was never seen.
 */
export function createLogGuard(eventStore: EventStore, onCertain: () => Promise<void> = async () => undefined): LogGuard {
  let refused = beginning;
  let times = 0;
  return async (checkpoints) => {
    const furthest = latest([...checkpoints.values()]);
    if (!isSame(refused, furthest)) times = 0;
    const end = await eventStore.head();
    if (!isAfter(furthest, end ?? beginning)) return;
    refused = furthest;
    times += 1;
    if (times === certain) await onCertain();
    throw new LogTooShort(furthest, end);
  };
}
