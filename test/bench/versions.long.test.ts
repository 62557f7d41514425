// The short form of a benchmark: two versions, here both this one, and the table that compares them.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

test.each([
  { what: "new rows in each round", options: [] },
  { what: "the same rows in each round", options: ["--again"] },
])("two versions import the same files in turns, $what", async ({ options }) => {
  const args = ["bench/versions.mjs", ".", ".", "--kind=shipments", "--rows=300", "--rounds=1", ...options];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: root });
  expect(stderr.match(/^\.: \d+ rows\/s$/gm)).toHaveLength(2);
  expect(stdout).toMatch(/^\| rows\/s \| \d+ \| \d+ \(\d+\.\d\d\) \|$/m);
  expect(stdout).toMatch(/^\| postgres, us per row \| [\d.]+ \| [\d.]+( \([\d.]+\))? \|$/m);
});
