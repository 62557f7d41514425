// Everything that reads the code and does not run it, beside each other: each one's output is shown whole, when it has ended.
import { spawn } from "node:child_process";
import { once } from "node:events";

const checks = ["lint", "boundaries", "types", "dead", "expressions"];

async function run(check) {
  const started = performance.now();
  const child = spawn("npm", ["run", "-s", check], { stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const [code] = await once(child, "close");
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${output.join("")}${check}: ${code === 0 ? "passed" : "failed"} in ${seconds} s\n`);
  return code === 0;
}

const passed = await Promise.all(checks.map(run));
if (passed.includes(false)) process.exitCode = 1;
