// Compares everything that the API shows of one organisation with the model.
import { expect } from "vitest";
import { countOpenRows } from "../../src/queries/rejectedRows/openRows.js";
import { groupRejections } from "../../src/queries/rejectedRows/rejectionGroups.js";
import { base, type Run } from "./reversalSteps.js";

type Json = Record<string, unknown>;

export async function compare(run: Run): Promise<void> {
  await compareActivities(run);
  await compareShipments(run);
  await compareTotals(run);
  for (const kind of ["activities", "shipments"] as const) await compareImports(run, kind);
}

async function read({ organisation }: Run, path: string): Promise<Json> {
  const answer = await organisation.get(path);
  const body = (await answer.json()) as Json;
  expect({ path, status: answer.status, body }).toMatchObject({ status: 200 });
  return body;
}

async function everything(run: Run, path: string, limit = 4): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: unknown = ""; cursor !== null; ) {
    const query = `${path.includes("?") ? "&" : "?"}limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const page = await read(run, path + query);
    items.push(...(page["items"] as Json[]));
    cursor = page["nextCursor"];
  }
  return items;
}

async function compareActivities(run: Run): Promise<void> {
  const { model } = run;
  const counting = model.countingActivities().map(({ importId, row, unit }) => ({ importId, row, quantity: unit.quarters / 4 }));
  const nameOf = ({ importId, row, quantity }: Json) => ({ importId, row, quantity });
  expect((await everything(run, "/v1/org/ledger/activities")).map(nameOf)).toEqual(counting);
  const filtered = await everything(run, "/v1/org/ledger/activities?warehouseCode=SYD1");
  expect(filtered.map(nameOf)).toHaveLength(counting.length);
  expect(filtered.map(nameOf)).toEqual(expect.arrayContaining(counting));
  const all = model.imports.flatMap(({ importId, kind, units }) =>
    kind === "shipments" ? [] : units.flatMap(({ accepted, rows }) => (accepted ? [{ importId, row: rows[0] as number }] : [])),
  );
  const isReversed = all.map((name) => ({ ...name, reversed: model.isReversed(name) }));
  const shown = ({ importId, row, reversed }: Json) => ({ importId, row, reversed: reversed !== null });
  expect((await everything(run, "/v1/org/ledger/activities?reversed=include", 6)).map(shown)).toEqual(isReversed);
  const only = isReversed.filter(({ reversed }) => reversed);
  expect((await everything(run, "/v1/org/ledger/activities?reversed=only", 6)).map(shown)).toEqual(only);
}

async function compareShipments(run: Run): Promise<void> {
  const shown = [...run.model.shownShipments()].map(([shipmentId, { importId, unit }]) => ({
    shipmentId,
    importId,
    lines: unit.rows.length,
  }));
  const found = (await everything(run, "/v1/org/ledger/shipments")).map(({ shipmentId, importId, items }) => ({
    shipmentId,
    importId,
    lines: (items as unknown[]).length,
  }));
  const byId = (one: { shipmentId: unknown }, other: { shipmentId: unknown }) =>
    String(one.shipmentId) < String(other.shipmentId) ? -1 : 1;
  expect(found).toEqual(shown.sort(byId));
}

type Sums = Map<string, { quarters: number; rows: number }>;

function sumsOf(amounts: readonly Json[]): Sums {
  const sums: Sums = new Map();
  for (const { customerId, chargeCode, quantity, rows } of amounts) {
    const key = `${customerId ?? ""} ${chargeCode}`;
    const before = sums.get(key) ?? { quarters: 0, rows: 0 };
    sums.set(key, { quarters: before.quarters + Number(quantity) * 4, rows: before.rows + Number(rows) });
  }
  return withoutNothing(sums);
}

const withoutNothing = (sums: Sums): Sums => new Map([...sums].filter(([, { quarters, rows }]) => quarters !== 0 || rows !== 0).sort());

function difference(now: Sums, then: Sums): Sums {
  const keys = new Set([...now.keys(), ...then.keys()]);
  const of = (sums: Sums, key: string) => sums.get(key) ?? { quarters: 0, rows: 0 };
  return withoutNothing(
    new Map(
      [...keys].map((key) => [
        key,
        { quarters: of(now, key).quarters - of(then, key).quarters, rows: of(now, key).rows - of(then, key).rows },
      ]),
    ),
  );
}

const ledger = "/v1/org/ledger/activities/totals";
/** The second range begins and ends within a half hour, so that rows are looked at. */
const ranges = ["", "from=2026-03-01T09:20:00Z&to=2026-03-01T09:50:00Z&"];

async function compareTotals(run: Run): Promise<void> {
  const now = run.model.totals();
  for (const range of ranges) {
    expect(sumsOf((await read(run, `${ledger}?${range}`))["items"] as Json[])).toEqual(withoutNothing(now));
    for (const { at, totals } of run.earlier) {
      expect(sumsOf((await read(run, `${ledger}?${range}asOf=${at}`))["items"] as Json[]), `as of ${at}`).toEqual(withoutNothing(totals));
      const changes = (await read(run, `${ledger}/changes?${range}since=${at}`))["items"] as { amounts: Json[] }[];
      expect(sumsOf(changes.flatMap(({ amounts }) => amounts)), `changes since ${at}`).toEqual(difference(now, totals));
    }
  }
}

async function compareImports(run: Run, kind: keyof typeof base): Promise<void> {
  const { model, organisation, service } = run;
  const imports = model.imports.filter((each) => each.kind === kind);
  const reversedOf = ({ importId, reversed }: Json) => ({ importId, reversed: reversed && { ...(reversed as Json), at: undefined } });
  const expected = imports.map((each) => reversedOf({ importId: each.importId, reversed: model.shownReversed(each) })).reverse();
  expect((await everything(run, base[kind])).map(reversedOf)).toEqual(expected);
  let open = 0;
  for (const each of imports) {
    const rows = model.rejectedRows(each);
    open += rows.filter(({ state }) => state === "open").length;
    const found = (await everything(run, `${base[kind]}/${each.importId}/errors`)).map(({ row, state }) => ({ row, state }));
    expect(found, `rejected rows of ${each.importId}`).toEqual(rows);
    const counts = (await everything(run, `${base[kind]}/${each.importId}/reversals`)).map(({ count }) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(each.count);
  }
  expect((await countOpenRows(organisation.id, undefined, service.pool))[kind]).toEqual({ rows: open, atLeast: false });
  const { groups } = await groupRejections(organisation.id, { kind, state: "open" }, 1_000, service.pool);
  expect(groups.reduce((sum, { rows }) => sum + rows, 0)).toBe(open);
}
