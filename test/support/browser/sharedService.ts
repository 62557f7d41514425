// One product for all browser test files of a worker, each with organisations of its own. It ends with the worker; its folders are in the folder of the run.
import { checksInProcesses } from "../checksHere.js";
import { startTestService, type TestService } from "../service.js";

let running: Promise<TestService> | undefined;

export const sharedService = (): Promise<TestService> => {
  running ??= startTestService({}, undefined, { fileChecks: checksInProcesses() });
  return running;
};
