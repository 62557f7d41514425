// An error report that is missing from the object store is made again when a caller reads the import or follows the link.
import type { Pool } from "pg";
import type { Logger } from "pino";
import { askForReport } from "../../commands/imports/storedObjects.js";
import { uuidPattern } from "../../domain/uuid.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import { type RecentValues, recentValues, valuePerOwner } from "../../recentValues.js";

interface Deps {
  readonly pool: Pool;
  readonly objectStore: ObjectStore;
  readonly logger: Logger;
}

const lookAgainMs = 1_000;
const mostAtOnce = 4;
const mostRemembered = 2_000;

/** `at`: when each import's report was last looked for. */
const looksAt = valuePerOwner<ObjectStore, { running: number; at: RecentValues<number> }>(() => ({
  running: 0,
  at: recentValues(mostRemembered),
}));

/** Checks in the background, at most once a second per import, whether the linked report exists. A missing one is made by a worker. */
export function lookForReport({ pool, objectStore, logger }: Deps, importId: string, key: string): void {
  const looks = looksAt(objectStore);
  const now = performance.now();
  if (looks.running >= mostAtOnce || now - (looks.at.get(importId) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return;
  looks.at.set(importId, now);
  looks.running += 1;
  const look = async () => {
    if (await objectStore.exists(key)) return;
    logger.warn({ importId, key }, "an error report is no longer stored: it is made again");
    await askForReport(pool, importId);
  };
  void look()
    .catch((error: unknown) => logger.debug({ err: error, importId }, "could not check whether an error report is stored"))
    .finally(() => {
      looks.running -= 1;
    });
}

const reportKey = new RegExp(`^reports/(?:${uuidPattern}/)?(${uuidPattern})\\.xlsx$`);

/** The import whose report has this key, with or without a log id in it. */
export function importOfReport(key: string): string | undefined {
  return reportKey.exec(key)?.[1];
}
