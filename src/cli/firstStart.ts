import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { inviteMember, makeLink } from "../commands/members/manageMembers.js";
import { createKey } from "../commands/organisations/keys.js";
import { applyOrganisation } from "../commands/organisations/organisation.js";
import type { Origin } from "../commands/organisations/organisationStream.js";
import type { Config } from "../config.js";
import { demoOrganisation } from "../demo/demoOrganisation.js";
import { parseOrganisationFile } from "../domain/catalogue/organisationFile.js";
import { linkAddress } from "../domain/members.js";
import { firstStartPrincipal } from "../domain/principal.js";
import { Rejection } from "../domain/rejection.js";
import { streamOf } from "../events/streams.js";
import { type Adapters, memberDeps, openAdapters, organisationDeps, retryUntilUp } from "../main/adapters.js";
import { prepareTables, unfilledTables } from "../main/tables.js";
import { listMembers, listOrganisations } from "../queries/organisations/organisations.js";
import type { Addresses } from "../supervisor/openStores.js";

type DemoOrganisation = NonNullable<Awaited<ReturnType<typeof ensureDemo>>>;

/** Migrates the database, and creates the demo organisation if the event store is embedded and has no organisation. */
export async function prepareFirstStart(config: Config, addresses: Addresses, logger: Logger, signal: AbortSignal) {
  const adapters = await openAdapters(config, addresses, "start", logger);
  try {
    // An embedded store restarts by itself, so wait for it. A configured address that does not answer may be wrong, so do not wait.
    // Wait for the embedded event store too: assuming that it has events while it does not answer would leave a first start without a demo.
    const ifUnavailable = config.eventStoreUrl === undefined ? "fail" : "assumeEvents";
    if (config.databaseUrl === undefined) await retryUntilUp(() => prepareTables(adapters, ifUnavailable), logger, signal);
    else await prepareTables(adapters);
    if (config.eventStoreUrl !== undefined) await adapters.eventStore.ping();
    await adapters.objectStore.prepare();
    if (!config.demo || config.eventStoreUrl !== undefined) return undefined;
    return await ensureDemo(adapters, (work) => retryUntilUp(work, logger, signal));
  } finally {
    await adapters.close();
  }
}

type RetryUntilUp = <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;

/**
 * Finds or creates the demo organisation. Each step waits for a store that is down. If the answer to a key's creation is lost, that key
 * stays unused and another is created. The key and the token of the admin's sign-in link are set only if this start has created them.
 */
async function ensureDemo(adapters: Adapters, retry: RetryUntilUp) {
  const organisationId = demoOrganisation.organisation.id;
  const unfilled = await retry(() => unfilledTables(adapters.pool));
  if (!unfilled || unfilled.length > 0) return undefined; // stopped, or the event log has events that are not in the tables yet
  const found = await retry(async () => ({
    demo: await adapters.eventStore.last(streamOf.organisation(organisationId)),
    organisations: await listOrganisations(adapters.pool),
    members: await listMembers(organisationId, adapters.pool),
  }));
  if (found?.demo) {
    // A data folder of a version that had no members has no admin.
    const hasAdmin = found.members.some(({ email, status }) => email === demoAdmin && status !== "removed");
    return { organisationId, key: undefined, hasAdmin };
  }
  if (!found || found.organisations.length > 0) return undefined;
  const parsed = parseOrganisationFile(demoOrganisation);
  if (!parsed.ok) throw new Error(`the demo organisation is faulty: ${parsed.faults.join("; ")}`);
  const deps = organisationDeps(adapters);
  const origin = { by: firstStartPrincipal, correlationId: randomUUID() };
  await retry(() => applyOrganisation(deps, parsed.file, origin));
  const createdKey = await retry(() => createKey(deps, { organisationId, name: "demo" }, origin));
  const invitation = await retry(() => inviteAdmin(adapters, organisationId, origin));
  return { organisationId, key: createdKey?.key, token: invitation?.token, hasAdmin: invitation !== undefined };
}

/** If an earlier invitation succeeded but its answer was lost, the admin gets another link. */
async function inviteAdmin(adapters: Adapters, organisationId: string, origin: Origin): Promise<{ readonly token: string }> {
  const deps = memberDeps(adapters);
  try {
    return await inviteMember(deps, { organisationId, email: demoAdmin, role: "admin", name: "Demo admin" }, origin);
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== "conflict") throw error;
    return makeLink(deps, { organisationId, member: demoAdmin }, origin);
  }
}

const demoAdmin = "admin@example.com";

const quoteRequest = {
  general: { customerIds: [demoOrganisation.customers?.[0]?.id] },
  origin: { postalCode: "2000" },
  destination: { postalCode: "3000" },
  items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30 }],
};

/** The lines that `start` prints when the API answers for the first time. */
export function welcomeLines(config: Config, demo: DemoOrganisation | undefined): string[] {
  const lines = [`Waybill is ready at ${config.publicUrl} (API reference: ${config.publicUrl}/docs)`];
  if (!demo) return lines;
  const key = demo.key ?? "$KEY";
  lines.push(`Demo organisation: ${demo.organisationId}`);
  if (demo.key) lines.push(`Demo API key, shown only this once: ${demo.key}`);
  lines.push(portalLine(config, demo));
  if (demo.key) lines.push("Try it:");
  else lines.push("Its first key was shown at the first start. Make another one and try it:", newKeyLine(config, demo));
  const quoteMark = demo.key ? "'" : '"'; // the shell replaces $KEY only in double quotes
  lines.push(
    `  curl -s ${config.publicUrl}/v1/org/quote/getQuote -H ${quoteMark}x-api-key: ${key}${quoteMark} -H 'content-type: application/json' -d '${JSON.stringify(quoteRequest)}'`,
  );
  return lines;
}

function portalLine(config: Config, { organisationId, token, hasAdmin }: DemoOrganisation): string {
  if (token) return `Portal, as the demo's admin (the link works once, within 72 hours): ${linkAddress(config.publicUrl, token)}`;
  const memberCommand = hasAdmin ? `link ${demoAdmin}` : `invite --email ${demoAdmin} --role admin`;
  const shellCommand = `DATA_DIR='${config.dataDir}' npm run -s waybill -- members ${memberCommand} --org ${organisationId}`;
  return `Portal: ${config.publicUrl}/portal (for a sign-in link: ${shellCommand})`;
}

function newKeyLine(config: Config, demo: DemoOrganisation): string {
  return `  KEY=$(DATA_DIR='${config.dataDir}' npm run -s waybill -- keys create --org ${demo.organisationId} --name laptop)`;
}
