// An error report that is missing from the object store is made again when a caller reads the import or follows the link.
import { askForReport } from "../../commands/imports/storedObjects.js";
import { uuidPattern } from "../../domain/uuid.js";
import { recentValues } from "../../recentValues.js";
import type { ApiDeps } from "./deps.js";

const lookAgainMs = 1_000;
const mostAtOnce = 4;
const mostRemembered = 2_000;

/** When each import's report was last looked for. */
const lookedAt = recentValues<number>(mostRemembered);
let running = 0;

/** Checks in the background, at most once a second per import, whether the linked report exists. A missing one is made by a worker. */
export function lookForReport(
  { pool, objectStore, logger }: Pick<ApiDeps, "pool" | "objectStore" | "logger">,
  importId: string,
  key: string,
): void {
  const now = performance.now();
  if (running >= mostAtOnce || now - (lookedAt.get(importId) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return;
  lookedAt.set(importId, now);
  running += 1;
  const look = async () => {
    if (await objectStore.exists(key)) return;
    logger.warn({ importId, key }, "an error report is no longer stored: it is made again");
    await askForReport(pool, importId);
  };
  void look()
    .catch((error: unknown) => logger.debug({ err: error, importId }, "could not check whether an error report is stored"))
    .finally(() => {
      running -= 1;
    });
}

const reportKey = new RegExp(`^reports/(?:${uuidPattern}/)?(${uuidPattern})\\.xlsx$`);

/** The import whose report has this key, with or without a log id in it. */
export const importOfReport = (key: string): string | undefined => reportKey.exec(key)?.[1];
