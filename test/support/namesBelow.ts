import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Everything below a folder in which processes are at work, by its path there: what goes while it is looked at is left out. */
export async function namesBelow(folder: string): Promise<string[]> {
  return (await entriesBelow(folder)).map(({ name }) => name);
}

/** The paths of the files below such a folder. */
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
