// Imports the same files with several versions of the product in turns, on one machine and in one run.
//   npm run bench:versions -- ../before . --kind=activities --format=xlsx --rows=150000 --rounds=5
// Each round has new rows. With --again all rounds have the same, so that each import replaces the shipments of the one before.
// --history=5000000: each version has imported this many rows, of 28 days, before the first round. --days=1: the rounds' activities are all of the
// last day (of a CSV file only).
// Each folder is a checkout with its packages installed and built. The first one is what the others are compared with.
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { csvFile, kinds, xlsxFile } from "./files.mjs";
import { benchFolder, watch } from "./processes.mjs";
import { push, startService, untilEnded } from "./service.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: "string", default: "activities" },
    format: { type: "string", default: "csv" },
    rows: { type: "string", default: "150000" },
    rounds: { type: "string", default: "5" },
    history: { type: "string", default: "0" },
    days: { type: "string" },
    again: { type: "boolean" },
  },
});
if (positionals.length === 0) throw new Error("Name the folders of the versions, the one to compare with first.");

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function importOnce(service, file) {
  const watched = watch(service.groups);
  const startedAt = performance.now();
  const { statusUrl } = await push(service, kinds[file.kind].path, file.path);
  await untilEnded(service, statusUrl);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = Object.entries(watched.end());
  return {
    rate: file.rows / seconds,
    cost: Object.fromEntries(used.map(([group, { cpuUs }]) => [group, cpuUs / file.rows])),
    own: Object.fromEntries(used.map(([group, { anonMb }]) => [group, anonMb])),
  };
}

/** A file of so many rows is smaller than the largest that is taken. */
const mostRows = 750_000;

const folder = benchFolder("waybill-versions-");
const versions = [];
try {
  const write = values.format === "xlsx" ? xlsxFile : csvFile;
  const [rounds, rows] = [Number(values.rounds), Number(values.rows)];
  const lastDays = values.days && Number(values.days);
  const between = values.again ? 0 : Math.ceil(rows / 3) * 3; // three lines make a shipment
  const files = [];
  for (let round = 0; round <= rounds; round += 1) files.push(await write(folder, values.kind, rows, round * between, lastDays));
  for (const [index, place] of positionals.entries()) {
    const built = join(resolve(place), "dist", "cli.js");
    versions.push({ place, rounds: [], service: await startService({ folder: join(folder, String(index)), built }) });
  }
  for (const { service } of versions) await importOnce(service, files[rounds]); // the first import also compiles the code
  for (let before = 0; before < Number(values.history); before += mostRows) {
    const file = await write(folder, values.kind, Math.min(mostRows, Number(values.history) - before), (rounds + 1) * rows + before);
    for (const { service } of versions) await importOnce(service, file);
    rmSync(file.path);
    process.stderr.write(`${before + file.rows} rows of history\n`);
  }
  for (let round = 0; round < rounds; round += 1) {
    // Another version is first in each round: the background work that an import leaves behind slows down the import after it.
    const first = round % versions.length;
    for (const version of [...versions.slice(first), ...versions.slice(0, first)]) {
      version.rounds.push(await importOnce(version.service, files[round]));
      process.stderr.write(`${version.place}: ${Math.round(version.rounds.at(-1).rate)} rows/s\n`);
    }
  }
  console.log(table(versions));
} finally {
  for (const { service } of versions) await service.stop();
}

/** A figure with its ratio to that of the first version, unless that is zero. */
function against(first, each, digits) {
  const ratio = first > 0 ? ` (${(each / first).toFixed(2)})` : "";
  return each.toFixed(digits) + ratio;
}

function table(measured) {
  const groups = Object.keys(measured[0].rounds[0].cost);
  const line = (name, digits, pick) => {
    const [first, ...others] = measured.map(({ rounds }) => median(rounds.map(pick)));
    return `| ${[name, first.toFixed(digits), ...others.map((each) => against(first, each, digits))].join(" | ")} |`;
  };
  const total = ({ cost }) => groups.reduce((sum, group) => sum + cost[group], 0);
  return [
    `| medians of ${values.rounds} | ${measured.map(({ place }) => place).join(" | ")} |`,
    `|---|${"---|".repeat(measured.length)}`,
    line("rows/s", 0, ({ rate }) => rate),
    line("us of processor time per row", 1, total),
    ...groups.map((group) => line(`${group}, us per row`, 1, ({ cost }) => cost[group])),
    // Mapped files are not counted: the system frees that memory when it needs it.
    ...groups.map((group) => line(`${group}, most MB of its own`, 0, ({ own }) => own[group])),
  ].join("\n");
}
