import { spawn, spawnSync } from "node:child_process";
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
  const server = new URL(database);
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-pooler-"));
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  const users = join(folder, "users.txt");
  await writeFile(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
  await writeFile(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
server_round_robin = 1
default_pool_size = 6
max_client_conn = 200
ignore_startup_parameters = ${ignored}
`,
  );
  for (const path of [folder, file, users]) await chmod(path, 0o755);
  // PgBouncer refuses to run as root.
  const child = spawn("pgbouncer", [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), file], { stdio: "ignore" });
  const url = new URL(database);
  url.port = String(port);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const deadline = Date.now() + 90_000; !(await answers(url.href)); ) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error("PgBouncer did not start");
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: url.href, stop };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  return client.connect().then(
    () => client.end().then(() => true),
    () => new Promise((settle) => setTimeout(() => settle(false), 20)),
  );
}
