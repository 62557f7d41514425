import { defineConfig } from "vitest/config";
import { compiledSources } from "./test/support/projects/compiledSources.js";
import { failedFiles } from "./test/support/projects/failedFiles.js";
import { withoutStores } from "./test/support/projects/withoutStores.js";

const build = "test/support/build.ts";
const postgres = "test/support/stores/globalPostgres.ts";
const chromium = "test/support/browser/globalChromium.ts";

/** Before the others, which make their folders in it. */
const folder = "test/support/projects/globalFolder.ts";

const suffixes = ["unit", "processes", "browser", "long"];

/** `name.PROJECT.test.ts` belongs to that project; `name.test.ts`, without one, to `stores`. In one run they follow each other in this order; `npm run test:slow` is two runs. */
const projects = [
  { name: "unit", plugins: [withoutStores], globalSetup: [], maxWorkers: 2 },
  { name: "stores", globalSetup: [folder, build, postgres], maxWorkers: 4 }, // of which, on two cores, two mostly wait for a store
  { name: "processes", globalSetup: [folder, build, postgres], maxWorkers: 3 },
  { name: "browser", globalSetup: [folder, build, chromium, postgres], maxWorkers: 1 }, // one product and one browser for all files
  { name: "long", globalSetup: [folder, build, chromium, postgres], maxWorkers: 2 },
] as const;

export default defineConfig({
  test: {
    reporters: ["default", failedFiles],
    slowTestThreshold: 10_000,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } }, // a machine may be busy: what is waited for comes, or never
    pool: "forks",
    isolate: false, // a worker process loads the modules once, for all of its files: a file leaves no timers, variables or listeners behind
    projects: projects.map(({ name, globalSetup, maxWorkers, ...more }, groupOrder) => ({
      extends: true,
      plugins: "plugins" in more ? [...more.plugins] : [compiledSources],
      test: {
        name,
        include: [name === "stores" ? "test/**/*.test.ts" : `test/**/*.${name}.test.ts`],
        exclude: ["**/node_modules/**", ...(name === "stores" ? [`test/**/*.{${suffixes}}.test.ts`] : [])],
        globalSetup: [...globalSetup],
        maxWorkers,
        ...(name === "long" ? { testTimeout: 900_000 } : {}), // hundreds of rounds on a busy machine
        sequence: { groupOrder },
        provide: { everyCase: name === "long" },
      },
    })),
  },
});
