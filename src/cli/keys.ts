import type { Command } from "commander";
import { createKey, revokeKey, rotateKey } from "../commands/organisations/keys.js";
import { dateAt, hasZone, instantOf } from "../domain/imports/timestamp.js";
import { defaultKeepHours, maxKeepHours, parseKeepHours } from "../domain/keyRotation.js";
import { keyScopes, scopesOf } from "../domain/keyScopes.js";
import { listKeys } from "../queries/organisations/keys.js";
import { principalNames } from "../queries/organisations/organisations.js";
import { CommandFault, command, organisationCommands, print, printList, printToStderr } from "./outcome.js";
import { withOrganisation, withStores } from "./withStores.js";

export function addCommands(keys: Command): void {
  const add = organisationCommands(keys);
  const prefixHelp = "the beginning of the key as `keys list` shows it, or the key's id";
  add("create", "make a key and print it, alone and once: only its hash is kept")
    .requiredOption("--name <name>", "what the key is for")
    .option("--scopes <scopes>", `what it may do, separated by commas: any of ${keyScopes.join(", ")}; all of them if left out`)
    .option("--expires <time>", "when it ends, with a zone, such as 2027-03-31T00:00:00Z; never if left out")
    .action(command(create));
  add("list", "the organisation's keys by their prefixes, revoked ones too").option("--json", "as JSON").action(command(list));
  add("rotate", "give a key a new secret, and print the key, alone and once")
    .argument("<prefix>", prefixHelp)
    .option("--keep <hours>", `how long the old key goes on, 0 to ${maxKeepHours}`, String(defaultKeepHours))
    .action(command(rotate));
  add("revoke", "make a key useless from the next request on, at every process").argument("<prefix>", prefixHelp).action(command(revoke));
}

async function create({ org: organisationId, ...options }: { org: string; name: string; scopes?: string; expires?: string }) {
  const scopes = options.scopes?.split(",").flatMap((text) => text.trim() || []);
  const newKey = { organisationId, name: options.name, scopes, expiresAt: parseExpiry(options.expires) };
  const { key } = await withStores(({ organisations, origin }) => createKey(organisations, newKey, origin));
  print(key);
}

/** The time must have a zone, since the operator and the organisation may be in different ones. */
function parseExpiry(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const instant = hasZone(text) ? instantOf(text, "UTC") : undefined;
  if (instant === undefined)
    throw new CommandFault("--expires must be a time with its zone, such as 2027-03-31T00:00:00Z or 2027-03-31T00:00:00+11:00");
  return dateAt(instant);
}

async function list({ org, json }: { org: string; json?: boolean }): Promise<void> {
  const { keys, nameOf } = await withOrganisation(org, async ({ pool }) => ({
    keys: await listKeys(org, pool),
    nameOf: await principalNames(org, pool),
  }));
  const found = keys.map((key) => ({ ...key, scopes: scopesOf(key.scopes) }));
  if (json) return printList(found, json, [], () => []);
  const header = ["PREFIX", "NAME", "CREATED", "LAST USED", "REVOKED", "ENDS", "SCOPES", "BY", "ID"];
  const rows = found.flatMap(({ prefix, name, scopes, createdAt, createdBy, lastUsedAt, expiresAt, revokedAt, keyId, replaced }) => {
    const row = (keyPrefix: string, usedAt: Date | null, endsAt: Date | null) =>
      [keyPrefix, name, createdAt, usedAt, revokedAt, endsAt, scopes.join(","), createdBy && nameOf(createdBy), keyId] as const;
    const newest = row(prefix, lastUsedAt, expiresAt);
    return replaced ? [row(replaced.prefix, replaced.lastUsedAt, replaced.validUntil), newest] : [newest];
  });
  printList(rows, false, header, (cells) => cells);
}

async function rotate(prefix: string, { org: organisationId, keep }: { org: string; keep: string }): Promise<void> {
  const rotation = { organisationId, prefix, keepHours: parseKeepHours(keep) };
  const { key, old, ended } = await withStores(({ organisations, origin }) => rotateKey(organisations, rotation, origin));
  print(key);
  const until = old.until.toISOString();
  printToStderr(
    rotation.keepHours === 0
      ? `The old key ${old.prefix} has ended.`
      : `The old key ${old.prefix} works until ${until}. Deploy the new key; keys list shows when the old one was last used.`,
  );
  if (ended !== undefined) printToStderr(`The key before it, ${ended}, has ended.`);
}

async function revoke(prefix: string, { org: organisationId }: { org: string }): Promise<void> {
  const revoked = await withStores(({ organisations, origin }) => revokeKey(organisations, { organisationId, prefix }, origin));
  print(`${revoked.prefix} ${revoked.name} revoked`);
}
