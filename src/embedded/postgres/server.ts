// src/embedded/postgres runs the real Postgres server from an npm package, for `npm start` and the tests, when no address is configured.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { withTimeLimit } from "../../timeLimit.js";
import { type Account, chooseAccount } from "./account.js";
import { createDatabase, ensureCluster, findBinaries } from "./cluster.js";
import { startOnLeash } from "./leash.js";
import { readPidFile, stopLeftover, stopServer } from "./serverProcess.js";

export interface PostgresOptions {
  /** The server's files are below this folder. One caller at a time per folder. */
  readonly folder: string;
  /** False only in tests, whose data is thrown away. */
  readonly durable: boolean;
  /** A fixed port, to have the same address after a crash; 0 for any free port. */
  readonly port?: number;
  readonly onLine?: (line: string) => void;
  /** Aborts when the start is given up. */
  readonly signal?: AbortSignal;
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/**
 * `socketUrl`: the same database by a socket file; undefined where the file system has none, or the path is too long. Over TCP a COPY fills
 * 4 MB of buffers as fast as it can, while requests wait for a core; over the socket file it is at most 200 KB ahead of its reader. `exited` resolves
 * when the server has ended, by `stop` or by itself.
 */
export async function startPostgres(options: PostgresOptions) {
  const folder = resolve(options.folder);
  const data = join(folder, "data");
  const line = options.onLine ?? (() => undefined);
  await mkdir(folder, { recursive: true });
  const { durable, signal } = options;
  const { initdb, postgres } = await findBinaries();
  const account = await chooseAccount(data, [postgres, data]);
  const password = await ensureCluster({ initdb, folder, data, account, durable, signal });
  await stopLeftover(data, (pid) => line(`stopping Postgres ${pid}, left running by an earlier start`));
  await removeSockets(data);
  let socket = hasRoomForSocket(data);
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port || (await freePort());
    const server = await launch({ ...options, postgres, data, port, socket, account, line });
    const failure = await server.ready;
    if (failure === undefined) {
      const url = await createDatabase({ port, password }).catch(async (error: unknown) => {
        await server.running().stop(); // the caller gets no handle to stop it
        throw error;
      });
      return { url, socketUrl: socket ? `${url}?host=${encodeURIComponent(data)}` : undefined, port, ...server.running() };
    }
    signal?.throwIfAborted();
    if (socket && failure.includes("Unix-domain socket")) {
      socket = false; // some file systems have no sockets
      continue;
    }
    if (attempt === 20 || !/could not bind|already in use|still in use|lock file/.test(failure)) {
      throw new Error(`Embedded Postgres did not start: ${failure || "no reason given"}`);
    }
    await pause(250); // another program took the port, or processes of a killed server are still ending
  }
}

const socketName = ".s.PGSQL.";
/** In bytes; short enough for every system. */
const longestSocketPath = 100;
const hasRoomForSocket = (data: string) => Buffer.byteLength(join(data, `${socketName}65535`)) <= longestSocketPath;

/** A killed server leaves its socket, and each start has another port in the name. */
async function removeSockets(data: string): Promise<void> {
  for (const name of await readdir(data))
    if (name.startsWith(socketName)) await rm(join(data, name), { force: true }).catch(() => undefined); // it is in nobody's way
}

interface LaunchOptions extends PostgresOptions {
  readonly postgres: string;
  readonly data: string;
  readonly port: number;
  /** Whether it has a socket file beside its port. */
  readonly socket: boolean;
  readonly account: Account;
  readonly line: (text: string) => void;
}

const silenceMs = 60_000;

async function launch({ postgres, data, port, socket, durable, account, line, signal }: LaunchOptions) {
  const before = await readPidFile(data); // a killed server's file, which still says "ready"
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: socket ? `"${data.replaceAll('"', '""')}"` : "", // a list, in which quotes keep commas and blanks
    max_connections: 200,
    ...(process.platform === "win32" ? {} : { dynamic_shared_memory_type: "mmap" }), // in its folder, so that a killed server leaves nothing elsewhere
    fsync: durable ? "on" : "off",
    ...(durable ? {} : { synchronous_commit: "off", full_page_writes: "off" }),
    log_checkpoints: "off",
    timezone: "UTC",
    log_timezone: "UTC",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = startOnLeash([postgres, "-D", data, ...flags], account);
  let heardAt = performance.now();
  const said: string[] = []; // its last lines
  child.stderr.on("data", (chunk: string) => {
    heardAt = performance.now();
    const lines = chunk.split("\n").filter((text) => text.trim() !== "");
    for (const text of lines) line(text);
    said.push(...lines);
    said.splice(0, said.length - 10);
  });
  let pid = 0;
  let gone = false;
  const exited = once(child, "exit")
    .catch(() => undefined)
    .then(() => {
      gone = true;
    });
  const ready = (async () => {
    // Recovery after a crash may take long. The server logs its progress every ten seconds, so only silence ends the wait.
    while (!gone && performance.now() - heardAt < silenceMs && !signal?.aborted) {
      const file = await readPidFile(data);
      const isOld = file?.pid === before?.pid && file?.startedAt === before?.startedAt;
      if (file?.port === port && file.ready && !isOld) {
        pid = file.pid;
        return undefined;
      }
      await pause(15);
    }
    child.stdin.end();
    await withTimeLimit(5_000, exited, () => undefined);
    return said.filter((text) => /FATAL|ERROR|HINT|LOG: {2}could/.test(text)).join(" ") || said.join(" ");
  })();
  const stop = async () => {
    child.stdin.end();
    const isLate = await withTimeLimit(5_000, exited, () => true);
    if (isLate) {
      await stopServer(pid);
      endGroup(child); // the shell around the server
    }
    await exited;
  };
  return { ready, running: () => ({ pid, exited, stop }) };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, "SIGKILL");
  } catch {
    // the process has ended
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), "close");
  return port;
}
