import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "src/**/*.test.ts"],
    globalSetup: ["test/support/build.ts", "test/support/globalPostgres.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } }, // a machine may be busy: what is waited for comes, or never
    pool: "forks",
    maxWorkers: 2,
  },
});
