import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPool } from "../../../src/adapters/postgres/pool.js";
import { firstBlockedFolder } from "../../../src/embedded/postgres/account.js";
import { withLeash } from "../../../src/embedded/postgres/leash.js";
import { type PostgresServer, startPostgres } from "../../../src/embedded/postgres/server.js";
import { readPidFile } from "../../../src/embedded/postgres/serverProcess.js";
import { isAlive } from "../../../src/embedded/processes.js";
import { kill, until } from "../../support/processes.js";

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
const root = fileURLToPath(new URL("../../..", import.meta.url));

let temporary: string;
/** The temporary folder, or one in it. */
let folder: string;
let servers: PostgresServer[] = [];
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "waybill-test-embedded-"));
  folder = temporary;
  await chmod(folder, 0o755);
});
afterEach(async () => {
  for (const server of servers) await server.stop();
  servers = [];
  await rm(temporary, { recursive: true, force: true });
});

let made: string | undefined;
afterAll(() => made && rm(made, { recursive: true, force: true }));

/** Copies the folder of a stopped server, which is made once, since making it takes a second. */
async function haveServer(): Promise<void> {
  if (made === undefined) {
    made = await mkdtemp(join(tmpdir(), "waybill-test-made-"));
    await chmod(made, 0o755);
    await (await startPostgres({ folder: made, durable: false })).stop();
  }
  await promisify(execFile)("cp", ["-a", `${made}/.`, folder]); // with the owner of each file
}

async function start(options: { durable?: boolean; lines?: string[]; port?: number } = {}): Promise<PostgresServer> {
  const onLine = (line: string) => void options.lines?.push(line);
  const server = await startPostgres({ folder, durable: options.durable ?? false, onLine, port: options.port ?? 0 });
  servers.push(server);
  return server;
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** The processes that would stop the server: first the shell that waits for the pipe to close, then the shell that started the server. */
async function watchersOf(server: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const processes = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const shell = processes.find(([pid]) => pid === server)?.[1] ?? 0;
  const waiting = processes.filter(([pid, parent]) => parent === shell && pid !== server).map(([pid]) => pid ?? 0);
  return [...waiting, shell];
}

test("a server keeps its data over a stop, a crash and the death of its parent process", async () => {
  const first = await start({ durable: true });
  const settings =
    "select current_setting('fsync') fsync, current_setting('TimeZone') zone, current_setting('server_encoding') encoding, datcollate from pg_database where datname = current_database()";
  expect(await ask(first.url, settings)).toEqual([{ fsync: "on", zone: "UTC", encoding: "UTF8", datcollate: "C" }]);
  await ask(first.url, "create table kept as select 42 as answer");
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);

  const second = await start({ durable: true });
  kill(second.pid, "SIGKILL");
  await second.exited;
  const third = await start({ durable: true });
  expect(await ask(third.url, "select * from kept")).toEqual([{ answer: 42 }]);

  // The process that watches the server is killed too: only the next start can stop the server.
  const watchers = await watchersOf(third.pid);
  expect(watchers).toHaveLength(2);
  for (const pid of watchers) kill(pid, "SIGKILL");
  await third.exited;
  expect(isAlive(third.pid)).toBe(true);
  const lines: string[] = [];
  const fourth = await start({ lines });
  expect(isAlive(third.pid)).toBe(false);
  expect(lines).toContain(`stopping Postgres ${third.pid}, left running by an earlier start`);
  expect(await ask(fourth.url, "select * from kept")).toEqual([{ answer: 42 }]);
});

test("the next start after a kill brings the server back at its port, though its pid file still says ready", async () => {
  await haveServer();
  const first = await start();
  kill(first.pid, "SIGKILL");
  await first.exited;
  const data = join(folder, "data");
  expect(await readPidFile(data)).toMatchObject({ pid: first.pid, port: first.port, ready: true });
  const second = await start({ port: first.port });
  expect(second.port).toBe(first.port);
  expect(isAlive(second.pid)).toBe(true);
  expect((await readPidFile(data))?.pid).toBe(second.pid);
  expect(await ask(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

describe("its socket file", () => {
  const socketsIn = async (data: string) => (await readdir(data)).filter((name) => /^\.s\.PGSQL\.\d+$/.test(name));

  test("leads to the same database; the one of a killed server is removed at the next start", async () => {
    folder = join(folder, 'odd, "name" ü');
    await mkdir(folder);
    await haveServer();
    const first = await start();
    await ask(first.url, "create table here as select 42 as answer");
    const bySocket = 'select answer, inet_server_addr() is null as "bySocket" from here';
    expect(await ask(first.socketUrl ?? "", bySocket)).toEqual([{ answer: 42, bySocket: true }]);
    kill(first.pid, "SIGKILL");
    await first.exited;
    const second = await start();
    expect(await socketsIn(join(folder, "data"))).toEqual([`.s.PGSQL.${second.port}`]);
    await second.stop();
    expect(await socketsIn(join(folder, "data"))).toEqual([]);
    const pool = createPool({ url: second.socketUrl ?? "", applicationName: "test" });
    await expect(pool.query("select 1")).rejects.toMatchObject({ name: "StoreUnavailable", fault: "outage" });
    await pool.end();
  });

  test("cannot be made: the server starts without one", async () => {
    await haveServer();
    const { port } = await start();
    await servers.pop()?.stop();
    await mkdir(join(folder, "data", `.s.PGSQL.${port}`)); // stands where the socket would be
    const server = await start({ port });
    expect(server.socketUrl).toBe(undefined);
    expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test.each([
    [100, true],
    [101, false],
  ])("whose path would have %i bytes is there or not; the port always is", async (bytes, isThere) => {
    const rest = bytes - Buffer.byteLength(join(folder, "data", ".s.PGSQL.65535")) - 1;
    folder = join(folder, "x".repeat(rest));
    await mkdir(folder);
    await haveServer();
    const server = await start();
    expect(server.socketUrl !== undefined).toBe(isThere);
    expect(await socketsIn(join(folder, "data"))).toHaveLength(isThere ? 1 : 0);
    for (const url of [server.url, server.socketUrl ?? server.url]) expect(await ask(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

test("a server that cannot be set up is not left running", async () => {
  await haveServer();
  await writeFile(join(folder, "password"), "not the one it asks for");
  await expect(start()).rejects.toThrow(/password authentication failed/);
  expect(await readPidFile(join(folder, "data"))).toBeUndefined();
});

test("a pid file whose number now belongs to another process does not prevent a start", async () => {
  await haveServer();
  const data = join(folder, "data");
  await writeFile(join(data, "postmaster.pid"), `${process.pid}\n${data}\n1700000000\n5432\n\n127.0.0.1\n  1 2\nready   \n`);
  const second = await start();
  expect(await ask(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect((await readPidFile(data))?.pid).toBe(second.pid);
});

test("an interrupted set-up starts over", async () => {
  await mkdir(join(folder, "data.new"));
  await writeFile(join(folder, "data.new", "PG_VERSION"), "18\n");
  const server = await start();
  expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("`firstBlockedFolder` names the folder that an account may not enter", async () => {
  const closed = join(folder, "closed");
  await mkdir(join(closed, "inside"), { recursive: true });
  await chmod(closed, 0o700);
  expect(await firstBlockedFolder([join(closed, "inside", "data")], nobody)).toBe(closed);
  await chmod(closed, 0o711);
  expect(await firstBlockedFolder([join(closed, "inside", "data")], nobody)).toBe(undefined);
});

test.runIf(isRoot && process.platform === "linux" && existsSync("/usr/bin/setpriv"))(
  "as root, a server starts in a folder that only root may enter",
  async () => {
    await chmod(folder, 0o700);
    const server = await start();
    expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  },
);

const reachable = isRoot && (await firstBlockedFolder([join(root, "dist", "x"), process.execPath], nobody)) === undefined;
test.runIf(reachable)("an ordinary user can run a server, and root can go on with its folder", async () => {
  await chown(folder, nobody.uid, nobody.gid);
  const script = `
    import { startPostgres } from "./dist/embedded/postgres/server.js";
    const server = await startPostgres({ folder: process.argv[1], durable: false });
    process.stdout.write(String(server.pid));
    await server.stop();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, folder], { cwd: root, ...nobody });
  expect(Number(stdout)).toBeGreaterThan(0);
  await until("it is gone", async () => !isAlive(Number(stdout)));
  const asRoot = await start(); // on the folder that the ordinary user's server made
  expect(await ask(asRoot.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("when the pipe closes while the server is still starting and ignores SIGINT, the signal is sent again until it works", async () => {
  // A shell's background child ignores SIGINT.
  const deafAtFirst = `echo here; sleep 1; exec "${process.execPath}" -e 'setInterval(() => undefined, 1000)'`;
  const [shellPath = "", ...args] = withLeash(["sh", "-c", deafAtFirst]);
  const shell = spawn(shellPath, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
  try {
    await once(shell.stdout, "data"); // now it runs; before that the signal would end it
    shell.stdin.end();
    expect(await once(shell, "exit", { signal: AbortSignal.timeout(60_000) })).toEqual([130, null]);
  } finally {
    if (shell.pid && shell.exitCode === null) process.kill(-shell.pid, "SIGKILL");
  }
});
