// The object store at the start of a role: settings that cannot work end it, an outage does not.
import type { Logger } from "pino";
import { StoreUnavailable } from "../portErrors.js";
import type { ObjectStore } from "../ports.js";
import { whenUp } from "./adapters.js";

/** For the role that stores submissions. A bucket that cannot be made now is made when the store is back; the rest is served meanwhile. */
export async function prepareObjects(objectStore: ObjectStore, logger: Logger, signal: AbortSignal): Promise<void> {
  try {
    await objectStore.prepare();
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error.fault === "misconfigured") throw error;
    logger.warn({ err: error }, "the object store is not available: pushes are answered once it is");
    void whenUp(() => objectStore.prepare(), logger, signal).catch((fault: unknown) =>
      logger.error({ err: fault }, "the object store cannot be used"),
    );
  }
}

/** For a worker, which makes no bucket: one with a wrong name would look like this log's own, without its files. */
export async function checkObjects(objectStore: ObjectStore, logger: Logger): Promise<void> {
  try {
    await objectStore.ping();
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error.fault === "misconfigured") throw error;
    logger.warn({ err: error }, "the object store cannot be used: imports wait until it can");
  }
}
