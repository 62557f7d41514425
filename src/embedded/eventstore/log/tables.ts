import { join } from "node:path";
import { type Database, open } from "lmdb";

export const fileOf = (folder: string): string => join(folder, "events.mdb");

export type Tables = ReturnType<typeof openTables>;

/** `log`, blocks by position; `index`, where each stream's blocks are; and `claims`, whose the folder is. */
export function openTables(folder: string) {
  const root = open({
    path: fileOf(folder),
    encoding: "binary",
    maxDbs: 4,
    overlappingSync: false, // so that its promise means what an acknowledgement must: on the disk, also after a power cut
    eventTurnBatching: false, // the log groups transactions itself; the library's grouping rejects a promise that cannot be caught
  });
  const log: Database<Buffer, number> = root.openDB("log", { encoding: "binary" });
  const index: Database<Buffer, [string, number]> = root.openDB("index", { encoding: "binary" });
  const claims: Database<string, string> = root.openDB("claims", { encoding: "string" });
  return { root, log, index, claims };
}
