import { spawn, spawnSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../processes.js";

/** Whether PgBouncer is installed here (`apt-get install pgbouncer`). */
export const poolerInstalled = spawnSync("pgbouncer", ["--version"]).status === 0;

export interface TestPooler {
  /** The same database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The setting that docs/operations.md gives for transaction mode. */
export const ignoredParameters = "statement_timeout,idle_in_transaction_session_timeout";

/** Starts a real PgBouncer in front of the database. In transaction mode each transaction of a client may run on another server session. */
export async function startTestPooler(
  database: string,
  mode: "transaction" | "session",
  ignored: string = ignoredParameters,
): Promise<TestPooler> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-pooler-"));
  const start = async () => startIn(folder, database, `pool_mode = ${mode}\nignore_startup_parameters = ${ignored}\n`);
  try {
    return await start().catch((error: unknown) => (error instanceof EndedAtStart ? start() : Promise.reject(error)));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Another process may have taken the port in the meantime. */
class EndedAtStart extends Error {}

async function startIn(folder: string, database: string, settings: string): Promise<TestPooler> {
  const server = new URL(database);
  // By its address: PgBouncer goes through all addresses of a name, and the database may listen on one of them alone.
  const { address } = await lookup(server.hostname.replace(/^\[|\]$/g, ""), { verbatim: false });
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  const users = join(folder, "users.txt");
  await writeFile(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
  await writeFile(
    file,
    `[databases]
* = host=${address} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
server_round_robin = 1
default_pool_size = 6
max_client_conn = 200
${settings}`,
  );
  for (const path of [folder, file, users]) await chmod(path, 0o755);
  // PgBouncer refuses to run as root.
  const child = spawn("pgbouncer", [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), file], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  const url = new URL(database);
  url.host = `127.0.0.1:${port}`; // where it listens; the database may be elsewhere
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const end = async () => {
    if (hasEnded()) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  for (const deadline = Date.now() + 90_000; !(await answers(url.href)); ) {
    if (hasEnded()) throw new EndedAtStart(`PgBouncer ended at its start: ${said}`);
    if (Date.now() < deadline) continue;
    await end();
    throw new Error(`PgBouncer does not answer at ${url.host}: ${said}`);
  }
  return {
    url: url.href,
    stop: async () => {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  return client.connect().then(
    () => client.end().then(() => true),
    () => new Promise((settle) => setTimeout(() => settle(false), 20)),
  );
}
