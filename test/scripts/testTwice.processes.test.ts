import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** Runs the fixtures, of which one fails the first time, and one with ALWAYS_RED each time. */
async function testTwice(more: Record<string, string> = {}): Promise<{ failed: boolean; said: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-twice-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const args = ["scripts/testTwice.mjs", "--config", "test/fixtures/testTwice/vitest.config.mjs"];
  return new Promise((settle) => {
    execFile(process.execPath, args, { env: { ...process.env, MARK: join(folder, "mark"), ...more } }, (error, stdout) =>
      settle({ failed: error !== null, said: stdout.split("\n").filter((line) => line.includes(": failed, then")) }),
    );
  });
}

const fixture = (name: string) => `test/fixtures/testTwice/${name}.fixture.mjs`;
const outcome = (name: string, then: string) => `${fixture(name)}: failed, then ${then} by itself (npx vitest run ${fixture(name)})`;

test("a file that fails and then passes by itself is told with both outcomes, and the run is green", async () => {
  expect(await testTwice()).toEqual({ failed: false, said: [outcome("onceRed", "passed")] });
});

test("a file that fails twice makes the run red, and every file is told", async () => {
  const { failed, said } = await testTwice({ ALWAYS_RED: "yes" });
  expect(failed).toBe(true);
  expect(said.toSorted()).toEqual([outcome("alwaysRed", "failed again"), outcome("onceRed", "passed")]);
});
