// A read model with imports of every kind and status, and helpers that rebuild and compare its tables.
import { pino } from "pino";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { type RebuildOptions, type RebuildResult, rebuild } from "../../src/projections/rebuild/rebuild.js";
import { activity, goodsLine, type Story } from "../support/importStory.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";

export const tables = allProjections.flatMap((projection) => projection.tables);

export const stories: Story[] = [
  { kind: "activities", rows: [{ accept: activity() }, { reject: "x", data: { b: "1", a: "2" } }, { accept: activity() }] },
  { kind: "shipments", rows: [{ accept: goodsLine("S1") }, { accept: goodsLine("S1") }, { reject: "y", handle: "S9" }] },
  { kind: "shipments", rows: [{ accept: goodsLine("S2") }, { accept: goodsLine("S1", { originSuburb: "later" }) }] },
  { kind: "activities", end: "cancelled", rows: [{ accept: activity() }] },
  { kind: "shipments", end: "running", rows: [{ accept: goodsLine("S3") }] },
  { kind: "activities", end: "running", rows: [{ accept: activity() }, { reject: "z" }] },
  { kind: "activities", end: "queued", sameFileAs: "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50" },
];

export async function startRebuildStage(): Promise<ReadModel> {
  const model = await startReadModel();
  for (const story of stories) await model.record(story);
  await model.project();
  return model;
}

export const runRebuild = (model: ReadModel, options: Partial<RebuildOptions> = {}): Promise<RebuildResult> =>
  rebuild({
    pool: model.pool,
    eventStore: model.eventStore,
    logger: pino({ level: "silent" }),
    signal: new AbortController().signal,
    migrations: migrationStatements(),
    projections: allProjections,
    ...options,
  });

export const identical = ({ comparisons }: RebuildResult) =>
  comparisons.every(({ live, rebuilt }) => live?.digest === rebuilt.digest && live.rows === rebuilt.rows);

/** Every row of every projection, as text. */
export async function everythingIn(model: ReadModel): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const table of tables) {
    found[table] = (await model.pool.query(`select each::text from ${table} as each order by 1`)).rows.map((row) => row.each);
  }
  return found;
}
