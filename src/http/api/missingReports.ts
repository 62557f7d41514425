// An error report that is missing from the object store is made again when a caller reads the import or follows the link.
import type { Pool } from "pg";
import type { Logger } from "pino";
import { askForReport } from "../../commands/imports/storedObjects.js";
import { uuidPattern } from "../../domain/uuid.js";
import type { ObjectStore } from "../../ports/objectStore.js";

interface Deps {
  readonly pool: Pool;
  readonly objectStore: ObjectStore;
  readonly logger: Logger;
}

const lookAgainMs = 1_000;
const mostAtOnce = 4;
const mostRemembered = 2_000;

interface Looks {
  running: number;
  /** When each import's report was last looked for, oldest first. */
  readonly at: Map<string, number>;
}
const looksAt = new WeakMap<ObjectStore, Looks>();

/** Checks in the background, at most once a second per import, whether the linked report exists. A missing one is made by a worker. */
export function lookForReport({ pool, objectStore, logger }: Deps, importId: string, key: string): void {
  const looks = looksAt.get(objectStore) ?? { running: 0, at: new Map() };
  looksAt.set(objectStore, looks);
  const now = performance.now();
  if (looks.running >= mostAtOnce || now - (looks.at.get(importId) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return;
  looks.at.delete(importId);
  looks.at.set(importId, now);
  for (const oldest of looks.at.keys()) if (looks.at.size > mostRemembered) looks.at.delete(oldest);
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
