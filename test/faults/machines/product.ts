// The real product in its own processes on its own data folder. Tests can kill each process.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pool } from "pg";
import { pino } from "pino";
import { connectEventStore } from "../../../src/adapters/eventStore/connect.js";
import { createPool } from "../../../src/adapters/postgres/pool.js";
import { createKey } from "../../../src/commands/organisations/keys.js";
import { applyOrganisation } from "../../../src/commands/organisations/organisation.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { organisationFile } from "../../support/organisationFile.js";
import { kill, type Machine, type Product, until } from "../../support/processes.js";
import { organisationDeps } from "../../support/service.js";
import type { Customer } from "../callers/customer.js";

export const targets = ["api", "worker", "projector", "eventstore", "postgres", "all"] as const;
export type Target = (typeof targets)[number];

const isTarget: Record<Exclude<Target, "all">, (command: string) => boolean> = {
  api: (command) => command.trimEnd().endsWith("cli.js api"),
  worker: (command) => command.trimEnd().endsWith("cli.js worker"),
  projector: (command) => command.trimEnd().endsWith("cli.js projector"),
  eventstore: (command) => command.includes("cli.js eventstore "),
  postgres: (command) => /postgres\b.* -D /.test(command),
};

/** Kills with kill -9. The supervisor restarts a killed process; when everything was killed, this function starts the product again. */
export async function killTarget(machine: Machine, product: Product, target: Target): Promise<Product> {
  const found = await machine.processes();
  if (target !== "all") {
    for (const [pid, command] of found) if (isTarget[target](command)) kill(pid, "SIGKILL");
    return product;
  }
  for (const pid of [product.pid, ...found.keys()]) kill(pid, "SIGKILL");
  await product.exited;
  return machine.start();
}

export async function allUp(machine: Machine): Promise<void> {
  await until(
    "every process runs and the service is ready",
    async () => {
      const commands = [...(await machine.processes()).values()];
      const present = Object.values(isTarget).every((matches) => commands.some(matches));
      return present && (await fetch(`${machine.url}/readyz`).catch(() => undefined))?.status === 200;
    },
    120_000,
  );
}

/** Opens the stores at their present addresses, which may have changed after everything was killed. */
export async function withStoresOf<Result>(
  machine: Machine,
  work: (stores: { pool: Pool; eventStore: EventStore; newCustomer: () => Promise<Customer> }) => Promise<Result>,
): Promise<Result> {
  const runtime = JSON.parse(await readFile(join(machine.dataDir, "runtime.json"), "utf8")) as Record<
    "databaseUrl" | "eventStoreUrl",
    string
  >;
  const pool = createPool({ url: runtime.databaseUrl, applicationName: "faults" });
  const eventStore = connectEventStore({ address: runtime.eventStoreUrl, logger: pino({ level: "silent" }) });
  try {
    return await work({ pool, eventStore, newCustomer: () => newCustomerOn(pool, eventStore) });
  } finally {
    await Promise.all([pool.end(), eventStore.close()]);
  }
}

export async function newCustomerOn(pool: Pool, eventStore: EventStore): Promise<Customer> {
  const organisationId = `org-${randomUUID().slice(0, 8)}`;
  const parsed = parseOrganisationFile(organisationFile(organisationId));
  if (!parsed.ok) throw new Error(parsed.faults.join("; "));
  const deps = organisationDeps(pool, eventStore);
  const origin = { by: { kind: "cli" as const, id: "faults" }, correlationId: randomUUID() };
  await applyOrganisation(deps, parsed.file, origin);
  const { key } = await createKey(deps, { organisationId, name: "faults" }, origin);
  return { organisationId, key, sent: [] };
}
