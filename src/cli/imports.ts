import type { Command } from "commander";
import { isUuid } from "../domain/uuid.js";
import { CommandFault, command, limitOf, print, printList } from "./outcome.js";
import { withOrganisation, withStores } from "./withStores.js";

export function addImportCommands(program: Command): void {
  const imports = program.command("imports").description("imports of shipments and fulfilment activities");
  imports
    .command("list")
    .description("an organisation's imports of both kinds, newest first")
    .requiredOption("--org <id>", "the organisation")
    .option("--limit <number>", "how many, at most 10000", "100")
    .option("--json", "as JSON")
    .action(command(list));
  imports
    .command("cancel")
    .description("stop an import that waits or runs; it will have written nothing")
    .argument("<import id>", "as the push returned it")
    .action(command(cancel));
}

async function list({ org, limit, json }: { org: string; limit: string; json?: boolean }): Promise<void> {
  const count = limitOf(limit, 10_000);
  const found = await withOrganisation(org, async (context) => {
    const { latestImports } = await import("../queries/imports/importList.js");
    return latestImports(org, count, context);
  });
  const header = ["IMPORT", "KIND", "STATUS", "DONE", "RECEIVED", "PROCESSED", "FAILED", "SUBMITTED", "SOURCE"];
  printList(found, json, header, ({ importId, kind, status, progress, counts, submittedAt, sourceDetails }) => {
    const source = sourceDetails.replaceAll(/\s+/g, " ").slice(0, 60);
    return [importId, kind, status, `${progress}%`, counts.received, counts.processed, counts.failed, submittedAt, source];
  });
}

async function cancel(importId: string): Promise<void> {
  if (!isUuid(importId.toLowerCase())) throw new CommandFault(`${importId} is not an import id.`);
  await withStores(async ({ pool, eventStore, organisations, origin }) => {
    const { cancelImport } = await import("../commands/imports/cancelImport.js");
    const now = await organisations.now();
    await cancelImport({ pool, eventStore }, { organisationId: undefined, importId: importId.toLowerCase(), by: origin.by, now });
  });
  print(`${importId} cancelled`);
}
