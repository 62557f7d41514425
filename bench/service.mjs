// The product, started as a user starts it, on a data folder of its own.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { commandOf, descendants, endedWithUs } from "./processes.mjs";

export const program = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const run = promisify(execFile);
const roles = ["api", "worker", "projector", "eventstore"];

export async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** `key`: that of an earlier start on the same folder, since only the first one prints it. `onLog`: gets every line that the service logs. */
export async function startService({ folder, profileDir, built = program, key: known, onLog }) {
  const port = await freePort();
  const profile = profileDir ? ["--cpu-prof", `--cpu-prof-dir=${profileDir}`] : []; // the roles inherit it
  const env = {
    ...process.env,
    DATA_DIR: folder,
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: "1000000",
    MAX_QUEUED_IMPORTS: "1000",
    LOG_LEVEL: onLog ? "info" : "warn",
  };
  const child = endedWithUs(
    spawn(process.execPath, [...profile, built, "start"], { env, stdio: ["ignore", "pipe", onLog ? "pipe" : "inherit"] }),
  );
  if (onLog) createInterface({ input: child.stderr }).on("line", onLog);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const key = await new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const found = known === undefined ? /wb_live_\w+/.exec(said) : /https?:/.exec(said);
      if (found) resolve(known ?? found[0]);
    });
    void exited.then((code) => reject(new Error(`the service ended with ${code}: ${said}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  const { databaseUrl, eventStoreUrl } = JSON.parse(readFileSync(join(folder, "runtime.json"), "utf8"));
  return {
    url,
    key,
    folder,
    databaseUrl,
    eventStoreUrl,
    groups: processGroups(child.pid),
    waybill: async (...args) => (await run(process.execPath, [built, ...args], { env, maxBuffer: 1 << 26 })).stdout.trim(),
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** The processes below `root` by their role. Postgres is a group of several, whose backends come and go. */
function processGroups(root) {
  const is = (role) => () => descendants(root).filter((pid) => commandOf(pid).includes(`cli.js ${role}`));
  const groups = Object.fromEntries(roles.map((role) => [role, is(role)]));
  groups.start = () => [root];
  groups.postgres = () => descendants(root).filter((pid) => /^(\S*\/)?postgres\b/.test(commandOf(pid)));
  return groups;
}

/** By node:http but for a form, and not by fetch: who asks often must not take the processor from who answers. */
export async function call(service, path, options = {}) {
  const { status, text } = await (options.body instanceof FormData ? fetched : requested)(`${service.url}${path}`, {
    ...options,
    headers: { "x-api-key": options.key ?? service.key, ...options.headers },
  });
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text);
}

async function fetched(url, options) {
  const response = await fetch(url, options);
  return { status: response.status, text: await response.text() };
}

const agent = new Agent({ keepAlive: true });

async function requested(url, { method, headers, body }) {
  const request = httpRequest(url, { agent, method, headers });
  request.end(body);
  const [response] = await once(request, "response");
  return { status: response.statusCode, text: await textOf(response) };
}

/** Pushes a file; answers once the push is accepted. */
export async function push(service, kindPath, path, key) {
  const form = new FormData();
  const { openAsBlob } = await import("node:fs");
  form.set("file", await openAsBlob(path), path.split("/").pop());
  const target = kindPath.endsWith("fulfilment") ? `${kindPath}/activities/file` : `${kindPath}/imports/file`;
  return call(service, target, { method: "POST", body: form, ...(key ? { key } : {}) });
}

/** Polls less often the longer the import takes, so that polling does not slow down what is measured. */
export async function untilEnded(service, statusUrl, { key } = {}) {
  for (const startedAt = performance.now(); ; ) {
    const view = await call(service, statusUrl, key ? { key } : {});
    if (view.status === "completed") return view;
    if (view.status === "failed" || view.status === "cancelled") throw new Error(`${statusUrl}: ${view.status} ${view.errorMessage}`);
    await pause(Math.min(100, Math.max(15, (performance.now() - startedAt) / 100)));
  }
}
