import { stat } from "node:fs/promises";

/** Stays the same when a folder is moved and differs in a copy: a lock or runtime file in a copied folder does not count. */
export async function folderIdentity(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}
