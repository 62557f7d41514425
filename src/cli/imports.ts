import type { Command } from "commander";
import { operator } from "../domain/principal.js";
import { isUuid } from "../domain/uuid.js";
import { CommandFault, command, print, printJson, table } from "./outcome.js";
import { withStores } from "./withStores.js";

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
  const count = Number(limit);
  if (!/^\d{1,5}$/.test(limit) || count < 1 || count > 10_000) throw new CommandFault("--limit must be a whole number from 1 to 10000");
  const found = await withStores(async ({ pool, eventStore }) => {
    const [{ latestImports }, { listOrganisations }] = await Promise.all([
      import("../queries/imports/importList.js"),
      import("../queries/organisations/organisations.js"),
    ]);
    if (!(await listOrganisations(pool)).some(({ id }) => id === org)) throw new CommandFault(`There is no organisation ${org}.`);
    return latestImports(org, count, { pool, eventStore });
  });
  if (json) return printJson(found);
  const rows = found.map(({ importId, kind, status, progress, counts, submittedAt, sourceDetails }) => [
    importId,
    kind,
    status,
    `${progress}%`,
    ...[counts.received, counts.processed, counts.failed].map(String),
    submittedAt.toISOString(),
    sourceDetails.replaceAll(/\s+/g, " ").slice(0, 60),
  ]);
  print(table(["IMPORT", "KIND", "STATUS", "DONE", "RECEIVED", "PROCESSED", "FAILED", "SUBMITTED", "SOURCE"], rows));
}

async function cancel(importId: string): Promise<void> {
  if (!isUuid(importId.toLowerCase())) throw new CommandFault(`${importId} is not an import id.`);
  await withStores(async ({ pool, eventStore }) => {
    const { cancelImport } = await import("../commands/imports/cancelImport.js");
    const { rows } = await pool.query<{ now: Date }>("select now()");
    const now = rows[0]?.now ?? new Date();
    await cancelImport({ pool, eventStore }, { organisationId: undefined, importId: importId.toLowerCase(), by: operator, now });
  });
  print(`${importId} cancelled`);
}
