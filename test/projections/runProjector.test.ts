import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { encode } from "../../src/events/codec.js";
import { streamOf, streamPrefix } from "../../src/events/streams.js";
import { type EventBatch, type EventStore, noStream } from "../../src/ports/eventStore.js";
import { runProjector } from "../../src/projections/running/runProjector.js";
import { findShipment } from "../../src/queries/shipments/shipmentLedger.js";
import { listVersions } from "../../src/queries/shipments/shipmentVersions.js";
import { activity, goodsLine } from "../support/importStory.js";
import { type ReadModel, startReadModel, until } from "../support/readModel.js";
import { reverse } from "../support/reversalStory.js";
import { startTestEventStore } from "../support/stores/eventStore.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startReadModel(startTestEventStore);
});
afterAll(() => model?.close());

const record = () => model.record({ kind: "activities", rows: [{ accept: activity() }, { reject: "x" }] });

/** Checks that every import recorded so far is in the tables once, completed. */
async function expectEverything(imports: number): Promise<void> {
  await model.project();
  const { rows } = await model.pool.query(
    `select (select count(*)::int from imports where status = 'completed') as imports, (select count(*)::int from activities) as activities,
            (select count(*)::int from rejections) as rejections`,
  );
  expect(rows).toEqual([{ imports, activities: imports, rejections: imports }]);
}

let imports = 0;
const recordMany = async (count: number) => {
  for (let each = 0; each < count; each += 1) await record();
  imports += count;
};

describe("the projector", () => {
  test("is replaced by the standby projector when it stops", async () => {
    const stop = new AbortController();
    const standby = runProjector({
      pool: model.pool,
      eventStore: model.eventStore,
      logger: pino({ level: "silent" }),
      signal: stop.signal,
    });
    try {
      await recordMany(3);
      await expectEverything(imports);
      await model.withoutProjector(async () => {
        await recordMany(3);
        await expectEverything(imports);
      });
    } finally {
      stop.abort();
      await standby;
    }
    await recordMany(1);
    await expectEverything(imports);
  });

  test("holds its lock without keeping dead rows from being vacuumed", async () => {
    const holders = async () =>
      (
        await model.pool.query(
          `select state, backend_xmin, backend_xid from pg_stat_activity join pg_locks using (pid)
            where locktype = 'advisory' and objid = 7241002 and database = (select oid from pg_database where datname = current_database())`,
        )
      ).rows;
    await expect.poll(holders).toEqual([{ state: "idle in transaction", backend_xmin: null, backend_xid: null }]);
  });

  test("goes on after all its database connections were cut", async () => {
    await recordMany(2);
    await model.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    // Use all of the pool's connections at once: the pool may not have noticed yet that one of them was cut.
    await until(async () =>
      Promise.all(Array.from({ length: model.pool.totalCount + 1 }, () => model.pool.query("select 1"))).then(
        () => true,
        () => false,
      ),
    );
    await recordMany(2);
    await expectEverything(imports);
  });

  test("goes on after the event store was killed and came back", async () => {
    await recordMany(2);
    await model.crashEventStore();
    await recordMany(2);
    await expectEverything(imports);
  });

  test("goes back to its checkpoint after the tables were restored from a backup, also when the log does not grow after that", async () => {
    const tables = ["imports", "rejections", "activities", "checkpoints"];
    const restore = () =>
      model.pool.query(tables.map((table) => `truncate ${table}; insert into ${table} table backup_${table}`).join("; "));
    await expectEverything(imports);
    await model.pool.query(tables.map((table) => `create table backup_${table} as table ${table}`).join("; "));
    await recordMany(4);
    await expectEverything(imports);
    await restore();
    await recordMany(1);
    await expectEverything(imports);
    await restore();
    await expectEverything(imports);
  });

  test("gathers longer while quotes pour in than between other events", async () => {
    const quotesEvent = JSON.parse(readFileSync(new URL("../fixtures/events/QuotesGenerated.v1.json", import.meta.url), "utf8")).data;
    const recordQuotes = (quotesId: string) => {
      const context = { organisation: "acme", by: quotesEvent.by, correlationId: quotesId };
      return model.eventStore.append(
        streamOf.quotes(quotesId),
        [encode("QuotesGenerated", { ...quotesEvent, quotesId }, context, quotesId)],
        noStream,
      );
    };
    const took = { quotes: [] as number[], others: [] as number[] };
    /** Hands on two events at a time, since all of them are there when the projector starts. */
    const inPairs: EventStore = Object.assign(Object.create(model.eventStore), {
      follow: (range: Parameters<EventStore["follow"]>[0], onBatch: (batch: EventBatch) => Promise<void>) =>
        model.eventStore.follow(range, async ({ events, position, caughtUp }) => {
          for (let first = 0; first < events.length; first += 2) {
            const pair = events.slice(first, first + 2);
            const begun = performance.now();
            await onBatch({ events: pair, position: (events[first + 2] && pair.at(-1)?.position) ?? position, caughtUp });
            const all = (prefix: string) => pair.length === 2 && pair.every(({ stream }) => stream.startsWith(prefix));
            if (all(streamPrefix.quotes)) took.quotes.push(performance.now() - begun);
            if (all(streamPrefix.import)) took.others.push(performance.now() - begun);
          }
        }),
    });
    await model.stopProjector();
    for (let round = 0; round < 4; round += 1) {
      for (let nth = 0; nth < 2; nth += 1) await recordQuotes(randomUUID());
      await recordMany(1); // requested, started, two rows, completed
      await recordQuotes(randomUUID()); // an even number of events
    }
    model.startProjector(undefined, inPairs);
    await expectEverything(imports);
    await model.stopProjector();
    model.startProjector();
    expect([took.quotes.length, took.others.length]).toEqual([4, 8]);
    expect(Math.min(...took.quotes) - Math.min(...took.others)).toBeGreaterThan(200); // both apply two events; one gathers for 380 ms more
  });

  test("does not ask the database at each silence of the log", async () => {
    const asked: number[] = [];
    const silent: EventStore = Object.assign(Object.create(model.eventStore), {
      follow: (range: Parameters<EventStore["follow"]>[0], onBatch: (batch: EventBatch) => Promise<void>) =>
        model.eventStore.follow(range, async (batch) => {
          await onBatch(batch);
          if (!batch.caughtUp) return;
          let queries = 0;
          const count = () => {
            queries += 1;
          };
          model.pool.on("acquire", count);
          for (let silences = 0; silences < 50; silences += 1) await onBatch({ ...batch, events: [] });
          model.pool.off("acquire", count);
          asked.push(queries);
        }),
    });
    await model.stopProjector();
    model.startProjector(undefined, silent);
    await until(async () => asked.length > 0);
    await model.stopProjector();
    model.startProjector();
    expect(asked[0]).toBeLessThan(10); // others use the same pool
  });

  test("updates the checkpoints' time also while the log does not grow", async () => {
    const updated = async () => (await model.pool.query("select min(updated_at) as at from checkpoints")).rows[0].at as Date;
    await expectEverything(imports);
    const before = await updated();
    await until(async () => (await updated()) > before);
  });

  test("fills a new projection from the beginning of the log, while the other projections go on", async () => {
    await model.record({ kind: "shipments", rows: [{ accept: goodsLine("S1") }, { accept: goodsLine("S2") }] });
    await model.project();
    await model.stopProjector();
    const versions = async () => (await model.pool.query("select each::text from shipment_versions as each order by 1")).rows;
    const before = await versions();
    expect(before).toHaveLength(2);
    await model.pool.query("truncate shipment_versions, shipment_imports; delete from checkpoints where projection = 'versions'");
    let fill: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (fill = resolve));
    const slow: EventStore = Object.assign(Object.create(model.eventStore), {
      replay: (...args: Parameters<EventStore["replay"]>) => asked.then(() => model.eventStore.replay(...args)),
    });
    onTestFinished(fill); // a projector that waits for it could not be stopped
    model.startProjector(undefined, slow);
    await record();
    imports += 1;
    await until(async () => (await model.pool.query("select from imports where status = 'completed'")).rowCount === imports + 1);
    expect(await versions()).toEqual([]);
    expect(await listVersions("acme", { shipmentId: "S1", asOf: undefined, upTo: undefined, count: 9 }, model.pool)).toBeUndefined();
    fill();
    await model.record({ kind: "shipments", rows: [{ accept: goodsLine("S1") }] });
    await until(async () => (await versions()).length === 3); // `project` does not wait for a projection that is being filled
    expect(await versions()).toEqual(expect.arrayContaining(before));
    const listed = () => listVersions("acme", { shipmentId: "S1", asOf: undefined, upTo: undefined, count: 9 }, model.pool);
    await until(async () => (await listed())?.all === 2);
  });

  test("builds tables of an earlier shape anew, together with new tables that they look into", async () => {
    const shipment = (originSuburb: string) => model.record({ kind: "shipments", rows: [{ accept: goodsLine("S9", { originSuburb }) }] });
    await shipment("before");
    const { importId } = await shipment("later");
    await model.project();
    await model.stopProjector();
    await model.pool.query(`truncate shipment_versions, shipment_imports, hidden_shipments; delete from checkpoints where projection = 'versions';
                            update checkpoints set shape = 1 where projection = 'shipments'`);
    await reverse(model.eventStore, { importId, rows: [[2, 2]], shipments: [[1, 1]], count: 1 });
    let fill: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (fill = resolve));
    const slow: EventStore = Object.assign(Object.create(model.eventStore), {
      replay: (...args: Parameters<EventStore["replay"]>) => asked.then(() => model.eventStore.replay(...args)),
    });
    onTestFinished(fill); // a projector that waits for it could not be stopped
    model.startProjector(undefined, slow);
    await until(async () => (await model.pool.query("select from reversals where import_id = $1", [importId])).rowCount === 1);
    fill();
    await until(
      async () => (await model.pool.query("select from checkpoints where projection = 'shipments' and shape > 1")).rowCount === 1,
    );
    await model.project();
    expect(await findShipment("acme", "S9", model.pool)).toMatchObject({ originSuburb: "before" });
  });
});
