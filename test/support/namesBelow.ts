import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The relative paths of everything below a folder. Processes may be at work in it: a folder that is removed meanwhile counts as empty. */
export async function namesBelow(folder: string): Promise<string[]> {
  return (await entriesBelow(folder)).map(({ name }) => name);
}

/** The full paths of the files below a folder, read in the same way. */
export async function filesBelow(folder: string): Promise<string[]> {
  return (await entriesBelow(folder)).filter(({ entry }) => entry.isFile()).map(({ name }) => join(folder, name));
}

interface Found {
  readonly name: string;
  readonly entry: Dirent;
}

async function entriesBelow(folder: string, below = ""): Promise<Found[]> {
  const found: Found[] = [];
  for (const entry of await readdir(join(folder, below), { withFileTypes: true }).catch(nothingIfGone)) {
    const name = join(below, entry.name);
    found.push({ name, entry }, ...(entry.isDirectory() ? await entriesBelow(folder, name) : []));
  }
  return found;
}

function nothingIfGone(error: NodeJS.ErrnoException): Dirent[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
