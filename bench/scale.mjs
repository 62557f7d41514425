// Says at which rate which part of the product is at its limit, from the costs in bench/costs.json.
//   node bench/scale.mjs --rows-per-second 5000 --organisations 200 --cores 8 --workers 2
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { defaults, printWalls, short, withTables } from "./scale/document.mjs";
import { bytesPerDay, faultsOf, kinds } from "./scale/model.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const costsPath = join(here, "costs.json");
const documentPath = join(here, "scale", "tables.md");

const help = `node bench/scale.mjs [options]

Says at which rate each part of Waybill is at its limit ("wall"), and which comes first.

  --rows-per-second N   the rate to look at (1000)
  --organisations N     that import at the same time (200)
  --cores N             of the machine on which everything runs (those of the machine that was measured)
  --workers N           worker processes (1)
  --apis N              API processes (1)
  --rows-per-import N   (1000)
  --kind KIND           ${kinds.join(", ")} (activitiesCsv)
  --reads-per-second N  answered beside the imports (0)
  --endpoints N         webhook endpoints of each organisation (0)
  --disk-mb N           MB/s that a disk writes and syncs (as measured)
  --keep FILE           takes the costs of a run, bench/results/*.json or "latest", into bench/costs.json and bench/scale/tables.md

The costs were measured by \`npm run bench -- --full --only=scale\`. docs/scale.md says what the model leaves out.`;

const bounds = {
  "rows-per-second": 1e9,
  organisations: 1e7,
  cores: 1e5,
  workers: 1e5,
  apis: 1e5,
  "rows-per-import": 1e6,
  "reads-per-second": 1e9,
  endpoints: 20,
  "disk-mb": 1e6,
};
const mayBeNone = new Set(["reads-per-second", "endpoints"]);

class Fault extends Error {}

function given(values, name) {
  if (values[name] === undefined) return undefined;
  const number = /^\d{1,10}(\.\d{1,3})?$/.test(values[name]) ? Number(values[name]) : Number.NaN;
  const least = mayBeNone.has(name) ? 0 : 1;
  const whole = name === "disk-mb" || name.endsWith("per-second") || Number.isInteger(number);
  if (!whole || !(number >= least && number <= bounds[name]))
    throw new Fault(
      `--${name} must be a ${name === "disk-mb" || name.endsWith("per-second") ? "" : "whole "}number from ${least} to ${bounds[name]}, not ${JSON.stringify(values[name])}`,
    );
  return number;
}

function readCosts() {
  let costs;
  try {
    costs = JSON.parse(readFileSync(costsPath, "utf8"));
  } catch (error) {
    throw new Fault(`bench/costs.json cannot be read: ${error.message}`);
  }
  const faults = faultsOf(costs);
  if (faults.length > 0) throw new Fault(`bench/costs.json is not complete: ${faults.slice(0, 5).join("; ")}`);
  return costs;
}

/** Six digits are plenty, and a difference between two runs is easier to read. */
const rounded = (_key, value) => (typeof value === "number" ? Number(value.toPrecision(6)) : value);

function keep(name) {
  const results = join(here, "results");
  const path =
    name === "latest"
      ? join(
          results,
          readdirSync(results)
            .filter((file) => file.endsWith(".json"))
            .toSorted()
            .at(-1) ?? "none",
        )
      : name;
  const report = JSON.parse(readFileSync(path, "utf8"));
  if (!report.scale) throw new Fault(`${path} has no section scale: run npm run bench -- --full --only=scale`);
  const command = `npm run bench -- ${report.form === "full" ? "--full " : ""}--only=scale`;
  const costs = JSON.parse(
    JSON.stringify({ command, form: report.form, at: report.at, ...report.scale, machine: report.machine }, rounded),
  );
  const faults = faultsOf(costs);
  if (faults.length > 0) throw new Fault(`the costs are not complete: ${faults.slice(0, 5).join("; ")}`);
  const document = withTables(readFileSync(documentPath, "utf8"), costs);
  writeFileSync(costsPath, `${JSON.stringify(costs, null, 2)}\n`);
  writeFileSync(documentPath, document);
  console.log("written to bench/costs.json and bench/scale/tables.md");
}

function main() {
  const text = { type: "string" };
  const options = {
    ...Object.fromEntries(Object.keys(bounds).map((name) => [name, text])),
    kind: text,
    keep: text,
    help: { type: "boolean" },
  };
  let values;
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    throw new Fault(`${error.message.split(". ")[0]} (--help shows what there is)`);
  }
  if (values.help) return console.log(help);
  if (values.keep !== undefined) return keep(values.keep);
  const costs = readCosts();
  if (values.kind !== undefined && !kinds.includes(values.kind))
    throw new Fault(`--kind must be one of ${kinds.join(", ")}, not ${JSON.stringify(values.kind)}`);
  const number = (name) => given(values, name);
  const asked = {
    kind: values.kind,
    rowsPerImport: number("rows-per-import"),
    organisations: number("organisations"),
    cores: number("cores"),
    workers: number("workers"),
    apis: number("apis"),
    readsPerSecond: number("reads-per-second"),
    endpoints: number("endpoints"),
    diskMbPerSecond: number("disk-mb"),
  };
  const load = { ...defaults(costs), ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) };
  const rate = number("rows-per-second") ?? 1_000;
  printWalls(costs, load, rate);
  const day = bytesPerDay(costs, load, rate);
  console.log(
    `A day at this rate adds ${short(day.log)} GB to the log, ${short(day.tables)} GB to tables and indexes, ${short(day.objects)} GB to the object store, and writes ${short(day.wal)} GB of WAL.`,
  );
}

try {
  main();
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
