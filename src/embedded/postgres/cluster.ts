import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import type { Account } from "./account.js";

export interface ClusterOptions {
  readonly initdb: string;
  readonly folder: string;
  readonly data: string;
  readonly account: Account;
  readonly durable: boolean;
}

/** Sets the data folder up on the first start; answers the password that this folder's server asks for. */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const password = await readPassword(options.folder);
  const complete = await stat(join(options.data, "PG_VERSION")).catch(() => undefined);
  if (!complete) await createCluster(options, password);
  return password;
}

/** Answers the address of the product's own database. */
export async function createDatabase({ port, password }: { port: number; password: string }): Promise<string> {
  const base = `postgres://waybill:${password}@127.0.0.1:${port}`;
  const client = new pg.Client({ connectionString: `${base}/postgres` });
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = 'waybill'");
    if (rowCount === 0) await client.query("create database waybill");
  } finally {
    await client.end();
  }
  return `${base}/waybill`;
}

/** Made in a folder beside and moved into place whole, so that a killed first start leaves no half cluster. */
async function createCluster({ initdb, folder, data, account, durable }: ClusterOptions, password: string): Promise<void> {
  const fresh = join(folder, "data.new");
  const passwordFile = join(folder, "password.initdb");
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account.ids) {
    for (const path of [fresh, passwordFile]) await chown(path, account.ids.uid, account.ids.gid);
  }
  const flags = ["--username=waybill", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions"];
  if (!durable) flags.push("--no-sync");
  const command = [...account.prefix, "env", "TZ=UTC", "LC_ALL=C", initdb, `--pgdata=${fresh}`, `--pwfile=${passwordFile}`, ...flags];
  try {
    await promisify(execFile)(command[0] as string, command.slice(1), { ...account.spawnAs, cwd: "/" });
    await rename(fresh, data);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    const { stderr, message } = error as Error & { stderr?: string };
    const said = stderr?.trim() || message;
    const advice = said.includes("user does not exist") ? " Run as a user that has an account on this machine, or set DATABASE_URL." : "";
    throw new Error(`Embedded Postgres could not be set up in ${folder}: ${said}.${advice}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function readPassword(folder: string): Promise<string> {
  const path = join(folder, "password");
  const known = await readFile(path, "utf8").catch(() => "");
  if (known) return known;
  const password = randomBytes(18).toString("base64url");
  await writeFile(path, password, { mode: 0o600, flush: true });
  return password;
}
