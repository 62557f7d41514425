// The long form of test/faults: `npm run faults -- --seed N --runs M [--only PART] [--load MINUTES]`.
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The file of each part. One that has more cases in the project `long` is run without them: here the number of runs is given. */
const fileOf = new Map();
for (const file of readdirSync(join(root, "test/faults")).sort()) {
  const part = /^(\w+)\.(?:\w+\.)?test\.ts$/.exec(file)?.[1];
  if (part) fileOf.set(part, `test/faults/${file}`);
}

const values = options();
const whole = (name, text) => {
  if (!/^\d{1,9}$/.test(text)) fail(`--${name} must be a whole number`);
  return text;
};
const seed = whole("seed", values.seed ?? String(randomInt(1, 1_000_000_000)));
const runs = whole("runs", values.runs ?? "1");
const minutes = values.load === undefined ? undefined : whole("load", values.load);
const only = values.only ?? (minutes === undefined ? undefined : "load");
/** Parts that go by one name; those that only compute share the cores. */
const together = { fuzz: ["test/faults/fuzz"] };
if (only !== undefined && !fileOf.has(only) && !(only in together))
  fail(`--only must be one of ${[...fileOf.keys(), ...Object.keys(together)].join(", ")}`);
const files = only === undefined ? [...fileOf.values()] : (together[only] ?? [fileOf.get(only)]);

process.stderr.write(`faults: seed ${seed}, ${runs} runs${only ? `, only ${only}` : ""}\n`);
const command = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const args = [command, "run", ...files, ...(only === "fuzz" ? [] : ["--no-file-parallelism"]), "--testTimeout", "0"];
const environment = { ...process.env, FAULTS_SEED: seed, FAULTS_RUNS: runs, ...(minutes ? { FAULTS_LOAD: minutes } : {}) };
const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: environment });
for (const signal of ["SIGTERM", "SIGHUP"]) process.once(signal, () => child.kill("SIGTERM")); // Ctrl-C reaches it by itself
child.once("exit", (code) => {
  process.exitCode = code ?? 1;
});

function options() {
  try {
    const names = ["seed", "runs", "only", "load"];
    return parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) }).values;
  } catch {
    return fail(`it is: npm run faults -- [--seed N] [--runs M] [--only ${[...fileOf.keys(), "fuzz"].join("|")}] [--load MINUTES]`);
  }
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
