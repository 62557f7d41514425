// Checks the object store when a role starts: wrong settings end the start, an outage does not.
import type { Logger } from "pino";
import { StoreUnavailable } from "../portErrors.js";
import type { ObjectStore } from "../ports/objectStore.js";
import { retryUntilUp } from "./adapters.js";

/** For the API, which stores submissions. During an outage the bucket is created later, and other requests are served meanwhile. */
export async function prepareObjects(objectStore: ObjectStore, logger: Logger, signal: AbortSignal): Promise<void> {
  try {
    await objectStore.prepare();
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error.fault === "misconfigured") throw error;
    logger.warn({ err: error }, "the object store is not available: pushes are answered 503 until it is");
    void retryUntilUp(() => objectStore.prepare(), logger, signal).catch((fault: unknown) =>
      logger.error({ err: fault }, "the object store cannot be used"),
    );
  }
}

/** For a worker, which creates no bucket: with a wrong name in the settings it would find an empty bucket and fail the imports. */
export async function checkObjects(objectStore: ObjectStore, logger: Logger): Promise<void> {
  try {
    await objectStore.ping();
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error.fault === "misconfigured") throw error;
    logger.warn({ err: error }, "the object store cannot be used: imports wait until it can");
  }
}
