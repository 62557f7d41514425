import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that start the whole product or a browser take the longest, however short they are: begun first, none runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const long: TestSpecification[] = [];
    const rest: TestSpecification[] = [];
    for (const file of await super.sort(files))
      (/\/test\/(faults|supervisor|model|conformance|http\/portal\/browser)\//.test(file.moduleId) ? long : rest).push(file);
    return [...long, ...rest];
  }
}

/** They take long, for what changes rarely: `npm run verify` runs them, with everything else. */
const onlyWhenVerifying = [
  "test/bench/rebuild.test.ts",
  "test/bench/versions.test.ts",
  "test/faults/lostTables.test.ts",
  "test/embedded/eventstore/largeEvents.test.ts",
  "test/embedded/postgres/server.test.ts",
  "test/supervisor/orphans.test.ts",
  "test/supervisor/realStores.test.ts",
  "test/supervisor/storeFaults.test.ts",
  "test/http/portal/browser/besideLargestImport.test.ts",
  "test/client/packed.test.ts",
  "test/guide/guide.test.ts",
  "test/http/portal/browser/machines.test.ts",
  "test/http/portal/browser/manyRejectedRows.test.ts",
  "test/workers/imports/smallBesideLarge.test.ts",
];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "src/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(process.env["VERIFY"] === "on" ? [] : onlyWhenVerifying)],
    globalSetup: ["test/support/build.ts", "test/support/browser/globalChromium.ts", "test/support/stores/globalPostgres.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } }, // a machine may be busy: what is waited for comes, or never
    pool: "forks",
    maxWorkers: 5, // of which, on two cores, three mostly wait for a store or a process
    isolate: false, // a worker process loads the modules once, for all of its files: a file leaves no timers, variables or listeners behind
    sequence: { sequencer: LongestFirst },
  },
});
