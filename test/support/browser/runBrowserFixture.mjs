// Runs browserFixture.ts by itself, without the stores that the other tests need.
import { startVitest } from "vitest/node";

const vitest = await startVitest("test", [], {
  config: false,
  run: true,
  watch: false,
  include: ["test/support/browser/browserFixture.ts"],
});
await vitest.close();
