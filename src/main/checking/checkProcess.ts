// The program of a process that checks one file. It ends when it has sent its result, or when the API's process is gone.
import { bundledLocalities } from "../../adapters/localities/bundled.js";
import { readStoredLocalities } from "../../adapters/localities/storedLocalities.js";
import { spreadsheets } from "../../adapters/spreadsheets/spreadsheets.js";
import { compileCatalogue } from "../../domain/catalogue/catalogue.js";
import { createGeography } from "../../domain/geography/geography.js";
import { checkFile, readEvidence } from "../../judging/checkFile.js";
import { ImportFault } from "../../judging/importFault.js";
import { judgeReport } from "../../judging/report/judgeReport.js";
import { lowerPriority } from "../lowerPriority.js";
import type { MessageFromCheck, MessageToCheck } from "./checkProcesses.js";

const progressMs = 200;

let goOn: () => void = () => undefined;

lowerPriority();
process.on("disconnect", () => process.exit(0));
process.on("message", (message: MessageToCheck) => {
  if ("goOn" in message) goOn();
  else
    void check(message)
      .then(say)
      .then(() => process.disconnect());
});

async function check({ check, localities }: Extract<MessageToCheck, { check: unknown }>): Promise<MessageFromCheck> {
  const geography = createGeography((country) => {
    const path = localities[country];
    return path === undefined ? bundledLocalities(country) : readStoredLocalities(path);
  });
  let lastSaid = 0;
  try {
    const watch = {
      progress: (share: number) => {
        if (performance.now() - lastSaid < progressMs) return;
        lastSaid = performance.now();
        void say({ progress: share });
      },
      shipments: async (ids: readonly string[]) => {
        const dealtWith = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        await say({ shipments: ids });
        await dealtWith;
      },
    };
    if (!("catalogue" in check)) return { evidence: await readEvidence(spreadsheets, check, watch.progress) };
    const judging = { spreadsheets, catalogue: compileCatalogue(check.catalogue), geography };
    return { checked: await (check.report ? judgeReport(judging, check, check.report, watch) : checkFile(judging, check, watch)) };
  } catch (error) {
    if (error instanceof ImportFault || spreadsheets.isFileFault(error)) return { fault: error.message };
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** Resolves when the message is handed over to the API's process. */
function say(message: MessageFromCheck): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
  });
}
