// When a caller reads an import or follows its report link, an error report that the object store has lost is made again.
import { askForReport } from "../../commands/imports/storedObjects.js";
import { uuidPattern } from "../../domain/uuid.js";
import { recentValues } from "../../recentValues.js";
import type { ApiDeps } from "./deps.js";

const minCheckIntervalMs = 1_000;
const maxRunningChecks = 4;
const maxRememberedImports = 2_000;

/** By import: when its report was last checked, on performance.now()'s clock. */
const lastCheckedAtMs = recentValues<number>(maxRememberedImports);
let runningChecks = 0;

/** Checks in the background, at most once a second per import, whether its report is stored. A worker makes a missing one again. */
export function checkStoredReport(
  { pool, objectStore, logger }: Pick<ApiDeps, "pool" | "objectStore" | "logger">,
  importId: string,
  reportKey: string,
): void {
  const now = performance.now();
  if (runningChecks >= maxRunningChecks || now - (lastCheckedAtMs.get(importId) ?? Number.NEGATIVE_INFINITY) < minCheckIntervalMs) return;
  lastCheckedAtMs.set(importId, now);
  runningChecks += 1;
  const check = async () => {
    if (await objectStore.exists(reportKey)) return;
    logger.warn({ importId, key: reportKey }, "an error report is no longer stored: it is made again");
    await askForReport(pool, importId);
  };
  void check()
    .catch((error: unknown) => logger.debug({ err: error, importId }, "could not check whether an error report is stored"))
    .finally(() => {
      runningChecks -= 1;
    });
}

const reportKeyPattern = new RegExp(`^reports/(?:${uuidPattern}/)?(${uuidPattern})\\.xlsx$`);

/** The import whose report has this key in the object store. Older keys have no log id before the import's id. */
export const importIdOfReport = (key: string): string | undefined => reportKeyPattern.exec(key)?.[1];
