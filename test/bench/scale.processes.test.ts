// The model of growth: its arithmetic on costs made up for the purpose, and that the committed costs and the document belong together.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

type Costs = Record<string, unknown> & { kinds: Record<string, { row: Record<string, number>; import: Record<string, number> }> };
interface Load {
  kind: string;
  rowsPerImport: number;
  organisations: number;
  cores: number;
  workers: number;
  apis: number;
  readsPerSecond: number;
  endpoints: number;
  diskMbPerSecond?: number;
}
interface Run {
  imports: number;
  rows: number;
  totals: Record<string, number>;
}
interface Model {
  kinds: string[];
  measures: string[];
  placesPerWorker: number;
  wallsOf(costs: Costs, load: Load): { name: string; rowsPerSecond: number }[];
  bytesPerDay(costs: Costs, load: Load, rate: number): Record<string, number>;
  fitted(small: Run, large: Run): { row: Record<string, number>; import: Record<string, number> };
  faultsOf(costs: unknown): string[];
}

const model = (await import(new URL("../../bench/scale/model.mjs", import.meta.url).href)) as Model;
const { withTables } = (await import(new URL("../../bench/scale/document.mjs", import.meta.url).href)) as {
  withTables(text: string, costs: Costs): string;
};
const program = fileURLToPath(new URL("../../bench/scale.mjs", import.meta.url));
const kept = (): Costs => JSON.parse(readFileSync(new URL("../../bench/costs.json", import.meta.url), "utf8")) as Costs;

/** Everything is free but what the case names. */
function costing(row: Record<string, number>, whole: Record<string, number> = {}): Costs {
  const none = Object.fromEntries(model.measures.map((measure) => [measure, 0]));
  const each = { row: { ...none, ...row }, import: { ...none, ...whole } };
  return {
    kinds: Object.fromEntries(model.kinds.map((kind) => [kind, each])),
    read: { apiUs: 200, postgresUs: 100 },
    delivery: { workerUs: 500, elapsedUs: 2_000 },
    disk: { syncedMbPerSecond: 100 },
    machine: { cores: 2 },
  };
}

const load: Load = {
  kind: "activitiesCsv",
  rowsPerImport: 1_000,
  organisations: 200,
  cores: 8,
  workers: 2,
  apis: 1,
  readsPerSecond: 0,
  endpoints: 0,
};
const wall = (costs: Costs, name: string, changes: Partial<Load> = {}): number =>
  model.wallsOf(costs, { ...load, ...changes }).find((each) => each.name === name)?.rowsPerSecond ?? Number.NaN;

describe("the walls", () => {
  test("are in rows per second: microseconds of one process, bytes of a disk, units of vacuum", () => {
    expect(wall(costing({ drainUs: 20 }), "the projector")).toBe(50_000);
    expect(wall(costing({ eventStoreUs: 5 }), "the leader's appends")).toBe(200_000);
    expect(wall(costing({ followUs: 4 }), "the webhook follower")).toBe(250_000);
    expect(wall(costing({ walBytes: 500 }), "Postgres' WAL")).toBe(200_000); // 100 MB/s
    expect(wall(costing({ walBytes: 500 }), "Postgres' WAL", { diskMbPerSecond: 50 })).toBe(100_000);
    expect(wall(costing({ objectBytes: 50 }), "the object store's disk")).toBe(2_000_000);
    expect(wall(costing({ vacuumUnits: 0.5 }), "vacuum")).toBe(200_000); // 200 units per 2 ms
    expect(wall(costing({ workerUs: 10 }), "worker processes")).toBe(200_000); // two of them
    expect(wall(costing({ apiUs: 2, workerUs: 8, projectorUs: 10, eventStoreUs: 10, postgresUs: 10 }), "all cores")).toBe(200_000); // 8 of them
  });

  test("count what an import costs beside its rows, by the size of imports", () => {
    const costs = costing({ drainUs: 20 }, { drainUs: 30_000 });
    expect(wall(costs, "the projector", { rowsPerImport: 1_000 })).toBe(20_000);
    expect(wall(costs, "the projector", { rowsPerImport: 1 })).toBeCloseTo(1e6 / 30_020);
  });

  test("hold an organisation to one import at a time, and a worker to its places", () => {
    const costs = costing({ lineUs: 10 });
    const rate = (organisations: number, workers: number) => wall(costs, "organisations' queues", { organisations, workers });
    const places = model.placesPerWorker;
    expect(rate(1, 1)).toBe(100_000);
    expect(rate(1, 2)).toBe(100_000);
    expect([places - 1, places, places + 1].map((organisations) => rate(organisations, 1) / 100_000)).toEqual([places - 1, places, places]);
    expect([places - 1, places, places + 1].map((organisations) => rate(organisations, 2) / 100_000)).toEqual([
      places - 1,
      places,
      places + 1,
    ]);
  });

  test("are met one after the other: the first at its rate, not one row before", () => {
    const costs = costing({ drainUs: 20, workerUs: 10, eventStoreUs: 5 });
    const met = (rate: number) =>
      model
        .wallsOf(costs, load)
        .filter(({ rowsPerSecond }) => rate > rowsPerSecond)
        .map(({ name }) => name);
    expect(met(49_999)).toEqual([]);
    expect(met(50_000)).toEqual([]);
    expect(met(50_001)).toEqual(["the projector"]);
    expect(model.wallsOf(costs, load)[0]).toEqual({ name: "the projector", rowsPerSecond: 50_000 });
  });

  test("leave less room beside reads, and none beside more reads than the cores can answer", () => {
    const costs = costing({ postgresUs: 10, apiUs: 10 });
    expect(wall(costs, "all cores", { cores: 2 })).toBe(100_000);
    expect(wall(costs, "all cores", { cores: 2, readsPerSecond: 2_000 })).toBe(70_000); // 2,000 of 300 us
    expect(wall(costs, "API processes", { readsPerSecond: 4_999 })).toBeCloseTo(20);
    expect(wall(costs, "API processes", { readsPerSecond: 5_001 })).toBe(0);
  });

  test("come to webhooks only where there are endpoints", () => {
    const costs = costing({ workerUs: 10 });
    expect(wall(costs, "one endpoint's deliveries")).toBe(Number.POSITIVE_INFINITY);
    expect(wall(costs, "one endpoint's deliveries", { endpoints: 1, organisations: 1 })).toBeCloseTo(250_000); // 2 x 2,000 us per 1,000 rows
    expect(wall(costs, "worker processes", { endpoints: 1, workers: 1 })).toBeCloseTo(1e6 / 11); // 2 x 500 us per 1,000 rows
  });

  test("come never earlier with more cores, workers, organisations or disk, and never later with more reads or smaller imports", () => {
    const costs = kept();
    const first = (changes: Partial<Load>) => model.wallsOf(costs, { ...load, ...changes })[0]?.rowsPerSecond ?? Number.NaN;
    const steps = [1, 2, 3, 5, 8, 13, 100, 1_000];
    const rates = (name: keyof Load) => steps.map((step) => first({ [name]: step }));
    for (const name of ["cores", "workers", "apis", "organisations", "diskMbPerSecond", "rowsPerImport"] as const) {
      const measured = rates(name);
      expect(
        measured.toSorted((one, other) => one - other),
        name,
      ).toEqual(measured);
    }
    const beside = rates("readsPerSecond");
    expect(beside.toSorted((one, other) => other - one)).toEqual(beside);
    for (const name of ["all cores", "worker processes", "organisations' queues"]) // so that the lists above are not all alike
      expect(wall(costs, name, { cores: 1, workers: 1 }), name).toBeLessThan(wall(costs, name, { cores: 2, workers: 2 }));
  });
});

test("a day's bytes are those of a row and an import, at the rate", () => {
  const costs = costing({ logBytes: 90, heapBytes: 100, indexBytes: 50, walBytes: 300, objectBytes: 60 }, { logBytes: 10_000 });
  const day = model.bytesPerDay(costs, load, 1_000); // 86,400,000 rows
  expect(day["log"]).toBeCloseTo(8.64);
  expect(day["tables"]).toBeCloseTo(12.96);
  expect(day["wal"]).toBeCloseTo(25.92);
  expect(day["objects"]).toBeCloseTo(5.184);
});

describe("two runs of imports of different sizes", () => {
  const run = (imports: number, rowsEach: number, us: number): Run => ({ imports, rows: imports * rowsEach, totals: { us } });

  test("tell what a row costs from what an import costs", () => {
    const { row, import: whole } = model.fitted(run(40, 100, 40 * (5_000 + 100 * 12)), run(1, 100_000, 5_000 + 100_000 * 12));
    expect(row["us"]).toBeCloseTo(12);
    expect(whole["us"]).toBeCloseTo(5_000);
  });

  test("never say that something costs less than nothing", () => {
    const cheaper = model.fitted(run(10, 100, 10 * 900), run(1, 100_000, 100_000 * 10));
    expect(cheaper.import["us"]).toBe(0);
    expect(cheaper.row["us"]).toBeCloseTo(10);
    const fixed = model.fitted(run(10, 100, 10 * 900), run(1, 100_000, 800));
    expect(fixed.row["us"]).toBe(0);
    expect(fixed.import["us"]).toBeCloseTo(900);
  });
});

describe("the costs that are kept", () => {
  test("are complete, and a missing or impossible one is named", () => {
    expect(model.faultsOf(kept())).toEqual([]);
    const costs = kept();
    const row = costs.kinds["shipmentsJson"]?.row as Record<string, number>;
    delete row["walBytes"];
    row["workerUs"] = -1;
    expect(model.faultsOf({ ...costs, disk: undefined })).toEqual([
      "kinds.shipmentsJson.row.workerUs is no number of at least 0",
      "kinds.shipmentsJson.row.walBytes is no number of at least 0",
      "disk.syncedMbPerSecond is no number of at least 0",
    ]);
    expect(model.faultsOf({}).length).toBeGreaterThan(100);
  });

  test("have the points that the model is checked by: one worker process and two, one organisation and many", () => {
    const points = (kept()["checks"] as { workers: number; organisations: number; rowsPerSecond: number }[]) ?? [];
    expect(points.map(({ workers }) => workers)).toEqual([1, 1, 2, 2]);
    expect(points.map(({ organisations }) => organisations > 1)).toEqual([false, true, false, true]);
    expect(points.every(({ rowsPerSecond }) => rowsPerSecond > 0)).toBe(true);
  });

  test("are those of bench/scale/tables.md", () => {
    const document = readFileSync(new URL("../../bench/scale/tables.md", import.meta.url), "utf8");
    expect(withTables(document, kept())).toBe(document);
  });
});

describe("the command", () => {
  const run = async (...args: string[]) =>
    promisify(execFile)(process.execPath, [program, ...args]).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );

  test("names the first wall, whether it is met, and every other", async () => {
    const asked = ["--organisations", "200", "--cores", "8", "--workers", "2"];
    const low = await run("--rows-per-second", "1", ...asked);
    expect(low.stdout).toMatch(/Not met; the first would be: .+, at [\d,]+ rows\/s\./);
    const high = await run("--rows-per-second", "1000000000", ...asked);
    expect(high.stdout).toMatch(/Met first: .+, at [\d,]+ rows\/s\./);
    for (const { name } of model.wallsOf(kept(), load)) expect(high.stdout).toContain(name);
  });

  test("explains itself, and refuses what is no number with one line", async () => {
    expect((await run("--help")).stdout).toContain("--rows-per-second N");
    for (const [name, value, sentence] of [
      ["--cores", "0", "--cores must be a whole number from 1 to 100000"],
      ["--cores", "1.5", "--cores must be a whole number"],
      ["--organisations", "many", '--organisations must be a whole number from 1 to 10000000, not "many"'],
      ["--rows-per-second", "1e9", "--rows-per-second must be a number from 1"],
      ["--rows-per-second", "1000000001", "--rows-per-second must be a number from 1"],
      ["--kind", "quotes", "--kind must be one of activitiesCsv"],
      ["--rows", "5", "--help shows what there is"],
    ] as const) {
      const { code, stderr } = await run(name, value);
      expect(code).toBe(1);
      expect(stderr).toContain(sentence);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    }
  });
});
