import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { allProjections } from "../../src/projections/allProjections.js";
import { catchUpImport } from "../../src/projections/importRow.js";
import type { RebuildOptions } from "../../src/projections/rebuild/rebuild.js";
import { activity } from "../support/importStory.js";
import { type ReadModel, until } from "../support/readModel.js";
import { acceptingAnyPosition } from "../support/stores/anyPosition.js";
import { everythingIn, identical, runRebuild, startRebuildStage, tables } from "./rebuildStage.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startRebuildStage();
});
afterAll(() => model?.close());

const run = (options: Partial<RebuildOptions> = {}) => runRebuild(model, options);
const everything = () => everythingIn(model);

describe("a rebuild", () => {
  test("gives exactly the rows that were there, and says so", async () => {
    const before = await everything();
    const rebuilt = await run();
    expect(identical(rebuilt)).toBe(true);
    expect(rebuilt.comparisons.map(({ projection }) => projection)).toEqual(allProjections.map(({ name }) => name));
    expect(await everything()).toEqual(before);
  });

  test.each(allProjections.map((projection) => [projection.name, projection] as const))(
    "of %s alone gives the same rows, and the projector goes on",
    async (_, projection) => {
      const before = await everything();
      expect(identical(await run({ projections: [projection] }))).toBe(true);
      await model.record({ kind: "activities", organisationId: "later", rows: [{ accept: activity() }] });
      await model.project();
      expect((await everything())["imports"]).toHaveLength((before["imports"]?.length ?? 0) + 1);
    },
  );

  test.each(["drop table", "truncate"])("restores everything after %s of every projection table", async (statement) => {
    const before = await everything();
    // A running projector would fill the tables by itself, and on a busy machine before the rebuild has looked at them.
    const rebuilt = await model.withoutProjector(async () => {
      await model.pool.query(`${statement} ${[...tables, "checkpoints"].join(", ")}`);
      return run();
    });
    expect(await everything()).toEqual(before);
    expect(identical(rebuilt)).toBe(false);
    await model.record({ kind: "activities", organisationId: "later", rows: [{ accept: activity() }] });
    await model.project();
    expect(await run()).toSatisfy(identical);
  });

  test("names the projection whose live rows were changed by hand, and repairs it", async () => {
    const before = await everything();
    await model.pool.query("update shipments set items = '[]' where shipment_id = 'S1'");
    const { comparisons } = await run();
    expect(comparisons.filter(({ live, rebuilt }) => live?.digest !== rebuilt.digest).map(({ projection }) => projection)).toEqual([
      "shipments",
    ]);
    expect(await everything()).toEqual(before);
  });

  test("that is interrupted changes nothing and can be started again", async () => {
    const before = await everything();
    const stop = new AbortController();
    const reason = new Error("Ctrl-C"); // the command line recognises an interruption by this error
    const interrupted = run({ signal: stop.signal, onProgress: () => stop.abort(reason) });
    await expect(interrupted).rejects.toBe(reason);
    expect(await everything()).toEqual(before);
    expect(await run()).toSatisfy(identical);
    expect((await model.pool.query("select 1 from pg_namespace where nspname = 'waybill_rebuild'")).rows).toEqual([]);
  });

  const gate = () => {
    let open = () => undefined as undefined;
    const opened = new Promise<void>((settle) => {
      open = () => void settle();
    });
    return { open, opened };
  };
  const holding = (arrived: () => void, until: Promise<void>) => ({
    ...model.eventStore,
    replay: async (...args: Parameters<typeof model.eventStore.replay>) => {
      arrived();
      await until;
      return model.eventStore.replay(...args);
    },
  });

  /** Lets a rebuild go on and waits for its end, so that a failed test does not leave its lock to the next one. */
  const ended = async (goOn: () => void, rebuilding: Promise<unknown>) => {
    goOn();
    await rebuilding.catch(() => undefined);
  };

  test("is refused while another one runs", async () => {
    const [atWork, goOn] = [gate(), gate()];
    const first = run({ eventStore: holding(atWork.open, goOn.opened) });
    onTestFinished(() => ended(goOn.open, first));
    await Promise.race([atWork.opened, first]);
    await expect(run()).rejects.toThrow("another rebuild");
    goOn.open();
    expect(await first).toSatisfy(identical);
  });

  test("that has lost its lock without noticing fails, and does not disturb the rebuild that has the lock now", async () => {
    const before = await everything();
    const [firstAtWork, goOn, secondAtWork, firstOver] = [gate(), gate(), gate(), gate()];
    const first = run({ eventStore: holding(firstAtWork.open, goOn.opened) });
    onTestFinished(() => ended(goOn.open, first));
    const refused = expect(first).rejects.toThrow("another rebuild or audit has begun meanwhile");
    await firstAtWork.opened;
    const here = "(select oid from pg_database where datname = current_database())";
    const holders = `from pg_locks where locktype = 'advisory' and objid = 7241003 and database = ${here}`;
    await model.pool.query(`select pg_terminate_backend(pid) ${holders}`);
    await until(async () => (await model.pool.query(`select 1 ${holders}`)).rowCount === 0);
    const second = run({ eventStore: holding(secondAtWork.open, firstOver.opened) });
    onTestFinished(() => ended(firstOver.open, second));
    await Promise.race([secondAtWork.opened, second]);
    goOn.open();
    await refused;
    firstOver.open();
    expect(await second).toSatisfy(identical);
    expect(await everything()).toEqual(before);
  });
});

test("a rebuild creates the SQL function of the keys again when it was dropped", async () => {
  await model.pool.query("drop function look_up_secrets_json");
  await run();
  await model.pool.query("select 'look_up_secrets_json'::regproc");
});

describe("without a projector", () => {
  beforeEach(() => model.stopProjector());
  afterEach(() => model.startProjector());

  test("a rebuild also reads to the end of the log", async () => {
    const { importId } = await model.record({ kind: "activities", rows: [{ accept: activity() }] });
    await run();
    const { rows } = await model.pool.query("select status from imports where import_id = $1", [importId]);
    expect(rows).toEqual([{ status: "completed" }]);
  });

  test("a rebuild of the imports alone keeps what commands have written before the projector, and does not call it a difference", async () => {
    const ends = ["queued", "running", "cancelled", "completed"] as const;
    const importIds: string[] = [];
    for (const end of ends) {
      const rows = [{ accept: activity() }, { reject: "x" }];
      const { importId } = await model.record({
        kind: "activities",
        organisationId: `ahead-${end}`,
        end,
        rows: end === "queued" ? [] : rows,
      });
      await catchUpImport(model.pool, model.eventStore, importId);
      importIds.push(importId);
    }
    const shown = async () => {
      const columns = "status, received, failed, revision, counted, recorded_rows";
      const { rows } = await model.pool.query(`select ${columns} from imports where import_id = any($1) order by position`, [importIds]);
      return rows.map((row) => Object.values(row));
    };
    const ahead = [
      ["queued", 0, 0, "0", "-1", null],
      ["processing", 0, 0, "1", "-1", null],
      ["cancelled", 2, 1, "4", "-1", null],
      ["processing", 0, 0, "1", "-1", 2],
    ];
    expect(await shown()).toEqual(ahead);
    expect(await run({ projections: allProjections.filter(({ name }) => name === "imports") })).toSatisfy(identical);
    expect(await shown()).toEqual(ahead);
    model.startProjector();
    await model.project();
    expect((await shown()).map(([status, ...counts]) => [status, counts.slice(0, 2)])).toEqual([
      ["queued", [0, 0]],
      ["processing", [2, 1]],
      ["cancelled", [2, 1]],
      ["completed", [2, 1]],
    ]);
    expect(await run()).toSatisfy(identical);
    await model.stopProjector();
  });
});

describe("tables of another log", () => {
  beforeEach(() => model.stopProjector());

  /** The projector must write nothing and ask for a rebuild, and go on by itself after the rebuild. */
  async function projectAfterRebuild(): Promise<void> {
    const { importId } = await model.record({ kind: "activities", rows: [{ accept: activity() }] });
    const lines: string[] = [];
    model.startProjector(pino({ level: "error" }, { write: (line) => void lines.push(line) }), acceptingAnyPosition(model.eventStore));
    await until(async () => lines.some((line) => line.includes("projections rebuild")));
    const status = async () => (await model.pool.query("select status from imports where import_id = $1", [importId])).rows;
    expect(await status()).toEqual([]);
    await run();
    await model.project();
    expect(await status()).toEqual([{ status: "completed" }]);
    expect(await run()).toSatisfy(identical);
  }

  test("whose checkpoint is past the end of this log are not written, and are replaced by a rebuild", async () => {
    await model.pool.query("update checkpoints set commit = commit + 1000000, prepare = prepare + 1000000");
    await projectAfterRebuild();
  });

  test("are not written either when this log has grown past their checkpoint, nor by another projector", async () => {
    const end = (await model.eventStore.head())?.commit ?? 0n;
    await model.pool.query("update checkpoints set commit = $1, prepare = $1", [String(end + 2_000n)]);
    const lines: string[] = [];
    const logger = pino({ level: "error" }, { write: (line) => void lines.push(line) });
    model.startProjector(logger);
    await until(async () => lines.length >= 3);
    await model.stopProjector();
    while (((await model.eventStore.head())?.commit ?? 0n) < end + 3_000n) await model.record({ kind: "activities" });
    const before = await everything();
    model.startProjector(logger);
    await until(async () => lines.length >= 4);
    expect(await everything()).toEqual(before);
    await run();
    await model.project();
    expect(await run()).toSatisfy(identical);
  });

  test("are recognised by the checkpoint of a single projection", async () => {
    await model.pool.query("update checkpoints set commit = commit + 1000000 where projection = 'shipments'");
    await projectAfterRebuild();
  });

  test("whose checkpoint is where this log has no event are replaced too", async () => {
    await model.pool.query("update checkpoints set commit = commit - 1, prepare = prepare - 1");
    await projectAfterRebuild();
  });
});
