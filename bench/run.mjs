// Everything that is measured, side by side, in one run on one machine; the ratios are what to read.
//   npm run bench [-- --full] [--only=imports,smallPushes,quotes,signIns,reads,totals,reversals,downloads,rebuild,growth,scale,cancel,idle] [--profile]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchFolder } from "./processes.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const { values } = parseArgs({ options: { full: { type: "boolean" }, only: { type: "string" }, profile: { type: "boolean" } } });

const only = values.only?.split(",");
const needPeers = ["imports", "smallPushes"];
if ((only?.some((name) => needPeers.includes(name)) ?? true) && !existsSync(join(here, "node_modules", "@event-driven-io"))) {
  execFileSync("npm", ["ci", "--prefix", here, "--no-fund", "--no-audit"], { stdio: ["ignore", "ignore", "inherit"] });
}

const [
  { importSection },
  { smallPushesSection, printSmallPushes },
  { quoteSection },
  { signInSection, printSignIns },
  { readSection },
  { totalsSection },
  { reversalsSection, printReversals },
  { downloadSection, printDownloads },
  { rebuildSection },
  { growthSection },
  { scaleSection },
  { printScale },
  { cancelSection, printCancel },
  { idleSection, printIdle },
  tables,
] = await Promise.all([
  import("./sections/imports.mjs"), // after the install above
  import("./sections/smallPushes.mjs"),
  import("./sections/quotes.mjs"),
  import("./sections/signIns.mjs"),
  import("./sections/reads.mjs"),
  import("./sections/totals.mjs"),
  import("./sections/reversals.mjs"),
  import("./sections/downloads.mjs"),
  import("./sections/rebuild.mjs"),
  import("./sections/growth.mjs"),
  import("./sections/scale.mjs"),
  import("./scale/document.mjs"),
  import("./sections/cancel.mjs"),
  import("./sections/idle.mjs"),
  import("./tables.mjs"),
]);

const sections = {
  imports: { run: importSection, print: tables.printImports },
  smallPushes: { run: smallPushesSection, print: printSmallPushes },
  quotes: { run: quoteSection, print: tables.printQuotes },
  signIns: { run: signInSection, print: printSignIns },
  reads: { run: readSection, print: tables.printReads },
  totals: { run: totalsSection, print: tables.printReads },
  reversals: { run: reversalsSection, print: printReversals },
  downloads: { run: downloadSection, print: printDownloads },
  rebuild: { run: rebuildSection, print: tables.printRebuild },
  growth: { run: growthSection, print: tables.printGrowth },
  scale: { run: scaleSection, print: printScale },
  cancel: { run: cancelSection, print: printCancel },
  idle: { run: idleSection, print: printIdle },
};

const results = join(here, "results");
mkdirSync(results, { recursive: true });
const folder = benchFolder();
const say = (line) => process.stderr.write(`${line}\n`);
const full = values.full === true;
const report = {
  form: full ? "full" : "short",
  at: new Date().toISOString(),
  machine: { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version, loadBefore: loadavg()[0] },
};
const wanted = only ?? Object.keys(sections);
const profileDir = values.profile ? join(results, "profiles") : undefined;

try {
  for (const name of wanted) {
    const section = sections[name];
    if (!section) throw new Error(`there is no section ${name}; there are ${Object.keys(sections).join(", ")}`);
    report[name] = await section.run({ folder: mkdtempSync(join(folder, `${name}-`)), full, say, profileDir });
    section.print(report[name]);
  }
} finally {
  report.machine.loadAfter = loadavg()[0];
  const path = join(results, `${report.at.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`); // also when a section failed: the results of the other sections are good
  say(`written to ${path}`);
  if (report.machine.loadAfter > report.machine.cores * 1.5) say("the machine was busy: compare processor time, not clock time");
}
