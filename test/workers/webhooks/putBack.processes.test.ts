// Webhooks after an older log or database was put back from a backup, or the tables were rebuilt.
import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { connectEventStore } from "../../../src/adapters/eventStore/connect.js";
import { migrationStatements } from "../../../src/adapters/postgres/migrate.js";
import type { EventStore, StoredEvent } from "../../../src/ports/eventStore.js";
import { allProjections } from "../../../src/projections/allProjections.js";
import { rebuild } from "../../../src/projections/rebuild/rebuild.js";
import { runProjector } from "../../../src/projections/running/runProjector.js";
import { eventually } from "../../support/eventually.js";
import { append, tell } from "../../support/importStory.js";
import type { Receiver } from "../../support/receiver.js";
import { organisationDeps } from "../../support/service.js";
import { startEmbeddedEventStore } from "../../support/stores/eventStore.js";
import { openStage, type Stage } from "./stage.js";

const logger = pino({ level: "silent" });
let stage: Stage;
let organisationId: string;
let receiver: Receiver & { endpointId: string };
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());
beforeEach(async () => {
  organisationId = await stage.newOrganisation();
  receiver = await stage.receiver(organisationId);
});

/** A worker that ends with the test, where the test does not stop it before. */
const work: Stage["work"] = (options) => {
  const worker = stage.work(options);
  onTestFinished(worker.stop);
  return worker;
};

const ids = () => receiver.got.map(({ id }) => id);
const allEnded = () =>
  eventually(
    async () => (await stage.pool.query("select from webhook_deliveries where status = 'waiting'")).rowCount === 0,
    "everything ended",
  );

const rebuildFrom = (eventStore: EventStore) =>
  rebuild({
    ...{ pool: stage.pool, eventStore, logger, signal: new AbortController().signal },
    ...{ migrations: migrationStatements(), projections: allProjections },
  });

/** Copies the tables that the webhook worker writes. Returns a function that puts the copies back. */
async function backUp(): Promise<() => Promise<void>> {
  const names = ["webhook_deliveries", "webhook_attempts", "webhook_health", "webhook_events", "webhook_backlogs", "checkpoints"];
  for (const name of names) await stage.pool.query(`drop table if exists kept_${name}; create table kept_${name} as table ${name}`);
  return async () => {
    for (const name of names) {
      const overriding = name === "webhook_deliveries" ? "overriding system value" : "";
      await stage.pool.query(`truncate ${name}; insert into ${name} ${overriding} select * from kept_${name}`);
    }
  };
}

test("after an older database was put back, events that it does not know are sent again under the same ids, and none is skipped", async () => {
  let worker = work();
  await stage.record(organisationId);
  await eventually(() => receiver.got.length === 2, "the first import");
  await allEnded();
  await worker.stop();
  const putBack = await backUp();
  worker = work();
  await stage.record(organisationId);
  await eventually(() => receiver.got.length === 4, "the second import");
  await allEnded();
  await worker.stop();
  await putBack();
  await stage.record(organisationId);
  worker = work();
  await eventually(() => receiver.got.length === 8, "the second import again, and the third");
  await allEnded();
  await worker.stop();
  expect(new Set(ids().slice(0, 2)).size).toBe(2);
  expect(new Set(ids()).size).toBe(6);
  expect([...ids().slice(4)].sort()).toEqual(expect.arrayContaining([...ids().slice(2, 4)].sort()));
});

test("a lost checkpoint and a rebuild of the tables send nothing twice", async () => {
  const control = new AbortController();
  const projector = runProjector({ pool: stage.pool, eventStore: stage.eventStore, logger, signal: control.signal });
  onTestFinished(async () => {
    control.abort();
    await projector;
  });
  let worker = work();
  await stage.record(organisationId);
  await eventually(() => receiver.got.length === 2, "the first import");
  const rebuilt = await rebuildFrom(stage.eventStore);
  for (const { rebuilt: after, live } of rebuilt.comparisons) expect(live === undefined || live.digest === after.digest).toBe(true);
  await worker.stop();
  await stage.pool.query("delete from checkpoints where projection = 'webhooks'");
  worker = work();
  await stage.record(organisationId);
  await eventually(() => receiver.got.length >= 4, "the second import");
  await allEnded();
  await worker.stop();
  expect(ids()).toHaveLength(4);
  expect(new Set(ids()).size).toBe(4);
});

test("after an older log was put back, its new events are sent, and nothing else", async () => {
  // A second event store with the events so far: it stands for a backup of the log that is put back.
  const other = await startEmbeddedEventStore();
  onTestFinished(other.stop);
  const eventStore = connectEventStore({ address: other.address, logger });
  onTestFinished(eventStore.close);
  for await (const { stream, id, type, data, metadata } of everything()) {
    const last = await eventStore.last(stream);
    await eventStore.append(stream, [{ id, type, json: JSON.stringify(data), metadata }], last?.revision ?? -1n);
  }
  let worker = work();
  await stage.record(organisationId);
  await eventually(() => receiver.got.length === 2, "an import that the backup does not have");
  await allEnded();
  await worker.stop();
  await rebuildFrom(eventStore); // until then the tables belong to the other log, and nothing is sent
  const told = tell({ kind: "activities", organisationId });
  await append(eventStore, told);
  const deps = organisationDeps(stage.pool, eventStore);
  worker = work({ eventStore, organisations: deps });
  await eventually(() => receiver.got.length === 4, "the new import");
  await allEnded();
  await worker.stop();
  expect(ids().slice(2)).toEqual([told.events[1]?.id, told.events.at(-1)?.id]);
});

async function* everything() {
  const events: StoredEvent[] = [];
  await stage.eventStore.replay({ prefixes: ["organisation-", "import-", "waybill"] }, async (batch) => void events.push(...batch.events));
  yield* events;
}

test("a delivery is dropped, with the reason, when another event has taken its place in the log", async () => {
  await rebuildFrom(stage.eventStore); // the test before may have left the tables of another log
  const told = await stage.record(organisationId);
  await stage.pool.query(
    `insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, status, due_at)
     values ($1, $2, $3, 'import.started', $4, 1, 1, now(), 'waiting', now())`,
    [receiver.endpointId, organisationId, randomUUID(), told.importId],
  );
  const worker = work();
  await eventually(() => receiver.got.length === 2, "the import's own");
  await allEnded();
  await worker.stop();
  const { rows } = await stage.pool.query("select reason from webhook_deliveries where status = 'dropped'");
  expect(rows[0]?.reason).toContain("The event log no longer has event");
});
