// Totals and filtered lists compared with a simple recount of the pushed activities.
import { readdir, readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spreadsheets } from "../../src/adapters/spreadsheets/spreadsheets.js";
import { add, decimal, toText } from "../../src/domain/exactDecimal.js";
import { fieldsOf } from "../../src/domain/imports/fields.js";
import { instantOf } from "../../src/domain/imports/timestamp.js";
import type { ActivityFilter } from "../../src/queries/activities/activityFilter.js";
import { listActivities, pageOfActivities } from "../../src/queries/activities/activityRows.js";
import { type ActivityTotal, readActivityTotals, sumOfTotals } from "../../src/queries/activities/activityTotals.js";
import { allActivities } from "../../src/queries/activities/allActivities.js";
import { activity } from "../support/importStory.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";

type Activity = ReturnType<typeof activity> & { customerId?: string; reference?: string };
interface Pushed extends Activity {
  readonly importId: string;
  readonly row: number;
}

let model: ReadModel;
const pushed: Pushed[] = [];

async function push(rows: readonly Activity[], story: { organisationId?: string; end?: "cancelled" | "running" } = {}): Promise<void> {
  const { importId } = await model.record({ kind: "activities", rows: rows.map((accept) => ({ accept })), ...story });
  if (Object.keys(story).length === 0) pushed.push(...rows.map((row, index) => ({ ...row, importId, row: index + 2 })));
}

const forms = [
  ...["2026-03-01T00:00:00Z", "2026-03-01T00:29:59.999Z", "2026-03-01T00:30:00Z", "2026-03-01t00:30z", "2026-03-01 10:59:59,9999999+1030"],
  ...["2026-03-01T00:29:59.999999999Z", "2026-02-28T14:00-10", "2026-03-01T11:00:00.5+1100", "2026-03-01T09:15:00.123456+09:30"],
  ...["1900-01-01T00:00Z", "9999-12-31T23:59:59.999Z", "2026-03-31T23:45:00-00:15", "2026-04-01T00:00:00+00:00"],
];
const quantities = [0.1, 0.2, -3, 999999999999999, 0.000001, 1e-7, 12.345678, -0.3, 1];
const some = (n: number): Activity => ({
  ...activity({ quantity: quantities[n % quantities.length], activityTimestamp: forms[(n * 7) % forms.length] }),
  warehouseCode: ["SYD", "MEL", "Kühlhaus, Süd"][n % 3] ?? "",
  chargeCode: ["PICK", "PACK", "=1+1", "pick"][(n * 5) % 4] ?? "",
  ...(n % 5 === 0 ? {} : { customerId: ["CUST-001", "CUST-002"][n % 2] ?? "" }),
  reference: `R-${n}`,
});

beforeAll(async () => {
  model = await startReadModel();
  await push(Array.from({ length: 300 }, (_, n) => some(n)));
  await push(Array.from({ length: 40 }, (_, n) => some(n * 11 + 3)));
  await push([some(1)]);
  await push([some(1), some(2)], { organisationId: "other" });
  await push([some(1), some(2)], { end: "cancelled" });
  await push([some(1), some(2)], { end: "running" });
  await model.project();
});
afterAll(() => model?.close());

const matches =
  ({ importId, customerId, warehouseCode, chargeCode, from, to }: ActivityFilter) =>
  (row: Pushed) => {
    const at = instantOf(row.activityTimestamp, "UTC") ?? Number.NaN;
    return (
      (importId === undefined || row.importId === importId) &&
      (customerId === undefined || (row.customerId ?? "") === customerId) &&
      (warehouseCode === undefined || row.warehouseCode === warehouseCode) &&
      (chargeCode === undefined || row.chargeCode === chargeCode) &&
      (from === undefined || at >= from.getTime()) &&
      (to === undefined || at < to.getTime())
    );
  };

function recount(filter: ActivityFilter): ActivityTotal[] {
  const totals = new Map<string, ActivityTotal>();
  for (const { customerId = null, warehouseCode, chargeCode, quantity } of pushed.filter(matches(filter))) {
    const key = JSON.stringify([customerId, warehouseCode, chargeCode]);
    const known = totals.get(key) ?? { customerId, warehouseCode, chargeCode, quantity: "0", rows: 0 };
    totals.set(key, { ...known, quantity: toText(add(decimal(known.quantity), decimal(quantity))), rows: known.rows + 1 });
  }
  return [...totals.values()];
}

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

async function allPages(filter: ActivityFilter, limit: number): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  do {
    const page = await listActivities("acme", filter, { limit, cursor, secret: "secret" }, model.pool);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    expect(page.items.length > 0 || page.nextCursor === null).toBe(true);
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

describe("for any filter and any range of times", () => {
  const given = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
  const instants = forms.map((text) => instantOf(text, "UTC") ?? 0);
  const instant = fc
    .tuple(fc.constantFrom(...instants), fc.constantFrom(-1, 0, 1, 1_800_000, 60_000))
    .map(([at, more]) => new Date(Math.min(at + more, instants[10] ?? at)));
  const filters = fc
    .record({
      customerId: given(fc.constantFrom("", "CUST-001", "CUST-002", "CUST-009")),
      warehouseCode: given(fc.constantFrom("SYD", "Kühlhaus, Süd")),
      chargeCode: given(fc.constantFrom("PICK", "=1+1", "pick")),
      from: given(instant),
      to: given(instant),
    })
    .filter(({ from, to }) => from === undefined || to === undefined || from <= to);

  test("the totals are the sums of the pushed activities", async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const totals = await readActivityTotals("acme", filter, model.pool);
        expect([...totals].sort(byText)).toEqual(recount(filter).sort(byText));
      }),
      { numRuns: 100 },
    );
  });

  test("the pages have each row once, in the same order for any page size", async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(1, 3, 25), fc.boolean(), async (filter, limit, ofImport) => {
        const narrowed = ofImport ? { ...filter, importId: pushed[0]?.importId } : filter;
        const whole = await allPages(narrowed, 500);
        expect(whole.map(({ importId, row }) => `${importId} ${row}`).sort()).toEqual(
          pushed
            .filter(matches(narrowed))
            .map(({ importId, row }) => `${importId} ${row}`)
            .sort(),
        );
        if (whole.length <= 4 * limit) expect(await allPages(narrowed, limit)).toEqual(whole);
      }),
      { numRuns: 40 },
    );
  });

  test("a file has the rows of the pages in their order, as they were recorded", async () => {
    const inUse = () => model.pool.totalCount - model.pool.idleCount;
    const before = inUse();
    await fc.assert(
      fc.asyncProperty(filters, fc.boolean(), async (filter, ofImport) => {
        const narrowed = ofImport ? { ...filter, importId: pushed[0]?.importId } : filter;
        const rows: unknown[] = [];
        for await (const lines of allActivities("acme", narrowed, model.pool)) {
          const cells = spreadsheets.cellsFromCopy({ lines, isNumber: [] });
          rows.push(...cells);
        }
        const { items } = await pageOfActivities("acme", narrowed, { limit: 500, cursor: undefined, secret: "s" }, model.pool);
        const textOf = (value: unknown) => (value === null ? "" : String(value));
        expect(rows).toEqual(
          items.map(({ values, importId, row }) => [
            ...fieldsOf("activity").map(({ name }) => textOf(values[name])),
            importId,
            String(row),
          ]),
        );
        expect(rows).toHaveLength(pushed.filter(matches(narrowed)).length);
      }),
      { numRuns: 60 },
    );
    expect(inUse()).toBe(before);
  });
});

test("a filter's codes are compared as they are, whatever they would mean in a statement", async () => {
  const codes = ["'", "\\", "\\'", "x' or true --", "') to stdout; drop table activities; --", "$1", "$$", "E'\\047'", "%", "😀"];
  await push(
    codes.map((code) => activity({ customerId: code, warehouseCode: code, chargeCode: code })),
    { organisationId: "hostile" },
  );
  await model.project();
  for (const code of codes)
    for (const filter of [{ customerId: code }, { warehouseCode: code }, { chargeCode: code }]) {
      const found: unknown[] = [];
      for await (const lines of allActivities("hostile", filter, model.pool))
        found.push(...spreadsheets.cellsFromCopy({ lines, isNumber: [] }).map(([warehouse, charge]) => [warehouse, charge]));
      expect(found).toEqual([[code, code]]);
    }
  for await (const _ of allActivities("' or true --", {}, model.pool)) expect.unreachable("rows of another organisation");
});

test("totals are exact where JSON numbers are not", async () => {
  await push([0.1, 0.2].map((quantity) => activity({ quantity, customerId: "CUST-X" })));
  await push(Array.from({ length: 3 }, () => activity({ quantity: 999999999999999, customerId: "CUST-X", chargeCode: "BIG" })));
  await push([1e-7, -5].map((quantity) => activity({ quantity, customerId: "CUST-X", chargeCode: "SMALL" })));
  await model.project();
  const totals = await readActivityTotals("acme", { customerId: "CUST-X" }, model.pool);
  expect(totals.map(({ chargeCode, quantity, rows }) => [chargeCode, quantity, rows])).toEqual([
    ["BIG", "2999999999999997", 3],
    ["PICK", "0.3", 2],
    ["SMALL", "-4.9999999", 2],
  ]);
  expect(sumOfTotals(totals)).toEqual({ quantity: "2999999999999992.3000001", rows: 7 });
});

test("a timestamp that an older version accepted and Postgres cannot read is in no total, and other rows are", async () => {
  const strange = ["soon", "2026-02-30T00:00:00Z", "2026-03-01T00:00:00+99:00"].map((activityTimestamp) => activity({ activityTimestamp }));
  await push([activity(), ...strange, activity()], { organisationId: "old" });
  await model.project();
  expect(sumOfTotals(await readActivityTotals("old", {}, model.pool)).rows).toBe(2);
});

test("an organisation's totals have no other organisation's activities, nor those of imports that did not complete", async () => {
  expect(sumOfTotals(await readActivityTotals("other", {}, model.pool)).rows).toBe(2);
  expect(sumOfTotals(await readActivityTotals("acme", {}, model.pool)).rows).toBe(pushed.length);
  expect(await readActivityTotals("nobody", {}, model.pool)).toEqual([]);
  const { items } = await listActivities("other", { warehouseCode: "MEL" }, { limit: 500, cursor: undefined, secret: "s" }, model.pool);
  expect(items).toHaveLength(1);
  const foreign = { importId: pushed[0]?.importId, chargeCode: "PICK" };
  expect((await listActivities("other", foreign, { limit: 500, cursor: undefined, secret: "s" }, model.pool)).items).toEqual([]);
});

test("the migration gives data of an earlier version the same totals", async () => {
  const read = async () => [
    // A later version added `largest`, and fills the tables anew.
    (await model.pool.query("select * from activity_totals order by 1, 2, 3, 4, 5, 6")).rows.map(({ largest: _, ...total }) => total),
    (await model.pool.query("select * from activity_groups order by 1, 2, 3, 4")).rows,
  ];
  const before = await read();
  await model.pool.query("truncate activity_totals, activity_groups");
  const folder = new URL("../../drizzle/", import.meta.url);
  const name = (await readdir(folder)).find((file) => file.endsWith("_activity_totals.sql")) ?? "";
  const migration = await readFile(new URL(name, folder), "utf8");
  for (const statement of migration.split("--> statement-breakpoint").filter((text) => /^\s*insert/i.test(text)))
    await model.pool.query(statement);
  expect(await read()).toEqual(before);
  expect(before[0]?.length).toBeGreaterThan(50);
});
