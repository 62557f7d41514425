import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Database } from "lmdb";

const KEY = "owner";

/** The data folder belongs to a process that is alive. */
export class FolderInUse extends Error {}

interface Claim {
  pid: number;
  /** When that process began: a number that came back after a reboot or a wrap belongs to somebody else. */
  startedAt: string;
}

/** Takes the folder for this process, or says who has it. LMDB's writer lock, which dies with its holder, makes it one at a time. */
export function claimFolder(claims: Database<string, string>, folder: string): () => Promise<void> {
  const own: Claim = { pid: process.pid, startedAt: startOf(process.pid) ?? "" };
  claims.transactionSync(() => {
    const owner = readClaim(claims.get(KEY));
    if (owner && startOf(owner.pid) === owner.startedAt) {
      throw new FolderInUse(
        `${folder} is in use by process ${owner.pid}: one event store per data folder. Stop that one, or give this one another folder.`,
      );
    }
    claims.putSync(KEY, JSON.stringify(own));
  });
  return async () => {
    await claims.remove(KEY);
  };
}

function readClaim(text: string | undefined): Claim | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Claim);
  } catch {
    return undefined;
  }
}

/** Something that no other process under this number has; undefined where there is none. */
function startOf(pid: number): string | undefined {
  return startFromProc(pid) ?? startFromPs(pid);
}

function startFromProc(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before may hold anything
    return state === "Z" ? undefined : `${boot}/${rest[18]}`;
  } catch {
    return undefined;
  }
}

function startFromPs(pid: number): string | undefined {
  if (process.platform === "linux") return undefined;
  try {
    return (
      execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() ||
      undefined
    );
  } catch {
    return undefined;
  }
}
