// `testTwice.mjs [--config FILE] PROJECT...` runs vitest for each of the projects, beside each other, since both mostly wait. Each file that
// fails is then run once more by itself, since a busy machine can fail a test that starts processes. Both outcomes are printed, and a file that
// fails twice makes the run fail.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";

const command = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const { positionals, values } = parseArgs({ options: { config: { type: "string" } }, allowPositionals: true });
const configuration = values.config === undefined ? [] : ["--config", values.config];
const runs = positionals.length === 0 ? [[]] : positionals.map((project) => ["--project", project]);
const folder = mkdtempSync(join(tmpdir(), "waybill-outcome-"));
try {
  const failed = await Promise.all(runs.map(failedFiles));
  for (const file of failed.flat()) {
    const again = await vitest(file);
    if (again !== 0) process.exitCode = 1;
    process.stdout.write(`${file}: failed, then ${again === 0 ? "passed" : "failed again"} by itself (npx vitest run ${file})\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Its output passes through here, so that two runs do not redraw one terminal. */
async function vitest(...args) {
  const child = spawn(process.execPath, [command, "run", ...args, ...configuration], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stderr, { end: false });
  const [code] = await once(child, "close");
  return code ?? 1;
}

async function failedFiles(args, index) {
  const report = join(folder, `${index}.json`);
  const code = await vitest(...args, "--reporter", "default", "--reporter", "json", "--outputFile.json", report);
  if (code === 0) return [];
  const { testResults } = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : { testResults: [] };
  const failed = testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(process.cwd(), name));
  if (failed.length === 0) process.exitCode = code; // it failed outside of a test file
  return failed;
}
