import { spreadsheets } from "../../src/adapters/spreadsheets/spreadsheets.js";
import { compileCatalogue } from "../../src/domain/catalogue/catalogue.js";
import type { OrganisationFile } from "../../src/domain/catalogue/schema.js";
import type { Geography } from "../../src/domain/geography/geography.js";
import { Rejection } from "../../src/domain/rejection.js";
import type { FileChecks } from "../../src/judging/fileChecks.js";
import { ImportFault } from "../../src/judging/importFault.js";
import { runCheck } from "../../src/judging/runCheck.js";
import { createCheckProcesses } from "../../src/main/checking/checkProcesses.js";

/** Checks files in processes, as the product does. */
export const checksInProcesses = (): FileChecks => createCheckProcesses({ localities: async () => ({}) });

/** Checks files as the product's check processes do, but in this process, since starting a process takes longer than most checks. */
export function checksHere(geography: Geography): FileChecks {
  const judging = (file: OrganisationFile) => ({ spreadsheets, catalogue: compileCatalogue(file), geography });
  return {
    enter: checksInProcesses().enter,
    run: (file, watch) => told(runCheck(spreadsheets, judging, file, watch)),
  };
}

const told = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    if (error instanceof ImportFault || spreadsheets.isFileFault(error)) throw new Rejection("invalid", (error as Error).message);
    throw error;
  });
