import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EventStoreDBClient } from "@eventstore/db-client";
import { freePort } from "../processes.js";

export interface TestEventStore {
  address: string;
  /** Undefined where the test did not start the store (`TEST_EVENTSTORE_URL`). */
  pid: number | undefined;
  /** The data folder, only of the embedded node. */
  folder?: string;
  stop(): Promise<void>;
  /** Ends it with kill -9. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder, stopping it first where it still runs. */
  restart(): Promise<void>;
}

const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 20_000;

/**
 * The event store every test runs on: the embedded node in a process of its own; with `TEST_EVENTSTORE_COMMAND='cmd'`
 * the server that `cmd PORT EMPTY_FOLDER` runs until SIGTERM; with `TEST_EVENTSTORE_URL` one that is there already.
 */
export async function startTestEventStore(): Promise<TestEventStore> {
  const { TEST_EVENTSTORE_URL: url, TEST_EVENTSTORE_COMMAND: command } = process.env;
  return url ? existingStore(url) : startOwnStore(command || undefined);
}

/** The embedded node, whatever the environment says: for tests about the embedded node itself. */
export const startEmbeddedEventStore = (): Promise<TestEventStore> => startOwnStore(undefined);

export const makeStoreFolder = (): string => mkdtempSync(join(process.env["TEST_STORES_FOLDER"] ?? tmpdir(), "waybill-eventstore-"));

async function startOwnStore(command: string | undefined): Promise<TestEventStore> {
  const folder = makeStoreFolder();
  const startAt = async (port: number): Promise<ChildProcess> => {
    const child = command ? startCommand(command, port, folder) : startEmbedded(port, folder);
    try {
      await untilItAnswers(child, port, command ? undefined : toldBy(child));
    } catch (error) {
      await endProcess(child, "SIGKILL", command !== undefined);
      throw error;
    }
    return child;
  };
  let port = await freePort();
  // Another process may have taken the port in the meantime.
  let child = await startAt(port)
    .catch(async () => {
      port = await freePort();
      return startAt(port);
    })
    .catch((error: unknown) => {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    });
  const end = async (signal: NodeJS.Signals): Promise<void> => endProcess(child, signal, command !== undefined);
  return {
    address: addressOf(port),
    ...(command ? {} : { folder }),
    get pid() {
      return child.pid;
    },
    kill: () => end("SIGKILL"),
    async stop() {
      await end("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
    async restart() {
      await end("SIGTERM");
      await untilClosed(port); // a server that is still stopping would answer in place of the new one
      child = await startAt(port);
    },
  };
}

const addressOf = (port: number): string => `esdb://127.0.0.1:${port}?tls=false`;

function existingStore(address: string): TestEventStore {
  const refuse = async (): Promise<void> => {
    throw new Error("TEST_EVENTSTORE_URL names a store that tests may not stop");
  };
  return { address, pid: undefined, stop: async () => undefined, kill: refuse, restart: refuse };
}

function startEmbedded(port: number, folder: string): ChildProcess {
  const entry = fileURLToPath(new URL("./eventStoreProcess.mjs", import.meta.url));
  // The IPC channel closes when this process ends, and the node ends when the channel closes.
  return spawn(process.execPath, [entry, String(port), folder], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
}

function startCommand(command: string, port: number, folder: string): ChildProcess {
  // In a process group of its own, so that a wrapper script and what it starts end together.
  // EventStoreDB takes every EVENTSTORE_ variable for an option of its own, and does not start with one that it does not know.
  const { EVENTSTORE_URL: _ours, ...env } = process.env;
  const child = spawn("sh", ["-c", `${command} ${port} '${folder}'`], { stdio: ["ignore", "ignore", "pipe"], detached: true, env });
  const endWithUs = (): void => void signalGroup(child, "SIGKILL");
  process.once("exit", endWithUs);
  child.once("exit", () => process.off("exit", endWithUs));
  return child;
}

/** False when no process of the group is left. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return child.pid !== undefined && process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

/** `asGroup` waits for the whole process group, since a wrapper may end before the server that it started. */
async function endProcess(child: ChildProcess, signal: NodeJS.Signals, asGroup: boolean): Promise<void> {
  const send = (wanted: NodeJS.Signals): boolean => (asGroup ? signalGroup(child, wanted) : child.kill(wanted));
  const isOver = () => (child.exitCode !== null || child.signalCode !== null) && !(asGroup && signalGroup(child, 0));
  if (isOver()) return;
  send(signal);
  const impatient = setTimeout(() => send("SIGKILL"), STOP_DEADLINE_MS);
  while (!isOver()) await briefly();
  clearTimeout(impatient);
}

const briefly = () => new Promise((resolve) => setTimeout(resolve, 20));

const isOpen = (port: number) =>
  new Promise<boolean>((settle) => {
    const socket = connect(port, "127.0.0.1", () => settle(true)).once("error", () => settle(false));
    socket.once("connect", () => socket.destroy());
  });

async function untilClosed(port: number): Promise<void> {
  for (const deadline = Date.now() + STOP_DEADLINE_MS; await isOpen(port); await briefly()) {
    if (Date.now() > deadline) throw new Error(`something still listens on port ${port}`);
  }
}

/** True once the embedded node has sent that it listens. An open port is not enough: another server may have taken it. */
function toldBy(child: ChildProcess): () => boolean {
  let told = false;
  child.once("message", () => {
    told = true;
  });
  return () => told;
}

async function untilItAnswers(child: ChildProcess, port: number, hasTold: (() => boolean) | undefined): Promise<void> {
  const address = addressOf(port);
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the event store ended at its start: ${said}`);
    // The port is checked first: a new client for every check would take as long as the rest of the start.
    if (hasTold ? hasTold() : (await isOpen(port)) && (await answers(address))) return;
    if (Date.now() > deadline) throw new Error(`the event store does not answer at ${address}: ${said}`);
    await briefly();
  }
}

async function answers(address: string): Promise<boolean> {
  const client = EventStoreDBClient.connectionString(address);
  try {
    // A server that has just begun takes connections and reads before it takes appends.
    for await (const _ of client.readAll({ maxCount: 1, requiresLeader: true })) break;
    return true;
  } catch {
    return false;
  } finally {
    await client.dispose();
  }
}
