import { createWriteStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Command } from "commander";
import { spreadsheets } from "../adapters/spreadsheets/spreadsheets.js";
import { lanesAsTable, laneTextColumns, replaceLanes } from "../commands/organisations/lanesFile.js";
import { type AppliedOrganisation, applyOrganisation } from "../commands/organisations/organisation.js";
import { parseOrganisationFile } from "../domain/catalogue/organisationFile.js";
import { systemReason } from "../portErrors.js";
import { catalogueAt, listOrganisations } from "../queries/organisations/organisations.js";
import { CommandFault, command, print, printList } from "./outcome.js";
import { type CommandContext, withStores } from "./withStores.js";

const maxFileBytes = 64 * 1024 * 1024;

export function addCommands(org: Command): void {
  org
    .command("apply")
    .description("create or update an organisation from a declarative file; applying the same file again changes nothing")
    .argument("<file>", "JSON, described in docs/organisation-file.md")
    .action(command(apply));
  const lanes = org.command("lanes").description("the lanes of a rate card as a file: CSV, or XLSX by its name's ending");
  for (const [name, work, description] of [
    ["export", exportLanes, "write the lanes to a file"],
    ["import", importLanes, "replace the lanes by those of a file; the same file again changes nothing"],
  ] as const)
    lanes
      .command(name)
      .description(description)
      .argument("<file>", "columns: from, to, basic, perKg, minimum, transitMin, transitMax, transitUnit, fromKg1, perKg1, ...")
      .requiredOption("--org <id>", "the organisation")
      .requiredOption("--card <id>", "the rate card")
      .action(command(work));
  org.command("list").description("organisations with the version of their catalogue").option("--json", "as JSON").action(command(list));
}

async function apply(path: string): Promise<void> {
  const file = await readOrganisationFile(path);
  await withStores(async ({ organisations, origin }) => {
    printApplied(await applyOrganisation(organisations, file, origin));
  });
}

function printApplied({ organisationId, version, changes }: AppliedOrganisation): void {
  const summary = changes.length === 0 ? "nothing changed" : `${changes.length} changed`;
  print([`${organisationId} version ${version}, ${summary}`, ...changes.map((change) => `  ${change}`)]);
}

async function newestCatalogue(pool: CommandContext["pool"], org: string) {
  const version = (await listOrganisations(pool)).find(({ id }) => id === org)?.catalogueVersion;
  const file = version === undefined ? undefined : await catalogueAt(org, version, pool);
  if (version === undefined || !file) throw new CommandFault(`There is no organisation ${org}. See org list`);
  return { version, file };
}

async function exportLanes(path: string, { org, card: cardId }: { org: string; card: string }): Promise<void> {
  await withStores(async ({ pool }) => {
    const card = (await newestCatalogue(pool, org)).file.rateCards.find(({ id }) => id === cardId);
    if (!card) throw new CommandFault(`There is no rate card ${cardId} in the catalogue of ${org}`);
    const { columns, rows } = lanesAsTable(card.lanes);
    const write = async () => {
      if (!/\.xlsx$/i.test(path)) return writeFile(path, [columns, ...rows].map((cells) => spreadsheets.csvLine(cells)).join(""));
      const writer = spreadsheets.createTableWriter(createWriteStream(path), { sheet: "Lanes", columns, textColumns: laneTextColumns });
      for (const cells of rows)
        await writer.add(cells.map((cell) => (typeof cell === "object" && "decimal" in cell ? Number(cell.decimal) : cell)));
      return writer.close();
    };
    await write().catch((error: unknown) => {
      throw new CommandFault(`${path} cannot be written: ${systemReason(error)}`);
    });
    print(`${rows.length} lanes of ${cardId} written to ${path}`);
  });
}

async function importLanes(path: string, { org, card }: { org: string; card: string }): Promise<void> {
  await ensureReadable(path);
  await withStores(async ({ pool, organisations, origin }) => {
    const { version, file } = await newestCatalogue(pool, org);
    const changedFile = await replaceLanes(spreadsheets, { path, name: basename(path) }, file, card);
    printApplied(await applyOrganisation(organisations, changedFile, origin, { madeFrom: version }));
  });
}

function failToRead(path: string, error: unknown): never {
  throw new CommandFault(`${path} cannot be read: ${systemReason(error)}. Give the path of a file`);
}

async function ensureReadable(path: string): Promise<void> {
  const { size } = await stat(path).catch((error) => failToRead(path, error));
  if (size > maxFileBytes) throw new CommandFault(`${path} has ${size} bytes; it may have at most ${maxFileBytes}`);
}

/** Reads and checks the whole file. The caller opens the stores only afterwards. */
async function readOrganisationFile(path: string) {
  await ensureReadable(path);
  const text = await readFile(path, "utf8").catch((error) => failToRead(path, error));
  let input: unknown;
  try {
    input = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new CommandFault(`${path} is not JSON: ${(error as Error).message}`);
  }
  const parsed = parseOrganisationFile(input);
  if (parsed.ok) return parsed.file;
  const faultCount = parsed.faults.length === 1 ? "a fault" : `${parsed.faults.length} faults`;
  throw new CommandFault(`${path} has ${faultCount}:`, parsed.faults);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const organisations = await withStores(({ pool }) => listOrganisations(pool));
  const header = ["ID", "NAME", "TIME ZONE", "CATALOGUE"];
  printList(organisations, json, header, ({ id, name, timezone, catalogueVersion }) => [id, name, timezone, catalogueVersion]);
}
