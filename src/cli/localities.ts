import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import { isBundled, prepareLocalities } from "../adapters/localities/storedLocalities.js";
import { importLocalities } from "../commands/organisations/localities.js";
import { localitiesDeps } from "../main/adapters.js";
import { refreshMs } from "../main/localities.js";
import { inTemporaryFolder } from "../temporaryFolder.js";
import { CommandFault, command, print, remark } from "./outcome.js";
import { countOf } from "./progress.js";
import { withStores } from "./withStores.js";

export function addCommands(localities: Command): void {
  localities
    .command("import")
    .description("load a country's postcodes; replaces what was loaded for it before")
    .argument("<file>", "GeoNames postal code file (tab-separated), or CSV with a header")
    .action(command(load));
}

async function load(source: string): Promise<void> {
  if (!(await stat(source).catch(() => undefined))?.isFile())
    throw new CommandFault(`${source} is not a file that can be read. Give the path of a GeoNames or CSV file`);
  await inTemporaryFolder(tmpdir(), "waybill-localities-", async (folder) => {
    const { countries, skipped } = await prepareLocalities(source, folder).catch((error: Error) => {
      throw new CommandFault(`${source}: ${error.message}`);
    });
    await withStores(async (context) => {
      await context.objectStore.prepare();
      let anew = false;
      for (const country of countries) {
        const file = { ...country, contentType: "text/tab-separated-values" };
        const { recorded } = await importLocalities(localitiesDeps(context), file, context.origin);
        anew ||= recorded;
        if (recorded && isBundled(country.country))
          remark(`${country.country}: the product's own places are no longer used, only those of this file`);
        print(`${country.country} ${countOf(country.localities, "place", "places")}, ${recorded ? "loaded" : "loaded already"}`);
      }
      if (anew) await pause(2 * refreshMs); // until every running API has read the new localities, so that a script's next quote request finds them
    });
    if (skipped > 0) remark(`${skipped} lines without a usable place were left out`);
  });
}
