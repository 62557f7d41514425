// An import's status, the list of imports and the rejected rows agree, though they are read from tables that may be behind.
import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { confirmPlace, removePlace } from "../../../src/commands/imports/queue/places.js";
import type { ImportRequested } from "../../../src/events/importEvents.js";
import { catchUpImport } from "../../../src/projections/importRow.js";
import { latestImports } from "../../../src/queries/imports/importList.js";
import { activity, type Row, type Story, type Told, tell } from "../../support/importStory.js";
import { type ReadModel, startReadModel, until } from "../../support/readModel.js";
import { createShell, insertOrganisation } from "../../support/shell.js";

type Json = Record<string, unknown> & { items: Record<string, unknown>[]; nextCursor: string | null };

let model: ReadModel;
let app: ReturnType<typeof createShell>;
let org: { organisationId: string; key: string };

beforeAll(async () => {
  model = await startReadModel();
  const objectStore = { link: async () => "a link" };
  app = createShell(model.pool, { deps: { eventStore: model.eventStore, objectStore: objectStore as never } });
});
afterAll(() => model?.close());
beforeEach(async () => {
  org = await insertOrganisation(model.pool);
});

const path = "/v1/org/fulfilment/imports";
const get = async (rest: string) => (await (await app.request(`${path}${rest}`, { headers: { "x-api-key": org.key } })).json()) as Json;
/** On a busy machine the API does not wait for the event store and may answer an older status: then it is asked again. */
const expectStatus = (told: Told, status: string) => until(async () => (await get(`/${told.importId}`))["status"] === status);

/** An import whose steps the test takes one by one, as a worker would. */
async function pushed(story: Partial<Story>) {
  const told = tell({ kind: "activities", organisationId: org.organisationId, ...story });
  const { position } = await model.eventStore.append(told.stream, told.events.slice(0, 1), -1n);
  await confirmPlace(model.pool, JSON.parse(told.events[0]?.json ?? "") as ImportRequested, position.commit);
  return {
    ...told,
    async begin() {
      await model.eventStore.append(told.stream, told.events.slice(1, 2), 0n);
      await catchUpImport(model.pool, model.eventStore, told.importId);
    },
    async goOn(from: number, to: number) {
      for (let at = from; at < to; at += 500)
        await model.eventStore.append(told.stream, told.events.slice(at, Math.min(to, at + 500)), BigInt(at) - 1n);
    },
    async end(from = 2) {
      await this.goOn(from, told.events.length);
      await catchUpImport(model.pool, model.eventStore, told.importId);
      await removePlace(model.pool, { importId: told.importId, rows: told.events.length - 3 });
    },
  };
}

/**
 * Waits until the list has these statuses, newest first, and every import in it reads as it does by itself. On a busy machine the list
 * does not wait for the event store and shows what the table has: then it is read again. It must never show two imports as running.
 */
async function expectListed(...expected: string[]): Promise<void> {
  let statuses: unknown[] = [];
  const tellsOneStory = async () => {
    const { items } = await get("");
    statuses = items.map((item) => item["status"]);
    expect(statuses.filter((status) => status === "processing").length).toBeLessThan(2);
    const each = await Promise.all(items.map((item) => get(`/${item["importId"]}`)));
    const operators = await latestImports(org.organisationId, 100, model);
    return isDeepStrictEqual(each, items) && isDeepStrictEqual(operators.map(nameAndStatus), items.map(nameAndStatus));
  };
  await until(async () => (await tellsOneStory()) && isDeepStrictEqual(statuses, expected)).catch((error: unknown) => {
    expect(statuses).toEqual(expected);
    throw error;
  });
}

const nameAndStatus = ({ importId, status }: { importId?: unknown; status?: unknown }) => [importId, status];

describe.each([
  ["projected", true],
  ["not projected yet", false],
])("two imports, one after the other, %s", (_, projected) => {
  let first: Awaited<ReturnType<typeof pushed>>;
  let second: Awaited<ReturnType<typeof pushed>>;

  beforeEach(async () => {
    if (!projected) await model.stopProjector();
    first = await pushed({ rows: [{ accept: activity() }] });
    second = await pushed({ rows: [{ accept: activity() }] });
    if (!projected) return;
    await model.project();
    await model.stopProjector();
  });
  afterEach(async () => {
    await model.stopProjector(); // the test may have started it
    model.startProjector();
  });

  test("are never both shown as running, and an ended one stays in the list", async () => {
    await expectListed("queued", "queued");
    await first.begin();
    await expectListed("queued", "processing");
    await first.end();
    await expectListed("queued", "processing"); // its rows are not in the ledger yet, so it is not shown as completed
    await second.begin();
    await expectStatus(first, "processing");
    await expectStatus(second, "queued");
    await expectListed("queued", "processing");
    await second.end();
    await expectListed("queued", "processing");
    model.startProjector();
    await model.project();
    await expectListed("completed", "completed");
  });

  test("an import is shown as running as soon as the one before it is cancelled, and still when a later one is cancelled", async () => {
    const cancelled = await pushed({ end: "cancelled", rows: [{ reject: "x" }] });
    await cancelled.begin();
    await cancelled.end();
    await first.begin();
    await expectListed("cancelled", "queued", "processing");
    const third = await pushed({ end: "cancelled" });
    await third.begin();
    await third.end();
    await expectStatus(first, "processing");
  });
});

test.each(["cancelled", "failed"] as const)(
  "the list of rejected rows of an import that was %s has as many rows as its status counts",
  async (end) => {
    const rows: Row[] = Array.from({ length: 1_200 }, (_, index) =>
      index % 3 === 0 ? { accept: activity() } : { reject: `fault ${index}`, handle: `R${index}`, data: { reference: `R${index}` } },
    );
    const told = await pushed({ end, rows });
    await told.begin();
    await told.goOn(2, 302); // 300 rows are projected, the rest are not
    await model.project();
    const all = async (limit: number) => {
      const items: unknown[] = [];
      let cursor: string | null = null;
      do {
        const page: Json = await get(`/${told.importId}/errors?limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`);
        if (page.nextCursor !== null) expect(page.items).toHaveLength(limit);
        items.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return items;
    };
    const [status, behind] = await model.withoutProjector(async () => {
      await told.end(302);
      return [await get(`/${told.importId}`), await get(`/${told.importId}/errors`)];
    });
    expect(status).toMatchObject({ status: end, counts: { received: 1_200, processed: 0, failed: 800 } });
    expect(behind).toMatchObject({ statusCode: 503 });
    const small = await all(77); // waits for the projector
    expect(small).toHaveLength(800);
    expect(await all(500)).toEqual(small);
    expect(await get(`/${told.importId}`)).toEqual(status);
  },
);
