import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIdOf } from "../../src/commands/logIdentity.js";
import { applyOrganisation } from "../../src/commands/organisations/organisation.js";
import { readLogId } from "../../src/events/streams.js";
import type { EventStore, StoredEvent } from "../../src/ports/eventStore.js";
import { connect } from "../adapters/eventStore/support.js";
import type { TestEventStore } from "../support/stores/eventStore.js";
import { startHostedEventStore } from "../support/stores/hostedEventStore.js";
import { type CommandStores, fileFor, newOrganisation, origin, startCommandStores } from "./support.js";

async function everything(store: EventStore): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  await store.replay({ prefixes: [""] }, async ({ events }) => void found.push(...events));
  return found;
}

describe("a log", () => {
  let stores: CommandStores;
  beforeAll(async () => {
    stores = await startCommandStores();
  });
  afterAll(() => stores?.close());

  test("begins with LogCreated, which has its id, and holds this event once", async () => {
    expect(await readLogId(stores.events)).toBeUndefined();
    await applyOrganisation(stores.deps, fileFor(newOrganisation()), origin);
    const [first, ...rest] = await everything(stores.events);
    expect(first).toMatchObject({ stream: "waybill", revision: 0n, type: "LogCreated", data: { logId: await readLogId(stores.events) } });
    expect(rest.length).toBeGreaterThan(0);
    await applyOrganisation(stores.deps, fileFor(newOrganisation()), origin);
    expect((await everything(stores.events)).filter(({ type }) => type === "LogCreated")).toHaveLength(1);
  });
});

describe("processes that start at once", () => {
  let node: TestEventStore;
  const connections: EventStore[] = [];
  beforeAll(async () => {
    node = await startHostedEventStore();
  });
  afterAll(async () => {
    await Promise.all(connections.map((each) => each.close()));
    await node?.stop();
  });
  const another = (): EventStore => {
    const store = connect(node.address);
    connections.push(store);
    return store;
  };

  test("agree on one id, also for a log of an earlier version, which has events but no id", async () => {
    const event = {
      id: randomUUID(),
      type: "ImportFailed",
      json: "{}",
      metadata: { organisation: "", actor: "", $correlationId: "", v: 1 },
    };
    await another().append(`import-${randomUUID()}`, [event], -1n);
    const ids = await Promise.all(Array.from({ length: 8 }, () => logIdOf(another())));
    expect(new Set(ids).size).toBe(1);
    expect(await readLogId(another())).toBe(ids[0]);
    expect((await everything(another())).filter(({ stream }) => stream === "waybill")).toHaveLength(1);
  });
});
