import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { operator } from "../domain/principal.js";
import { CommandFault, command, print, printJson, table } from "./outcome.js";
import { withStores } from "./withStores.js";

export function addKeyCommands(program: Command): void {
  const keys = program.command("keys").description("API keys of an organisation");
  keys
    .command("create")
    .description("make a key and print it, alone and once: only its hash is kept")
    .requiredOption("--org <id>", "the organisation")
    .requiredOption("--name <name>", "what the key is for")
    .action(command(create));
  keys
    .command("list")
    .description("the organisation's keys by their prefixes, revoked ones too")
    .requiredOption("--org <id>", "the organisation")
    .option("--json", "as JSON")
    .action(command(list));
  keys
    .command("revoke")
    .description("make a key useless from the next request on, at every process")
    .argument("<prefix>", "the beginning of the key as `keys list` shows it, or the key's id")
    .requiredOption("--org <id>", "the organisation")
    .action(command(revoke));
}

async function create({ org, name }: { org: string; name: string }): Promise<void> {
  const { key } = await withStores(async (context) => {
    const [{ createKey }, { organisationDeps }] = await Promise.all([
      import("../commands/organisations/organisation.js"),
      import("../main/adapters.js"),
    ]);
    return createKey(organisationDeps(context), { organisationId: org, name }, { by: operator, correlationId: randomUUID() });
  });
  print(key);
}

async function list({ org, json }: { org: string; json?: boolean }): Promise<void> {
  const found = await withStores(async ({ pool }) => {
    const { listKeys, listOrganisations } = await import("../queries/organisations/organisations.js");
    if (!(await listOrganisations(pool)).some(({ id }) => id === org)) throw new CommandFault(`There is no organisation ${org}.`);
    return listKeys(pool, org);
  });
  if (json) return printJson(found);
  const rows = found.map(({ prefix, name, createdAt, lastUsedAt, revokedAt, keyId }) => [
    prefix,
    name,
    createdAt.toISOString(),
    lastUsedAt?.toISOString() ?? "-",
    revokedAt?.toISOString() ?? "-",
    keyId,
  ]);
  print(table(["PREFIX", "NAME", "CREATED", "LAST USED", "REVOKED", "ID"], rows));
}

async function revoke(prefix: string, { org }: { org: string }): Promise<void> {
  const revoked = await withStores(async (context) => {
    const [{ revokeKey }, { organisationDeps }] = await Promise.all([
      import("../commands/organisations/organisation.js"),
      import("../main/adapters.js"),
    ]);
    return revokeKey(organisationDeps(context), { organisationId: org, prefix }, { by: operator, correlationId: randomUUID() });
  });
  print(`${revoked.prefix} ${revoked.name} revoked`);
}
