import { spreadsheets } from "../../src/adapters/spreadsheets/spreadsheets.js";
import { compileCatalogue } from "../../src/domain/catalogue/catalogue.js";
import { Rejection } from "../../src/domain/rejection.js";
import { checkFile, readEvidence } from "../../src/judging/checkFile.js";
import type { FileChecks } from "../../src/judging/fileChecks.js";
import { ImportFault } from "../../src/judging/importFault.js";
import { judgeReport } from "../../src/judging/report/judgeReport.js";
import { createCheckProcesses } from "../../src/main/checking/checkProcesses.js";
import { geography } from "./service.js";

/** Checks files as the product's check processes do, but in this process: for tests with many files, since starting a process takes longer. */
export function checksHere(): FileChecks {
  return {
    enter: createCheckProcesses({ localities: async () => ({}) }).enter,
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
