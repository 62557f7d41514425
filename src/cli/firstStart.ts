import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { migrate } from "../adapters/postgres/migrate.js";
import { createKey } from "../commands/organisations/keys.js";
import { applyOrganisation } from "../commands/organisations/organisationApply.js";
import type { Config } from "../config.js";
import { demoOrganisation } from "../demo/demoOrganisation.js";
import { parseOrganisationFile } from "../domain/catalogue/organisationFile.js";
import { firstStart } from "../domain/principal.js";
import { streamOf } from "../events/streams.js";
import { type Adapters, migrateWhenUp, openAdapters, organisationDeps, whenUp } from "../main/adapters.js";
import { listOrganisations } from "../queries/organisations.js";
import type { Addresses } from "../supervisor/openStores.js";

export interface Demo {
  readonly organisationId: string;
  /** Only when it was made just now: it is shown once. */
  readonly key: string | undefined;
}

/** Migrates, and makes the demo organisation in an event store of our own that has no organisation yet. */
export async function prepareFirstStart(
  config: Config,
  addresses: Addresses,
  logger: Logger,
  signal: AbortSignal,
): Promise<Demo | undefined> {
  const adapters = openAdapters(config, addresses, "start", logger);
  try {
    // Our own comes back by itself; an address that does not answer may be a mistake, and whoever made it is waiting.
    if (config.databaseUrl === undefined) await migrateWhenUp(adapters.pool, logger, signal);
    else await migrate(adapters.pool);
    if (config.eventStoreUrl !== undefined) await adapters.eventStore.ping();
    await adapters.objectStore.prepare();
    if (!config.demo || config.eventStoreUrl !== undefined) return undefined;
    return await findOrMakeDemo(adapters, (work) => whenUp(work, logger, signal));
  } finally {
    await adapters.close();
  }
}

type Insist = <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;

/** A store that falls over meanwhile is waited for at each step. A key that was made without our hearing of it stays behind, unused. */
async function findOrMakeDemo(adapters: Adapters, insist: Insist): Promise<Demo | undefined> {
  const organisationId = demoOrganisation.organisation.id;
  const found = await insist(async () => ({
    demo: await adapters.eventStore.last(streamOf.organisation(organisationId)),
    others: await listOrganisations(adapters.pool),
  }));
  if (found?.demo) return { organisationId, key: undefined };
  if (!found || found.others.length > 0) return undefined;
  const parsed = parseOrganisationFile(demoOrganisation);
  if (!parsed.ok) throw new Error(`the demo organisation is faulty: ${parsed.faults.join("; ")}`);
  const deps = organisationDeps(adapters);
  const origin = { by: firstStart, correlationId: randomUUID() };
  await insist(() => applyOrganisation(deps, parsed.file, origin));
  const made = await insist(() => createKey(deps, { organisationId, name: "demo" }, origin));
  return { organisationId, key: made?.key };
}

const quoteRequest = {
  general: { customerIds: [demoOrganisation.customers?.[0]?.id] },
  origin: { postalCode: "2000" },
  destination: { postalCode: "3000" },
  items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30 }],
};

/** The lines that `start` prints, once, when the API answers. */
export function welcome(config: Config, demo: Demo | undefined): string[] {
  const lines = [`Waybill is ready at ${config.publicUrl} (API reference: ${config.publicUrl}/docs)`];
  if (!demo) return lines;
  const key = demo.key ?? "$KEY";
  lines.push(`Demo organisation: ${demo.organisationId}`);
  if (demo.key) lines.push(`Demo API key, shown only this once: ${demo.key}`, "Try it:");
  else lines.push("Its first key was shown at the first start. Make another one and try it:", newKeyLine(config, demo));
  const quotes = demo.key ? "'" : '"';
  lines.push(
    `  curl -s ${config.publicUrl}/v1/org/quote/getQuote -H ${quotes}x-api-key: ${key}${quotes} -H 'content-type: application/json' -d '${JSON.stringify(quoteRequest)}'`,
  );
  return lines;
}

function newKeyLine(config: Config, demo: Demo): string {
  return `  KEY=$(DATA_DIR='${config.dataDir}' npm run -s waybill -- keys create --org ${demo.organisationId} --name laptop)`;
}
