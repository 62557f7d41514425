// Organisations for the service under test, made the way `org apply` and `keys create` make them.
import { randomUUID } from "node:crypto";
import { createLogger } from "../dist/adapters/logging.js";
import { createKey } from "../dist/commands/organisations/keys.js";
import { applyOrganisation } from "../dist/commands/organisations/organisation.js";
import { demoOrganisation } from "../dist/demo/demoOrganisation.js";
import { parseOrganisationFile } from "../dist/domain/catalogue/organisationFile.js";
import { openAdapters, organisationDeps } from "../dist/main/adapters.js";

export async function withAdapters(service, work) {
  const { databaseUrl, eventStoreUrl, folder } = service;
  const config = { dataDir: folder, publicUrl: service.url };
  const addresses = { databaseUrl, eventStoreUrl, signingSecret: "not used here" };
  const adapters = await openAdapters(config, addresses, "bench", createLogger({ level: "warn", role: "bench" }));
  try {
    return await work(adapters);
  } finally {
    await adapters.close();
  }
}

/** Makes copies of the demo organisation under the given ids, each with this many customers. Returns one API key of each. */
export function makeOrganisations(service, ids, customers = 3) {
  return withAdapters(service, async (adapters) => {
    const deps = organisationDeps(adapters);
    const origin = { by: { kind: "cli", id: "bench" }, correlationId: randomUUID() };
    const keys = [];
    for (const id of ids) {
      const model = demoOrganisation.customers[0];
      const file = {
        ...demoOrganisation,
        organisation: { ...demoOrganisation.organisation, id },
        customers: Array.from({ length: customers }, (_, n) => ({ ...model, id: `CUST-${String(n + 1).padStart(3, "0")}` })),
      };
      const parsed = parseOrganisationFile(file);
      if (!parsed.ok) throw new Error(parsed.faults.join("; "));
      await applyOrganisation(deps, parsed.file, origin);
      keys.push((await createKey(deps, { organisationId: id, name: "bench" }, origin)).key);
    }
    return keys;
  });
}
