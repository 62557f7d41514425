import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { connectEventStore } from "../../src/adapters/eventStore/connect.js";
import { transaction } from "../../src/adapters/postgres/pool.js";
import type { OrganisationDeps } from "../../src/commands/organisations/organisationStream.js";
import { organisationFile as fileShape, type OrganisationFile } from "../../src/domain/catalogue/schema.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import { catchUpOrganisation } from "../../src/projections/models/organisations.js";
import { organisationFile } from "../support/organisationFile.js";
import { startHostedEventStore } from "../support/stores/hostedEventStore.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";

export interface CommandStores {
  readonly events: EventStore;
  readonly database: TestDatabase;
  readonly deps: OrganisationDeps;
  close(): Promise<void>;
}

/** Starts a real event store and a real database for one test file. */
export async function startCommandStores(): Promise<CommandStores> {
  const [node, database] = await Promise.all([startHostedEventStore(), createTestDatabase()]);
  const eventStore = connectEventStore({ address: node.address, logger: pino({ level: "silent" }) });
  const inTransaction = <Result>(work: Parameters<typeof transaction<Result>>[1]) => transaction(database.pool, work);
  const project = (organisationId: string) => catchUpOrganisation({ eventStore, inTransaction }, organisationId);
  return {
    events: eventStore,
    database,
    deps: { eventStore, project, now: async () => new Date("2026-03-01T01:02:03.000Z") },
    close: async () => {
      await eventStore.close();
      await Promise.all([node.stop(), database.close()]);
    },
  };
}

export const origin = { by: { kind: "cli" as const, id: "operator" }, correlationId: "test" };

export const newOrganisation = (): string => `org-${randomUUID().slice(0, 8)}`;

/** A valid organisation file, changed as the test wants. */
export function fileFor(id: string, change: (file: OrganisationFile) => void = () => undefined): OrganisationFile {
  const file = fileShape.parse(organisationFile(id));
  change(file);
  return file;
}
