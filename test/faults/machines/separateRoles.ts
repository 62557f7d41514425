// The three roles, each in its own process. The network to each store can be broken, and each store can be frozen.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { pino } from "pino";
import { connectEventStore } from "../../../src/adapters/eventStore/connect.js";
import { migrate } from "../../../src/adapters/postgres/migrate.js";
import { createPool } from "../../../src/adapters/postgres/pool.js";
import { startPostgres } from "../../../src/embedded/postgres/server.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { freePort, kill, program, until } from "../../support/processes.js";
import { type Own, starting } from "../../support/starting.js";
import { startTestEventStore } from "../../support/stores/eventStore.js";
import { createTestDatabase } from "../../support/stores/postgres.js";
import { s3Variables, startTestS3 } from "../../support/stores/stores.js";
import { startTcpProxy, type TcpProxy } from "../../support/stores/tcpProxy.js";
import type { Customer } from "../callers/customer.js";
import { newCustomerOn } from "./product.js";

export type StoreName = "event store" | "database" | "object store";

export interface SeparateRoles {
  readonly url: string;
  readonly proxies: Readonly<Record<StoreName, TcpProxy>>;
  readonly eventStore: EventStore;
  newCustomer(): Promise<Customer>;
  /** Sends SIGSTOP to every process of a store. The returned function lets them go on. */
  freeze(store: StoreName): Promise<() => void>;
  readonly processes: readonly RoleProcess[];
  readonly pool: Pool;
  /** The database's own address, past the proxy. */
  readonly databaseUrl: string;
  /** The folder of the roles' files, and of Postgres if it is not the shared one. */
  readonly folder: string;
  /** The folder of the embedded event store, if that is used. */
  readonly eventStoreFolder: string | undefined;
  /** The environment for commands beside the roles. */
  readonly environment: Record<string, string>;
  close(): Promise<void>;
}

export type Role = "api" | "worker" | "projector";

export interface RoleProcess {
  readonly role: Role;
  readonly pid: number;
  /** The address of an API process. */
  readonly url: string;
  log(): string;
  stop(): Promise<void>;
}

export interface RoleOptions {
  /** The roles to start, each with the hours that its clock is ahead. */
  readonly roles?: readonly (readonly [role: Role, hoursAhead: number])[];
  /** Use a folder instead of S3, whose signatures need a correct clock. */
  readonly fileObjects?: boolean;
  /** Use a database of the Postgres server that all tests share, for tests that do not stop or freeze the server. Starting one takes seconds. */
  readonly sharedServer?: boolean;
  readonly environment?: Record<string, string>;
}

export const signingSecret = "a secret of thirty-two characters";
const shiftedClock = new URL("./shiftedClock.mjs", import.meta.url).href;
const stallProbe = new URL("./stallProbe.mjs", import.meta.url).href;
const oneOfEach = [
  ["api", 0],
  ["worker", 0],
  ["projector", 0],
] as const;

export const startSeparateRoles = (options: RoleOptions = {}): Promise<SeparateRoles> => starting((own) => startParts(own, options));

async function startParts(own: Own, { roles = oneOfEach, ...options }: RoleOptions): Promise<Omit<SeparateRoles, "close">> {
  const folder = await own(mkdtemp(join(tmpdir(), "waybill-faults-")), (path) => rm(path, { recursive: true, force: true }));
  const [postgres, store, s3] = await Promise.all([
    own(options.sharedServer ? sharedDatabase() : ownDatabase(join(folder, "postgres")), ({ close }) => close()),
    own(startTestEventStore(), ({ stop }) => stop()),
    options.fileObjects ? undefined : own(startTestS3(), ({ close }) => close()),
  ]);
  const proxyTo = (address: string) => own(startTcpProxy(address), (proxy) => proxy.stop());
  const [events, database, objects] = await Promise.all([
    proxyTo(store.address),
    proxyTo(postgres.url),
    proxyTo(s3?.options.endpoint ?? "http://127.0.0.1:1"),
  ]);
  const { pool } = postgres;
  const eventStore = await own(connectEventStore({ address: store.address, logger: pino({ level: "silent" }) }), (connected) =>
    connected.close(),
  );
  const env = {
    ...{ PATH: process.env["PATH"] ?? "", TMPDIR: folder, LOG_LEVEL: "info", RATE_LIMIT_PER_MINUTE: "1000000", MAX_QUEUED_IMPORTS: "1000" },
    ...{ DATABASE_URL: database.address, EVENTSTORE_URL: events.address, SIGNING_SECRET: signingSecret, DATA_DIR: folder },
    ...(s3 ? { ...s3Variables(s3.options), S3_ENDPOINT: objects.address } : {}),
    ...options.environment,
  };
  const processes = await Promise.all(
    roles.map(([role, hours]) =>
      own(
        startRole(
          role,
          hours === 0
            ? { ...env, ...(role === "api" ? { NODE_OPTIONS: `--import=${stallProbe}` } : {}) }
            : { ...env, NODE_OPTIONS: `--import=${shiftedClock}`, CLOCK_SHIFT_MS: String(hours * 3_600_000) },
        ),
        ({ stop }) => stop(),
      ),
    ),
  );
  return {
    url: processes.find(({ role }) => role === "api")?.url ?? "",
    processes,
    pool,
    databaseUrl: postgres.url,
    folder,
    eventStoreFolder: store.folder,
    environment: env,
    proxies: { "event store": events, database, "object store": objects },
    eventStore,
    newCustomer: () => newCustomerOn(pool, eventStore),
    freeze: async (name) => {
      const pids = name === "database" ? await withChildren(postgres.pid) : [(name === "event store" ? store.pid : s3?.pid) ?? 0];
      for (const pid of pids) kill(pid, "SIGSTOP");
      return () => {
        for (const pid of pids) kill(pid, "SIGCONT");
      };
    },
  };
}

interface Database {
  readonly url: string;
  readonly pool: Pool;
  /** The server's pid; 0 for the shared server, which must not be frozen. */
  readonly pid: number;
  close(): Promise<void>;
}

async function ownDatabase(folder: string): Promise<Database> {
  const server = await startPostgres({ folder, durable: false });
  const pool = createPool({ url: server.url, applicationName: "faults" });
  const close = async () => {
    await pool.end();
    await server.stop();
  };
  try {
    await migrate(pool);
  } catch (error) {
    await close();
    throw error;
  }
  return { url: server.url, pool, pid: server.pid, close };
}

async function sharedDatabase(): Promise<Database> {
  return { ...(await createTestDatabase()), pid: 0 };
}

/** Starts a role and waits until it is ready. */
export async function startRole(role: Role, env: Record<string, string>): Promise<RoleProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, role], { env: { ...env, PORT: String(port) }, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const log = collect(child);
  const stop = async () => {
    kill(child.pid ?? 0, "SIGCONT");
    kill(child.pid ?? 0, "SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await exited;
  };
  try {
    await until(`${role} is ready`, async () => child.exitCode !== null || log().includes('"ready"'));
  } catch (error) {
    await stop();
    throw error;
  }
  if (child.exitCode !== null) throw new Error(log());
  return { role, pid: child.pid ?? 0, url: `http://127.0.0.1:${port}`, log, stop };
}

function collect(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

/** The pids of a server and of its child processes. */
async function withChildren(pid: number): Promise<number[]> {
  const parents = await Promise.all(
    (await readdir("/proc"))
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
        return { pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) };
      }),
  );
  return [pid, ...parents.filter(({ parent }) => parent === pid).map((child) => child.pid)];
}
