import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { transaction } from "../../src/adapters/postgres/transaction.js";
import { createKey, revokeKey } from "../../src/commands/organisations/keys.js";
import type { OrganisationDeps } from "../../src/commands/organisations/organisation.js";
import { applyOrganisation } from "../../src/commands/organisations/organisationApply.js";
import { parseOrganisationFile } from "../../src/domain/catalogue/organisationFile.js";
import type { OrganisationFile } from "../../src/domain/catalogue/schema.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { catchUpOrganisation } from "../../src/projections/models/organisations.js";
import { type RebuildOptions, type Rebuilt, rebuild } from "../../src/projections/rebuild/rebuild.js";
import { activity, goodsLine, type Story } from "../support/importStory.js";
import { type ReadModel, startReadModel, until } from "../support/readModel.js";
import { createShell } from "../support/shell.js";
import { acceptingAnyPosition } from "../support/stores/anyPosition.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startReadModel();
});
afterAll(() => model?.close());

const run = (options: Partial<RebuildOptions> = {}): Promise<Rebuilt> =>
  rebuild({
    pool: model.pool,
    eventStore: model.eventStore,
    logger: pino({ level: "silent" }),
    signal: new AbortController().signal,
    migrations: migrationStatements(),
    projections: allProjections,
    ...options,
  });

const tables = allProjections.flatMap((projection) => projection.tables);

async function everything(): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const table of tables) {
    found[table] = (await model.pool.query(`select each::text from ${table} as each order by 1`)).rows.map((row) => row.each);
  }
  return found;
}

const stories: Story[] = [
  { kind: "activities", rows: [{ accept: activity() }, { reject: "x", data: { b: "1", a: "2" } }, { accept: activity() }] },
  { kind: "shipments", rows: [{ accept: goodsLine("S1") }, { accept: goodsLine("S1") }, { reject: "y", handle: "S9" }] },
  { kind: "shipments", rows: [{ accept: goodsLine("S2") }, { accept: goodsLine("S1", { originSuburb: "later" }) }] },
  { kind: "activities", end: "cancelled", rows: [{ accept: activity() }] },
  { kind: "shipments", end: "running", rows: [{ accept: goodsLine("S3") }] },
  { kind: "activities", end: "running", rows: [{ accept: activity() }, { reject: "z" }] },
  { kind: "activities", end: "queued" },
];

const identical = ({ comparisons }: Rebuilt) =>
  comparisons.every(({ live, rebuilt }) => live?.digest === rebuilt.digest && live.rows === rebuilt.rows);

beforeAll(async () => {
  for (const story of stories) await model.record(story);
  await model.project();
});

const organisationDeps = (): OrganisationDeps => ({
  events: model.eventStore,
  newId: randomUUID,
  now: async () => new Date(),
  project: (organisationId) =>
    catchUpOrganisation({ events: model.eventStore, inTransaction: (work) => transaction(model.pool, work) }, organisationId),
});

function organisationFile(id: string): OrganisationFile {
  const parsed = parseOrganisationFile({ organisation: { id, name: id, cubicFactor: 250, timezone: "UTC" } });
  if (!parsed.ok) throw new Error(parsed.faults.join());
  return parsed.file;
}

describe("a rebuild", () => {
  test("comes to exactly the rows that were there, and says so", async () => {
    const before = await everything();
    const rebuilt = await run();
    expect(identical(rebuilt)).toBe(true);
    expect(rebuilt.comparisons.map(({ projection }) => projection)).toEqual([
      "organisations",
      "members",
      "imports",
      "rejections",
      "activities",
      "shipments",
      "versions",
      "quotes",
    ]);
    expect(await everything()).toEqual(before);
  });

  test.each(allProjections.map((projection) => [projection.name, projection] as const))(
    "of %s alone leaves the other projections as they are",
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
    await model.pool.query(`${statement} ${[...tables, "checkpoints"].join(", ")}`);
    const rebuilt = await run();
    expect(await everything()).toEqual(before);
    expect(identical(rebuilt)).toBe(false);
    await model.record({ kind: "activities", organisationId: "later", rows: [{ accept: activity() }] });
    await model.project();
    expect(await run()).toSatisfy(identical);
  });

  test("names the projection whose live rows were changed by hand, and mends it", async () => {
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
    const reason = new Error("Ctrl-C"); // by which the command line tells it from a fault
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

  test("is refused while another one runs", async () => {
    const [atWork, goOn] = [gate(), gate()];
    const first = run({ eventStore: holding(atWork.open, goOn.opened) });
    await Promise.race([atWork.opened, first]);
    await expect(run()).rejects.toThrow("another rebuild");
    goOn.open();
    expect(await first).toSatisfy(identical);
  });

  test("whose lock was lost unnoticed touches nothing of the one that has it now", async () => {
    const before = await everything();
    const [firstAtWork, goOn, secondAtWork, firstOver] = [gate(), gate(), gate(), gate()];
    const first = run({ eventStore: holding(firstAtWork.open, goOn.opened) });
    const refused = expect(first).rejects.toThrow("another rebuild has begun meanwhile");
    await firstAtWork.opened;
    const here = "(select oid from pg_database where datname = current_database())";
    const holders = `from pg_locks where locktype = 'advisory' and objid = 7241003 and database = ${here}`;
    await model.pool.query(`select pg_terminate_backend(pid) ${holders}`);
    await until(async () => (await model.pool.query(`select 1 ${holders}`)).rowCount === 0);
    const second = run({ eventStore: holding(secondAtWork.open, firstOver.opened) });
    await Promise.race([secondAtWork.opened, second]);
    goOn.open();
    await refused;
    firstOver.open();
    expect(await second).toSatisfy(identical);
    expect(await everything()).toEqual(before);
  });
});

test("a rebuild puts the function of the queue back where the schema was dropped", async () => {
  await model.pool.query("drop function reserve_import_place");
  await run();
  const { rows } = await model.pool.query("select reserve_import_place('o', gen_random_uuid(), 5) as reserved");
  expect(rows).toEqual([{ reserved: true }]);
  await model.pool.query("delete from import_queue where organisation_id = 'o'");
});

describe("without a projector", () => {
  beforeEach(() => model.stopProjector());
  afterEach(() => model.startProjector());

  test("a rebuild goes to the end of the log all the same", async () => {
    const { importId } = await model.record({ kind: "activities", rows: [{ accept: activity() }] });
    await run();
    const { rows } = await model.pool.query("select status from imports where import_id = $1", [importId]);
    expect(rows).toEqual([{ status: "completed" }]);
  });
});

describe("tables of another log", () => {
  beforeEach(() => model.stopProjector());

  /** The projector leaves them alone and asks for a rebuild, after which it goes on by itself. */
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

  test("that went on for longer than this one are not added to, and replaced by a rebuild", async () => {
    await model.pool.query("update checkpoints set commit = commit + 1000000, prepare = prepare + 1000000");
    await projectAfterRebuild();
  });

  test("are not added to either once this one has grown past them, nor by another projector", async () => {
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

  test("one of them is enough", async () => {
    await model.pool.query("update checkpoints set commit = commit + 1000000 where projection = 'shipments'");
    await projectAfterRebuild();
  });

  test("that stand where this one has no event are replaced too", async () => {
    await model.pool.query("update checkpoints set commit = commit - 1, prepare = prepare - 1");
    await projectAfterRebuild();
  });
});

describe("a key revoked before the swap", () => {
  beforeEach(() => model.stopProjector());
  afterEach(() => model.startProjector());

  test("stays revoked, though no projector has seen it", async () => {
    const deps = organisationDeps();
    const origin = { by: { kind: "cli" as const, id: "cli" }, correlationId: "test" };
    await applyOrganisation(deps, organisationFile("keyed"), origin);
    const { keyId } = await createKey(deps, { organisationId: "keyed", name: "test" }, origin);
    await revokeKey(deps, { organisationId: "keyed", prefix: keyId }, origin);
    const rebuilt = await run({ projections: allProjections.filter(({ name }) => name === "organisations") });
    expect(rebuilt).toSatisfy(identical);
    const { rows } = await model.pool.query("select revoked_at is not null as revoked from api_keys where key_id = $1", [keyId]);
    expect(rows).toEqual([{ revoked: true }]);
  });
});

describe("after every projection table was dropped", () => {
  test("a rebuild restores the same answer from every GET route", async () => {
    const origin = { by: { kind: "cli" as const, id: "cli" }, correlationId: "test" };
    await applyOrganisation(organisationDeps(), organisationFile("answers"), origin);
    const { key } = await createKey(organisationDeps(), { organisationId: "answers", name: "test" }, origin);
    const told = [];
    for (const story of stories) told.push(await model.record({ ...story, organisationId: "answers" }));
    await model.project();
    const app = createShell(model.pool, { deps: { eventStore: model.eventStore } });
    const kinds = stories.map(({ kind }) => (kind === "shipments" ? "shipments" : "fulfilment"));
    const paths = [
      ...told.flatMap(({ importId }, index) => ["", "/errors"].map((rest) => `/v1/org/${kinds[index]}/imports/${importId}${rest}`)),
      ...["shipments/imports", "fulfilment/imports", "ledger/shipments", "ledger/shipments/S1", "ledger/activities"].map(
        (path) => `/v1/org/${path}`,
      ),
    ];
    const answers = () =>
      Promise.all(
        paths.map(async (path) => (await app.request(path, { headers: { "x-api-key": key } })).text().then((body) => [path, body])),
      );
    const before = await answers();
    await model.pool.query(`drop table ${[...tables, "checkpoints"].join(", ")}`);
    await run();
    expect(await answers()).toEqual(before);
  });
});

describe("during continuous pushes", () => {
  const rounds = process.env["WAYBILL_LONG"] ? 20 : 2;

  test(`${rounds} rebuilds lose and duplicate nothing, and readers never meet a missing table`, async () => {
    const organisationId = "busy";
    const stop = new AbortController();
    let activities = 0;
    let rejected = 0;
    const pushing = async () => {
      for (let push = 0; !stop.signal.aborted; push += 1) {
        const count = 1 + (push % 7);
        const rows = Array.from({ length: count }, () => ({ accept: activity({ reference: String(push) }) }));
        await model.record({ kind: "activities", organisationId, rows: [...rows, { reject: "x" }] });
        await model.record({
          kind: "shipments",
          organisationId,
          rows: [{ accept: goodsLine(`P${push % 5}`, { originSuburb: String(push) }) }],
        });
        activities += count;
        rejected += 1;
        await pause(20); // the log must not grow faster than twenty rebuilds can read it
      }
    };
    const reading = async () => {
      for (; !stop.signal.aborted; await pause(5)) {
        await model.pool.query("select from activities join imports on position = import_position order by import_position desc limit 1");
      }
    };
    const others = Promise.all([pushing(), reading(), reading()]);
    try {
      for (let round = 0; round < rounds; round += 1) expect(await run()).toSatisfy(identical);
    } finally {
      stop.abort();
      await others;
    }
    await model.project();
    const count = async (from: string) =>
      Number((await model.pool.query(`select count(*) from ${from} where organisation_id = $1`, [organisationId])).rows[0].count);
    expect(await count("activities join imports on position = import_position")).toBe(activities);
    expect(await count("rejections join imports on position = import_position")).toBe(rejected);
    const { rows } = await model.pool.query(
      "select max((fields ->> 'originSuburb')::int) as newest from shipments where organisation_id = $1",
      [organisationId],
    );
    expect(rows[0].newest).toBe(rejected - 1);
    expect(await run()).toSatisfy(identical);
  }, 300_000);
});
