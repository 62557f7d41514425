// Runs the peers: each in processes of its own, against stores of its own that nothing else uses.
import { fork } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { heapFlags } from "../dist/embedded/childProcess.js";
import { startPostgres } from "../dist/embedded/postgres/server.js";
import { descendants, endedWithUs, watch } from "./processes.mjs";
import { program } from "./service.mjs";

const peer = (name) => fileURLToPath(new URL(`./peers/${name}.mjs`, import.meta.url));

const nextMessage = (child) =>
  new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`a peer ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message);
    });
  });

async function startPeer(name, options) {
  const child = endedWithUs(fork(peer(name), [JSON.stringify(options)]));
  await nextMessage(child);
  return {
    pid: child.pid,
    run(task = {}) {
      const result = nextMessage(child);
      child.send(task);
      return result;
    },
    stop() {
      child.kill("SIGKILL");
    },
  };
}

export async function startEventStore(folder) {
  const child = endedWithUs(
    fork(program, ["eventstore", "--port", "0", "--data", folder], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      execArgv: heapFlags("eventstore"), // as the product starts it
    }),
  );
  const { address } = await nextMessage(child);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  return {
    address,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** The good rows of a file: every hundredth row is faulty (files.mjs). A projector stops when it has seen this many. */
const goodRows = ({ rows }) => rows - Math.floor(rows / 100);

const postgresGroup = (server) => () => [server.pid, ...descendants(server.pid)];

/** Runs the peers `names` at the same time, until all have ended. They import a small file first, since the product is warmed up too. */
async function race(folder, names, { file, warmUp, ...options }, extra = {}) {
  mkdirSync(folder, { recursive: true });
  const postgres = await startPostgres({ folder: join(folder, "postgres"), durable: true });
  const peers = [];
  try {
    const given = { ...options, kind: file.kind, databaseUrl: postgres.url };
    const runAll = (run, input) => Promise.all(peers.map((each) => each.run({ run, file: input, wanted: goodRows(input) })));
    for (const name of names) peers.push(await startPeer(name, given));
    const groups = { ...Object.fromEntries(peers.map(({ pid }, index) => [names[index], () => [pid]])), ...extra };
    await runAll(1, warmUp);
    const watched = watch({ ...groups, postgres: postgresGroup(postgres) });
    const startedAt = performance.now();
    const results = await runAll(2, file);
    const ms = performance.now() - startedAt;
    return { ms, rows: Math.max(...results.map(({ rows }) => rows)), processes: watched.end() };
  } finally {
    for (const each of peers) each.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs one peer against stores that are already running. */
export async function runPeer(name, options, groups) {
  const started = await startPeer(name, options);
  try {
    const watched = watch({ [name]: () => [started.pid], ...groups });
    const result = await started.run();
    return { ...result, processes: watched.end() };
  } finally {
    started.stop();
  }
}

export const plainLoader = (folder, files) => race(join(folder, "plain"), ["plainLoader"], files);

export const emmettPeer = (folder, files) => race(join(folder, "emmett"), ["emmett"], files);

export async function barePipeline(folder, files) {
  const eventStore = await startEventStore(join(folder, "bare-events"));
  try {
    const options = { ...files, eventStoreUrl: eventStore.address };
    return await race(join(folder, "bare"), ["bareProjector", "bareWriter"], options, { eventstore: () => [eventStore.pid] });
  } finally {
    await eventStore.stop();
    rmSync(join(folder, "bare-events"), { recursive: true, force: true });
  }
}
