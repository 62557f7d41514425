import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import { isBundled, prepareLocalities } from "../adapters/localities/storedLocalities.js";
import { importLocalities } from "../commands/organisations/localities.js";
import { localitiesDeps } from "../main/adapters.js";
import { localitiesRefreshMs } from "../main/localities.js";
import { inTemporaryFolder } from "../temporaryFolder.js";
import { CommandFault, command, print, printToStderr } from "./outcome.js";
import { countText } from "./progress.js";
import { withStores } from "./withStores.js";

export function addCommands(localities: Command): void {
  localities
    .command("import")
    .description("load a country's postcodes; replaces what was loaded for it before")
    .argument("<file>", "GeoNames postal code file (tab-separated), or CSV with a header")
    .action(command(importFile));
}

async function importFile(path: string): Promise<void> {
  if (!(await stat(path).catch(() => undefined))?.isFile())
    throw new CommandFault(`${path} is not a file that can be read. Give the path of a GeoNames or CSV file`);
  await inTemporaryFolder(tmpdir(), "waybill-localities-", async (folder) => {
    const { countries, skipped } = await prepareLocalities(path, folder).catch((error: Error) => {
      throw new CommandFault(`${path}: ${error.message}`);
    });
    await withStores(async (context) => {
      await context.objectStore.prepare();
      let hasNewFiles = false;
      for (const country of countries) {
        const file = { ...country, contentType: "text/tab-separated-values" };
        const { recorded } = await importLocalities(localitiesDeps(context), file, context.origin);
        hasNewFiles ||= recorded;
        if (recorded && isBundled(country.country))
          printToStderr(`${country.country}: the product's own places are no longer used, only those of this file`);
        print(`${country.country} ${countText(country.localities, "place", "places")}, ${recorded ? "loaded" : "loaded already"}`);
      }
      // After this pause every running API has the new localities, so a script can request quotes for them next.
      if (hasNewFiles) await pause(2 * localitiesRefreshMs);
    });
    if (skipped > 0) printToStderr(`${skipped} lines without a usable place were left out`);
  });
}
