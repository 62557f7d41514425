import { stat } from "node:fs/promises";

/** Tells a folder from its copies, wherever it is moved: what a running service noted in it means nothing in a copy. */
export async function folderIdentity(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}
