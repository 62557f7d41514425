import type { Database } from "lmdb";
import { processIdentity } from "../../processes.js";

const KEY = "owner";

/** The data folder belongs to a process that is alive. */
export class FolderInUse extends Error {}

interface Claim {
  pid: number;
  identity: string;
}

/** Takes the folder for this process. Throws FolderInUse if a live process has it. The claim of a process that is gone is replaced. */
export async function claimFolder(claims: Database<string, string>, folder: string): Promise<void> {
  const own: Claim = { pid: process.pid, identity: (await processIdentity(process.pid)) ?? String(process.pid) };
  for (;;) {
    claims.resetReadTxn();
    const found = claims.get(KEY);
    const owner = found === undefined ? undefined : (JSON.parse(found) as Claim);
    if (owner && (await processIdentity(owner.pid)) === owner.identity) {
      throw new FolderInUse(
        `${folder} is in use by process ${owner.pid}: one event store per data folder. Stop that one, or give this one another folder.`,
      );
    }
    // LMDB's writer lock is shared by all processes and is released when its holder dies: of several that try, one gets the folder.
    if (claims.transactionSync(() => claims.get(KEY) === found && claims.putSync(KEY, JSON.stringify(own)))) return;
  }
}

export async function releaseFolder(claims: Database<string, string>): Promise<void> {
  await claims.remove(KEY);
}
