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
  /** Whether data survives a power cut. False only in tests, whose data is thrown away. */
  readonly durable: boolean;
  /** The port to listen on; 0 or undefined for any free one. For a restart the caller gives the earlier port, to keep the address. */
  readonly port?: number;
  readonly onLine?: (line: string) => void;
  /** Aborts when the caller gives up the start. */
  readonly signal?: AbortSignal;
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/**
 * `url` reaches the database over TCP, `socketUrl` through a socket file. It is undefined if the file system has no sockets or the path is
 * too long. Callers prefer it: over TCP the server fills 4 MB of buffers with a COPY as fast as it can, while requests wait for a core;
 * through the socket file it is at most 200 KB ahead of the reader. `exited` resolves when the server has ended, by `stop` or by itself.
 */
export async function startPostgres(options: PostgresOptions) {
  const folder = resolve(options.folder);
  const data = join(folder, "data");
  const onLine = options.onLine ?? (() => undefined);
  await mkdir(folder, { recursive: true });
  const { durable, signal } = options;
  const { initdb, postgres } = await findBinaries();
  const account = await chooseAccount(data, [postgres, data]);
  const password = await ensureCluster({ initdb, folder, data, account, durable, signal });
  await stopLeftover(data, (pid) => onLine(`stopping Postgres ${pid}, left running by an earlier start`));
  await removeSockets(data);
  let useSocket = hasRoomForSocket(data);
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port || (await freePort());
    const server = await launch({ ...options, postgres, data, port, useSocket, account, onLine });
    const failure = await server.startFailure;
    if (failure === undefined) {
      const url = await createDatabase({ port, password }).catch(async (error: unknown) => {
        await server.handle().stop(); // the caller gets no handle with which to stop it
        throw error;
      });
      return { url, socketUrl: useSocket ? `${url}?host=${encodeURIComponent(data)}` : undefined, port, ...server.handle() };
    }
    signal?.throwIfAborted();
    if (useSocket && failure.includes("Unix-domain socket")) {
      useSocket = false; // some file systems have no sockets
      continue;
    }
    if (attempt === 20 || !/could not bind|already in use|still in use|lock file/.test(failure)) {
      throw new Error(`Embedded Postgres did not start: ${failure || "no reason given"}`);
    }
    await pause(250); // another program took the port, or processes of a killed server are still ending
  }
}

const socketName = ".s.PGSQL.";
/** Short enough for every system. */
const maxSocketPathBytes = 100;
const hasRoomForSocket = (data: string) => Buffer.byteLength(join(data, `${socketName}65535`)) <= maxSocketPathBytes;

/** A killed server leaves its socket file. The name has its port, so a later start does not overwrite the file. */
async function removeSockets(data: string): Promise<void> {
  for (const name of await readdir(data))
    if (name.startsWith(socketName)) await rm(join(data, name), { force: true }).catch(() => undefined); // a file that stays does no harm
}

interface LaunchOptions extends PostgresOptions {
  readonly postgres: string;
  readonly data: string;
  readonly port: number;
  /** Whether the server also listens on a socket file. */
  readonly useSocket: boolean;
  readonly account: Account;
  readonly onLine: (line: string) => void;
}

const maxSilenceMs = 60_000;

async function launch({ postgres, data, port, useSocket, durable, account, onLine, signal }: LaunchOptions) {
  const oldFile = await readPidFile(data); // the file of a killed server still says "ready"
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: useSocket ? `"${data.replaceAll('"', '""')}"` : "", // a list, so a path with commas or blanks needs quotes
    max_connections: 200,
    ...(process.platform === "win32" ? {} : { dynamic_shared_memory_type: "mmap" }), // a killed server leaves nothing outside its folder
    fsync: durable ? "on" : "off",
    ...(durable ? {} : { synchronous_commit: "off", full_page_writes: "off" }),
    log_checkpoints: "off",
    timezone: "UTC",
    log_timezone: "UTC",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = startOnLeash([postgres, "-D", data, ...flags], account);
  let lastOutputAt = performance.now();
  const lastLines: string[] = [];
  child.stderr.on("data", (chunk: string) => {
    lastOutputAt = performance.now();
    const lines = chunk.split("\n").filter((text) => text.trim() !== "");
    for (const line of lines) onLine(line);
    lastLines.push(...lines);
    lastLines.splice(0, lastLines.length - 10);
  });
  let pid = 0;
  let hasExited = false;
  const exited = once(child, "exit")
    .catch(() => undefined)
    .then(() => {
      hasExited = true;
    });
  /** Resolves with undefined when the server is ready, or with the reason why it did not start. */
  const startFailure = (async () => {
    // Recovery after a crash may take long. The server logs its progress every ten seconds, so only silence ends the wait.
    while (!hasExited && performance.now() - lastOutputAt < maxSilenceMs && !signal?.aborted) {
      const file = await readPidFile(data);
      const isOld = file?.pid === oldFile?.pid && file?.startedAt === oldFile?.startedAt;
      if (file?.port === port && file.ready && !isOld) {
        pid = file.pid;
        return undefined;
      }
      await pause(15);
    }
    child.stdin.end();
    await withTimeLimit(5_000, exited, () => undefined);
    return lastLines.filter((text) => /FATAL|ERROR|HINT|LOG: {2}could/.test(text)).join(" ") || lastLines.join(" ");
  })();
  const stop = async () => {
    child.stdin.end();
    const isLate = await withTimeLimit(5_000, exited, () => true);
    if (isLate) {
      await stopServer(pid);
      killGroup(child); // ends the shell of the leash too
    }
    await exited;
  };
  return { startFailure, handle: () => ({ pid, exited, stop }) };
}

function killGroup({ pid }: ChildProcess): void {
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
