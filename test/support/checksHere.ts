import { spreadsheets } from "../../src/adapters/spreadsheets/spreadsheets.js";
import { compileCatalogue } from "../../src/domain/catalogue/catalogue.js";
import type { Geography } from "../../src/domain/geography/geography.js";
import { Rejection } from "../../src/domain/rejection.js";
import { checkFile, readEvidence } from "../../src/judging/checkFile.js";
import type { FileChecks } from "../../src/judging/fileChecks.js";
import { ImportFault } from "../../src/judging/importFault.js";
import { judgeReport } from "../../src/judging/report/judgeReport.js";
import { createCheckProcesses } from "../../src/main/checking/checkProcesses.js";

/** Checks files in processes, as the product does. */
export const checksInProcesses = (): FileChecks => createCheckProcesses({ localities: async () => ({}) });

/** Checks files as the product's check processes do, but in this process, since starting a process takes longer than most checks. */
export function checksHere(geography: Geography): FileChecks {
  return {
    enter: checksInProcesses().enter,
    run: (file, watch) => {
      const judging = { spreadsheets, catalogue: compileCatalogue(file.catalogue), geography };
      return told(file.report ? judgeReport(judging, file, file.report, watch) : checkFile(judging, file, watch));
    },
    read: (file, { progress }) => told(readEvidence(spreadsheets, file, progress)),
  };
}

const told = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    if (error instanceof ImportFault || spreadsheets.isFileFault(error)) throw new Rejection("invalid", (error as Error).message);
    throw error;
  });
