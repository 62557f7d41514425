// Small JSON pushes with several versions of the product in turns, on one machine and in one run.
//   node bench/pushVersions.mjs ../before . --organisations=20 --rows=1 --rounds=5 --ask=100
// `ask`: after how many milliseconds each organisation asks again whether its push is visible.
// Each folder is a checkout with its packages installed and built. The first one is what the others are compared with.
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { makeOrganisations } from "./organisations.mjs";
import { benchFolder } from "./processes.mjs";
import { measurePushes } from "./sections/smallPushes.mjs";
import { startService } from "./service.mjs";
import { ratio, table } from "./tables.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    organisations: { type: "string", default: "20" },
    rows: { type: "string", default: "1" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "8" },
    ask: { type: "string", default: "100" },
  },
});
if (positionals.length === 0) throw new Error("Name the folders of the versions, the one to compare with first.");
const [organisations, rows, rounds, seconds, askMs] = [values.organisations, values.rows, values.rounds, values.seconds, values.ask].map(
  Number,
);

const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];

const folder = benchFolder("waybill-push-versions-");
const versions = [];
try {
  const names = Array.from({ length: organisations }, (_, index) => `pusher-${index}`);
  for (const [index, place] of positionals.entries()) {
    const service = await startService({ folder: join(folder, String(index)), built: join(resolve(place), "dist", "cli.js") });
    const version = { place, service, measured: [] };
    versions.push(version);
    version.keys = await makeOrganisations(service, names);
    await measurePushes(service, version.keys, { rows, seconds: 3 }); // cold code
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const version of round % 2 === 0 ? versions : versions.toReversed()) {
      version.measured.push(await measurePushes(version.service, version.keys, { rows, seconds, askMs }));
      process.stderr.write(`${version.place}: ${version.measured.at(-1).rate.toFixed(1)} imports/s\n`);
    }
  }
  const of = ({ measured }, pick) => median(measured.map(pick));
  const groups = Object.keys(versions[0].measured[0].cpu);
  const rate = (version) => of(version, (each) => each.rate);
  table(
    `${organisations} organisations at once, ${rows} rows, asked every ${askMs} ms, medians of ${rounds}: imports a second, ms until visible, ms of processor time for an import`,
    ["", "imports/s", "ratio", "p50", "p95", ...groups, "all"],
    versions.map((version) => [
      version.place,
      rate(version).toFixed(1),
      ratio(rate(version), rate(versions[0])),
      of(version, ({ p50 }) => p50).toFixed(0),
      of(version, ({ p95 }) => p95).toFixed(0),
      ...groups.map((group) => of(version, ({ cpu }) => cpu[group] ?? 0).toFixed(1)),
      of(version, ({ cpu }) => Object.values(cpu).reduce((all, each) => all + each, 0)).toFixed(1),
    ]),
  );
} finally {
  for (const { service } of versions) await service.stop();
}
