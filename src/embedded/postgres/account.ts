import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The account that Postgres runs as: that of this process, or another one instead of root, since Postgres refuses to run as root. */
export interface Account {
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
  /** The words to put before the program and its arguments. */
  readonly prefix: readonly string[];
  /** The options for `spawn`. Empty if the prefix already changes the account. */
  readonly spawnAs: { readonly uid?: number; readonly gid?: number };
}

/** Chooses the account (for existing data their owner, unless that is root), and makes sure that it can reach these paths. */
export async function chooseAccount(data: string, paths: readonly string[]): Promise<Account> {
  if (process.getuid?.() !== 0) return { ids: undefined, prefix: [], spawnAs: {} };
  const ids = (await ownerIds(data)) ?? (await accountIds("postgres")) ?? (await createAccount()) ?? (await accountIds("nobody"));
  if (!ids) throw new Error("Postgres does not run as root and there is no `postgres` account. Run as an ordinary user instead.");
  const blockedFolder = await firstBlockedFolder(paths, ids);
  if (!blockedFolder) return { ids, prefix: [], spawnAs: ids };
  const prefix = await capabilityPrefix(paths, ids);
  if (prefix) return { ids, prefix, spawnAs: {} };
  throw new Error(
    `Postgres does not run as root, and the account it runs as instead cannot pass through ${blockedFolder}. ` +
      `Run \`chmod o+x ${blockedFolder}\`, move the project (or DATA_DIR) to a folder open to all, or run as an ordinary user.`,
  );
}

async function ownerIds(path: string): Promise<{ uid: number; gid: number } | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

async function accountIds(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, name])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    return undefined;
  }
}

async function createAccount(): Promise<{ uid: number; gid: number } | undefined> {
  await run("useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", "postgres"]).catch(() => undefined);
  return accountIds("postgres");
}

/** The first folder on the way to one of the paths that the account may not enter. Undefined if it can reach them all. */
export async function firstBlockedFolder(paths: readonly string[], ids: { uid: number; gid: number }): Promise<string | undefined> {
  for (const path of paths) {
    const names = dirname(path).split(sep);
    for (const depth of names.keys()) {
      const folder = names.slice(0, depth + 1).join(sep) || sep;
      const { mode, uid, gid } = await stat(folder);
      const needed = uid === ids.uid ? 0o100 : gid === ids.gid ? 0o010 : 0o001;
      if ((mode & needed) === 0) return folder;
    }
  }
  return undefined;
}

/** A prefix that gives the server the capability to pass through all folders, for a project below /root. Undefined if none works. */
async function capabilityPrefix(paths: readonly string[], ids: { uid: number; gid: number }): Promise<string[] | undefined> {
  for (const capability of ["dac_read_search", "dac_override"]) {
    const capabilities = ["inh-caps", "ambient-caps", "bounding-set"].map((set) => `--${set}=-all,+${capability}`);
    const identity = [`--reuid=${ids.uid}`, `--regid=${ids.gid}`, "--clear-groups", "--securebits=+no_setuid_fixup"];
    const prefix = ["setpriv", ...identity, ...capabilities];
    const probe = ["sh", "-c", 'for path; do test -x "$path" || exit 1; done', "probe", ...paths.map((path) => dirname(path))];
    if (await run("setpriv", [...prefix.slice(1), ...probe]).catch(() => undefined)) return prefix;
  }
  return undefined;
}
