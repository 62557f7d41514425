import type { Command } from "commander";
import { command, ofOrganisation, print, printList } from "./outcome.js";
import { withOrganisation, withStores } from "./withStores.js";

export function addKeyCommands(program: Command): void {
  const add = ofOrganisation(program.command("keys").description("API keys of an organisation"));
  add("create", "make a key and print it, alone and once: only its hash is kept")
    .requiredOption("--name <name>", "what the key is for")
    .action(command(create));
  add("list", "the organisation's keys by their prefixes, revoked ones too").option("--json", "as JSON").action(command(list));
  add("revoke", "make a key useless from the next request on, at every process")
    .argument("<prefix>", "the beginning of the key as `keys list` shows it, or the key's id")
    .action(command(revoke));
}

async function create({ org, name }: { org: string; name: string }): Promise<void> {
  const { key } = await withStores(async ({ organisations, origin }) => {
    const { createKey } = await import("../commands/organisations/organisation.js");
    return createKey(organisations, { organisationId: org, name }, origin);
  });
  print(key);
}

async function list({ org, json }: { org: string; json?: boolean }): Promise<void> {
  const found = await withOrganisation(org, async ({ pool }) => {
    const { listKeys } = await import("../queries/organisations/organisations.js");
    return listKeys(pool, org);
  });
  const header = ["PREFIX", "NAME", "CREATED", "LAST USED", "REVOKED", "ID"];
  printList(found, json, header, (key) => [key.prefix, key.name, key.createdAt, key.lastUsedAt, key.revokedAt, key.keyId]);
}

async function revoke(prefix: string, { org }: { org: string }): Promise<void> {
  const revoked = await withStores(async ({ organisations, origin }) => {
    const { revokeKey } = await import("../commands/organisations/organisation.js");
    return revokeKey(organisations, { organisationId: org, prefix }, origin);
  });
  print(`${revoked.prefix} ${revoked.name} revoked`);
}
