// `vitest run` with the given arguments; each file that fails is then run once more by itself, since a busy machine can fail a test that
// starts processes. Both outcomes are printed, and a file that fails twice makes the run fail.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const command = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const given = process.argv.slice(2);
const configuration = given.flatMap((argument, index) => (argument === "--config" ? given.slice(index, index + 2) : []));
const folder = mkdtempSync(join(tmpdir(), "waybill-outcome-"));
const report = join(folder, "report.json");
try {
  const first = vitest(...given, "--reporter", "default", "--reporter", "json", "--outputFile.json", report);
  const failed = first === 0 ? [] : failedFiles();
  if (first !== 0 && failed.length === 0) process.exitCode = first; // it failed outside of a test file
  const lines = failed.map((file) => {
    const again = vitest(file, ...configuration);
    if (again !== 0) process.exitCode = 1;
    return `${file}: failed, then ${again === 0 ? "passed" : "failed again"} by itself (npx vitest run ${file})\n`;
  });
  process.stdout.write(lines.join(""));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function vitest(...args) {
  return spawnSync(process.execPath, [command, "run", ...args], { stdio: "inherit" }).status ?? 1;
}

function failedFiles() {
  if (!existsSync(report)) return [];
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(process.cwd(), name));
}
