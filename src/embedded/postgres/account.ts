import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The account that Postgres runs as: this process's own, or another one, since Postgres refuses to run as root. */
export interface Account {
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
  /** Comes before the program and its arguments. */
  readonly prefix: readonly string[];
  /** For spawn; empty when the prefix changes the account already. */
  readonly spawnAs: { readonly uid?: number; readonly gid?: number };
}

/** Chooses the account and checks that it can reach these paths. Existing data keeps its owner. */
export async function chooseAccount(data: string, paths: readonly string[]): Promise<Account> {
  if (process.getuid?.() !== 0) return { ids: undefined, prefix: [], spawnAs: {} };
  const ids = (await ownerOf(data)) ?? (await idsOf("postgres")) ?? (await createAccount()) ?? (await idsOf("nobody"));
  if (!ids) throw new Error("Postgres does not run as root and there is no `postgres` account. Run as an ordinary user instead.");
  const blocked = await firstUnreadableFolder(paths, ids);
  if (!blocked) return { ids, prefix: [], spawnAs: ids };
  const prefix = await prefixThatReaches(paths, ids);
  if (prefix) return { ids, prefix, spawnAs: {} };
  throw new Error(
    `Postgres does not run as root, and the account it runs as instead cannot pass through ${blocked}. ` +
      `Run \`chmod o+x ${blocked}\`, move the project (or DATA_DIR) to a folder open to all, or run as an ordinary user.`,
  );
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

async function idsOf(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, name])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    return undefined;
  }
}

async function createAccount(): Promise<{ uid: number; gid: number } | undefined> {
  await run("useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", "postgres"]).catch(() => undefined);
  return idsOf("postgres");
}

/** The topmost parent folder of one of the paths that the account may not enter. */
export async function firstUnreadableFolder(paths: readonly string[], ids: { uid: number; gid: number }): Promise<string | undefined> {
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

/** Other accounts cannot enter a project folder below /root. Where the system can, the server gets the capability to pass through folders. */
async function prefixThatReaches(paths: readonly string[], ids: { uid: number; gid: number }): Promise<string[] | undefined> {
  for (const right of ["dac_read_search", "dac_override"]) {
    const rights = [`--inh-caps=-all,+${right}`, `--ambient-caps=-all,+${right}`, `--bounding-set=-all,+${right}`];
    const who = [`--reuid=${ids.uid}`, `--regid=${ids.gid}`, "--clear-groups", "--securebits=+no_setuid_fixup"];
    const prefix = ["setpriv", ...who, ...rights];
    const probe = ["sh", "-c", 'for path; do test -x "$path" || exit 1; done', "probe", ...paths.map((path) => dirname(path))];
    if (await run("setpriv", [...prefix.slice(1), ...probe]).catch(() => undefined)) return prefix;
  }
  return undefined;
}
