// Sums up the profiles that `npm run bench -- --profile` leaves: self time by module and by function, per process.
//   node bench/profile.mjs bench/results/profiles [rows]
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const [folder, rowsGiven] = process.argv.slice(2);
const rows = Number(rowsGiven ?? 0);

function moduleOf({ url, functionName }) {
  if (url === "") return functionName.startsWith("(") ? functionName : "(native)";
  return url.replace(/^.*\/dist\//, "").replace(/^.*\/node_modules\//, "npm:");
}

function sum(profile) {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const modules = new Map();
  const functions = new Map();
  const add = (map, key, us) => map.set(key, (map.get(key) ?? 0) + us);
  for (const [index, id] of profile.samples.entries()) {
    const { callFrame } = byId.get(id);
    const us = profile.timeDeltas[index];
    if (callFrame.functionName === "(idle)") continue;
    add(modules, moduleOf(callFrame), us);
    add(functions, `${callFrame.functionName || "(anonymous)"} ${moduleOf(callFrame)}:${callFrame.lineNumber + 1}`, us);
  }
  return { modules, functions };
}

const shown = (us) => (rows > 0 ? `${(us / rows).toFixed(2)} us/row` : `${Math.round(us / 1000)} ms`);

for (const name of readdirSync(folder).filter((each) => each.endsWith(".cpuprofile"))) {
  const { modules, functions } = sum(JSON.parse(readFileSync(join(folder, name), "utf8")));
  const total = [...modules.values()].reduce((a, b) => a + b, 0);
  const top = (map, count) => [...map].sort(([, a], [, b]) => b - a).slice(0, count);
  console.log(`\n${name}: ${shown(total)} busy`);
  for (const [key, us] of top(modules, 25)) console.log(`  ${shown(us).padStart(14)}  ${key}`);
  console.log("  by function");
  for (const [key, us] of top(functions, 25)) console.log(`  ${shown(us).padStart(14)}  ${key}`);
}
