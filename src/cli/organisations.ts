import { readFile, stat } from "node:fs/promises";
import type { Command } from "commander";
import { systemReason } from "../portErrors.js";
import { CommandFault, command, print, printList } from "./outcome.js";
import { withStores } from "./withStores.js";

const largestFile = 64 * 1024 * 1024;

export function addOrganisationCommands(program: Command): void {
  const org = program.command("org").description("organisations and their catalogues");
  org
    .command("apply")
    .description("create or update an organisation from a declarative file; applying the same file again changes nothing")
    .argument("<file>", "JSON, described in docs/organisation-file.md")
    .action(command(apply));
  org.command("list").description("organisations with the version of their catalogue").option("--json", "as JSON").action(command(list));
}

async function apply(path: string): Promise<void> {
  const file = await readOrganisationFile(path);
  await withStores(async ({ organisations, origin }) => {
    const { applyOrganisation } = await import("../commands/organisations/organisation.js");
    const applied = await applyOrganisation(organisations, file, origin);
    const summary = applied.changes.length === 0 ? "nothing changed" : `${applied.changes.length} changed`;
    print([`${applied.organisationId} version ${applied.version}, ${summary}`, ...applied.changes.map((change) => `  ${change}`)]);
  });
}

/** The file is read and checked completely before any store is used. */
async function readOrganisationFile(path: string) {
  const { parseOrganisationFile } = await import("../domain/catalogue/organisationFile.js");
  const unreadable = (error: unknown): never => {
    throw new CommandFault(`${path} cannot be read: ${systemReason(error)}. Give the path of an organisation file`);
  };
  const { size } = await stat(path).catch(unreadable);
  if (size > largestFile) throw new CommandFault(`${path} has ${size} bytes; an organisation file has at most ${largestFile}`);
  const text = await readFile(path, "utf8").catch(unreadable);
  let input: unknown;
  try {
    input = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new CommandFault(`${path} is not JSON: ${(error as Error).message}`);
  }
  const parsed = parseOrganisationFile(input);
  if (parsed.ok) return parsed.file;
  const count = parsed.faults.length === 1 ? "a fault" : `${parsed.faults.length} faults`;
  throw new CommandFault(`${path} has ${count}:`, parsed.faults);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const organisations = await withStores(async ({ pool }) => {
    const { listOrganisations } = await import("../queries/organisations/organisations.js");
    return listOrganisations(pool);
  });
  const header = ["ID", "NAME", "TIME ZONE", "CATALOGUE"];
  printList(organisations, json, header, ({ id, name, timezone, catalogueVersion }) => [id, name, timezone, catalogueVersion]);
}
