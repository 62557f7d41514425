// Real stores, organisations with receivers of webhooks, and webhook workers that a test starts on them.
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { type Logger, pino } from "pino";
import { connectEventStore } from "../../../src/adapters/eventStore/connect.js";
import { transaction } from "../../../src/adapters/postgres/pool.js";
import { createPost, type PostOptions } from "../../../src/adapters/webhooks/post.js";
import { applyOrganisation } from "../../../src/commands/organisations/organisation.js";
import { addWebhook, type WebhookDeps } from "../../../src/commands/organisations/webhooks.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { type DeliverySummary, listDeliveries } from "../../../src/queries/organisations/webhooks.js";
import type { WebhookWorkerDeps } from "../../../src/workers/webhooks/deps.js";
import { runWebhooks } from "../../../src/workers/webhooks/runWebhooks.js";
import { activity, append, type Story, type Told, tell } from "../../support/importStory.js";
import { organisationFile } from "../../support/organisationFile.js";
import { type Answer, type Receiver, startReceiver } from "../../support/receiver.js";
import { organisationDeps } from "../../support/service.js";
import type { TestEventStore } from "../../support/stores/eventStore.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";
import { createTestDatabase } from "../../support/stores/postgres.js";

export const origin = { by: { kind: "cli" as const, id: "test" }, correlationId: randomUUID() };
export const signingSecret = "a secret of thirty-two characters";

export interface Stage {
  readonly pool: Pool;
  /** The environment for commands on the same stores. */
  readonly environment: Record<string, string>;
  readonly eventStore: EventStore;
  readonly store: TestEventStore;
  readonly deps: WebhookDeps;
  newOrganisation(): Promise<string>;
  /** A receiver that an endpoint of the organisation points to. */
  receiver(organisationId: string, answer?: Answer): Promise<Receiver & { endpointId: string }>;
  add(organisationId: string, url: string, events?: readonly string[]): Promise<{ endpointId: string; secret: string }>;
  /** Appends the whole stream of an import at once. */
  record(organisationId: string, story?: Partial<Story>): Promise<Told>;
  deliveries(organisationId: string, endpointId: string): Promise<DeliverySummary[]>;
  /** Makes everything due now, as if its back-off were over. */
  hurry(): Promise<unknown>;
  work(options?: Partial<WebhookWorkerDeps> & { post_?: PostOptions }): { stop(): Promise<void> };
  close(): Promise<void>;
}

export async function openStage(logger: Logger = pino({ level: process.env["TEST_LOG"] ?? "silent" })): Promise<Stage> {
  const [database, store] = await Promise.all([createTestDatabase(), startHostedEventStore()]);
  const { pool } = database;
  const eventStore = connectEventStore({ address: store.address, logger });
  const deps: WebhookDeps = { ...organisationDeps(pool, eventStore), rules: { allowPrivate: true }, signingSecret };
  const receivers: Receiver[] = [];
  const workers = new Set<{ stop(): Promise<void> }>();
  let count = 0;
  const stage: Stage = {
    ...{ pool, eventStore, store, deps },
    environment: {
      ...{ DATABASE_URL: database.url, EVENTSTORE_URL: store.address, SIGNING_SECRET: signingSecret },
      WEBHOOK_PRIVATE: "on",
    },
    newOrganisation: async () => {
      const id = `org-${randomUUID().slice(0, 8)}`;
      const parsed = parseOrganisationFile(organisationFile(id));
      if (!parsed.ok) throw new Error(parsed.faults.join("; "));
      await applyOrganisation(deps, parsed.file, origin);
      return id;
    },
    add: (organisationId, url, events) => addWebhook(deps, { organisationId, url, events }, origin),
    receiver: async (organisationId, answer) => {
      const receiver = await startReceiver(answer);
      receivers.push(receiver);
      const { endpointId, secret } = await stage.add(organisationId, receiver.url);
      return Object.assign(receiver, { secret, endpointId });
    },
    record: async (organisationId, story = {}) => {
      const told = tell({ kind: "activities", rows: [{ accept: activity() }, { reject: "x" }], ...story, organisationId });
      await append(eventStore, told);
      return told;
    },
    deliveries: (organisationId, endpointId) => listDeliveries(organisationId, endpointId, { limit: 100 }, pool),
    // Rows that a worker is writing are left out: two that update many rows in different orders would deadlock.
    hurry: () =>
      pool.query(`update webhook_deliveries set due_at = now() where id in (select id from webhook_deliveries
          where claim is null and due_at > now() for update skip locked);
        update webhook_health set retry_at = null where retry_at is not null`),
    work: ({ post_, ...options } = {}) => {
      const control = new AbortController();
      count += 1;
      const done = runWebhooks({
        ...{ pool, eventStore, logger, signingSecret, rules: deps.rules, organisations: deps, signal: control.signal },
        inTransaction: (work) => transaction(pool, work),
        objectStore: { link: async (key) => `https://links.example.com/${key}?signature=0123456789abcdef` },
        post: createPost(post_),
        workerId: `w${count}`,
        ...options,
      });
      const worker = {
        stop: async () => {
          workers.delete(worker);
          control.abort();
          await done;
        },
      };
      workers.add(worker);
      return worker;
    },
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.stop()));
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await eventStore.close();
      await Promise.all([store.stop(), database.close()]);
    },
  };
  return stage;
}
