import type { Command } from "commander";
import { cancelImport } from "../commands/imports/endImport.js";
import { reverseRows } from "../commands/reversals/reverseRows.js";
import { isLongerThan, limits } from "../domain/imports/limits.js";
import { parseNumbers } from "../domain/ranges.js";
import { isUuid } from "../domain/uuid.js";
import { latestImports } from "../queries/imports/importList.js";
import { CommandFault, command, organisationCommands, parseLimit, print, printJson, printList } from "./outcome.js";
import { withOrganisation, withStores } from "./withStores.js";

export function addCommands(imports: Command): void {
  organisationCommands(imports)("list", "an organisation's imports of both kinds, newest first")
    .option("--limit <number>", "how many, at most 10000", "100")
    .option("--json", "as JSON")
    .action(command(list));
  imports
    .command("cancel")
    .description("stop an import that waits or runs; it will have written nothing")
    .argument("<import id>", "as the push returned it")
    .action(command(cancel));
  imports
    .command("reverse")
    .description("take back what a completed import wrote: all of it, some rows of activities, or some shipments")
    .argument("<import id>", "as the push returned it")
    .requiredOption("--reason <text>", `why, at most ${limits.reasonLength} characters`)
    .option("--rows <numbers>", "only these rows of activities, such as 5,9-12")
    .option("--shipments <ids>", "only these shipments, such as SO-1,SO-2")
    .option("--include-corrections", "also the rows of other imports that corrected these")
    .option("--preview", "show what would happen, and record nothing")
    .option("--json", "as JSON")
    .action(command(reverse));
}

async function list({ org, limit, json }: { org: string; limit: string; json?: boolean }): Promise<void> {
  const count = parseLimit(limit, 10_000);
  const found = await withOrganisation(org, (context) => latestImports(org, count, context));
  const header = ["IMPORT", "KIND", "STATUS", "DONE", "RECEIVED", "PROCESSED", "FAILED", "SUBMITTED", "SOURCE"];
  printList(found, json, header, ({ importId, kind, status, progress, counts, submittedAt, sourceDetails }) => {
    const source = sourceDetails.replaceAll(/\s+/g, " ").slice(0, 60);
    return [importId, kind, status, `${progress}%`, counts.received, counts.processed, counts.failed, submittedAt, source];
  });
}

async function cancel(idText: string): Promise<void> {
  const importId = parseImportId(idText);
  await withStores(async ({ pool, eventStore, organisations, origin }) => {
    const now = await organisations.now();
    await cancelImport({ pool, eventStore }, { organisationId: undefined, importId, by: origin.by, now });
  });
  print(`${importId} cancelled`);
}

function parseImportId(text: string): string {
  if (!isUuid(text.toLowerCase())) throw new CommandFault(`${text} is not an import id`);
  return text.toLowerCase();
}

interface ReverseOptions {
  readonly reason: string;
  readonly rows?: string;
  readonly shipments?: string;
  readonly includeCorrections?: boolean;
  readonly preview?: boolean;
  readonly json?: boolean;
}

async function reverse(idText: string, options: ReverseOptions): Promise<void> {
  const importId = parseImportId(idText);
  const { reason, includeCorrections = false, preview = false } = options;
  const selection = parseSelection(options);
  if (reason.trim() === "" || isLongerThan(reason, limits.reasonLength))
    throw new CommandFault(`--reason must have 1 to ${limits.reasonLength} characters`);
  const outcome = await withStores(async ({ pool, eventStore, organisations, origin }) => {
    const request = {
      organisationId: undefined,
      importId,
      selection,
      reason,
      includeCorrections,
      preview,
      by: origin.by,
      now: organisations.now,
    };
    return reverseRows({ pool, eventStore }, request);
  });
  if (options.json) return printJson(outcome);
  const { reversalId, reversed, alreadyReversed, superseded, restored, reopened, withdrawn, corrections } = outcome;
  print([
    preview ? `${importId}: ${reversed} would be reversed` : `${importId}: ${reversed} reversed${reversalId ? ` (${reversalId})` : ""}`,
    `  already reversed: ${alreadyReversed}`,
    `  of those, replaced by a later push: ${superseded}`,
    `  shown or counted again: ${restored}`,
    `  rejected rows of other imports that are open again: ${reopened}`,
    `  open rejected rows of this import that are withdrawn: ${withdrawn}`,
    ...corrections.map(
      (each) =>
        `  corrected by import ${each.importId}, which is ${includeCorrections ? "reversed too" : "not reversed"}: row ${each.rows.join(", ")}`,
    ),
  ]);
}

function parseSelection({ rows, shipments }: ReverseOptions) {
  if (rows !== undefined && shipments !== undefined) throw new CommandFault("Give --rows or --shipments, not both");
  if (rows !== undefined) return { rows: parseNumbers(rows, limits.rowsPerReversal) };
  if (shipments === undefined) return { all: true } as const;
  const shipmentIds = shipments.split(",").filter((id) => id !== "");
  if (shipmentIds.length === 0 || shipmentIds.length > limits.rowsPerReversal)
    throw new CommandFault(`Name 1 to ${limits.rowsPerReversal}, or leave the option out for the whole import`);
  return { shipmentIds };
}
