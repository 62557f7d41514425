import { randomUUID } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { CommandFault, command, print } from "./outcome.js";
import { withStores } from "./withStores.js";

export function addLocalityCommands(program: Command): void {
  const localities = program.command("localities").description("postcodes and suburbs of countries that do not come with the product");
  localities
    .command("import")
    .description("load a country's postcodes; replaces what was loaded for it before")
    .argument("<file>", "GeoNames postal code file (tab-separated), or CSV with a header")
    .action(command(load));
}

async function load(source: string): Promise<void> {
  if (!(await stat(source).catch(() => undefined))?.isFile()) throw new CommandFault(`${source} is not a file that can be read.`);
  const { prepareLocalities } = await import("../adapters/localities/storedLocalities.js");
  const folder = await mkdtemp(join(tmpdir(), "waybill-localities-"));
  try {
    const { countries, skipped } = await prepareLocalities(source, folder).catch((error: Error) => {
      throw new CommandFault(`${source}: ${error.message}`);
    });
    await withStores(async (context) => {
      const [{ importLocalities }, { localitiesDeps }] = await Promise.all([
        import("../commands/localities.js"),
        import("../main/adapters.js"),
      ]);
      const origin = { actor: "cli", correlationId: randomUUID() };
      for (const country of countries) {
        const { recorded } = await importLocalities(
          localitiesDeps(context),
          { ...country, contentType: "text/tab-separated-values" },
          origin,
        );
        print(`${country.country} ${country.localities} places, ${recorded ? "loaded" : "loaded already"}`);
      }
    });
    if (skipped > 0) process.stderr.write(`${skipped} lines without a usable place were left out\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
