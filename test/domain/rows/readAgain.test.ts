// What a judge accepts is recorded, shown and sent again: every reader has to take it, with the same meaning.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import { decimal } from "../../../src/domain/exactDecimal.js";
import { columnsOf, fieldsOf, type ImportKind, isNumberField } from "../../../src/domain/imports/fields.js";
import { instantOf } from "../../../src/domain/imports/timestamp.js";
import { correctedFile } from "../../../src/domain/pushes/correctedFile.js";
import { pushedFields } from "../../../src/domain/pushes/values.js";
import { activityJudge, shipmentLineJudge } from "../../../src/domain/rows/rowJudges.js";
import { everyCase } from "../../support/projects/everyCase.js";
import { cellsOf, zones } from "./acceptedCells.js";
import { context, rowOf, table } from "./sample.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-test-read-again-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** All in the project `long`. */
const runs = (all: number, some: number) => (everyCase ? all : some);

type Values = Record<string, unknown>;

const judgeOf = (kind: ImportKind, timezone: string, names: readonly string[] = columnsOf(kind).map(({ name }) => name)) => {
  const columns = table(...names);
  const rules = { ...context, timezone };
  const shipment = shipmentLineJudge(columns, rules);
  const activity = activityJudge(columns, rules);
  return (cells: Record<string, string>): Values | undefined => {
    const judged = kind === "activities" ? activity(rowOf(columns, cells)) : shipment(rowOf(columns, cells)).judged;
    if (judged.reason !== undefined) return undefined;
    const { item, ...own } = judged.values;
    return { ...own, ...(item as Values | undefined) };
  };
};

/** As an accepted row is sent again when another of its columns is corrected, through the file that the correction becomes. */
async function cellsSentAgain(kind: ImportKind, values: Values): Promise<Record<string, string>> {
  const sent = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  const push = { rows: [{ row: 2, values: {} }] };
  const { lines } = correctedFile(push, { kind, customFieldKeys: new Set(), sentValues: new Map([[2, sent]]), acceptedRows: new Set([2]) });
  const path = join(folder, "correction.csv");
  await writeFile(path, lines.join(""));
  const { columns } = await spreadsheets.readHeader(path, "correction.csv");
  for await (const { rows } of spreadsheets.readRows(path))
    return Object.fromEntries(columns.map((name, index) => [name, rows[0]?.cells[index] as string]));
  throw new Error("the file has no row");
}

test.each<ImportKind>(["activities", "shipments"])(
  "whatever is accepted of %s is accepted again with the same values, in every zone",
  async (kind) => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(cellsOf(kind), fc.constantFrom(...zones), async (cells, zone) => {
        const values = judgeOf(kind, zone)(cells);
        if (!values) return;
        accepted += 1;
        const recorded = JSON.parse(JSON.stringify(values)) as Values;
        for (const again of zones) expect(judgeOf(kind, again)(stringsOf(recorded))).toEqual(recorded);
        const sent = await cellsSentAgain(kind, recorded);
        expect(judgeOf(kind, zone, Object.keys(sent))(sent)).toEqual(recorded);
      }),
      { numRuns: runs(3_000, 400) },
    );
    expect(accepted).toBeGreaterThan(20);
  },
);

const stringsOf = (values: Values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

test("an accepted time is an instant whose year has four digits, and a number has at most 15 digits before the point and 30 after it", () => {
  fc.assert(
    fc.property(cellsOf("activities"), fc.constantFrom(...zones), (cells, zone) => {
      const values = judgeOf(
        "activities",
        zone,
      )({ ...cells, warehouseCode: "W", chargeCode: "C", customerId: "", reference: "", status: "" });
      if (!values) return;
      const instant = instantOf(String(values["activityTimestamp"]), "UTC");
      expect(new Date(instant ?? Number.NaN).toISOString()).toMatch(/^(?:1899-12-31|19|[2-9]\d{3}|1[0-9]{3}).{5,}Z$/);
      expect(instant).toBe(instantOf(cells["activityTimestamp"]?.trim() ?? "", zone));
      const { coefficient, scale } = decimal(values["quantity"] as number);
      expect(String(coefficient).replace("-", "").length - scale).toBeLessThanOrEqual(15);
      expect(scale).toBeLessThanOrEqual(30);
    }),
    { numRuns: runs(5_000, 1_000) },
  );
});

test("a value that a push may carry and the judge of the same value agree, except for zones, customers and places", () => {
  const schemas = pushedFields("activity", "required");
  const numbers = fieldsOf("activity").filter(isNumberField);
  fc.assert(
    fc.property(cellsOf("activities"), (cells) => {
      for (const { name } of numbers) {
        const value = Number(cells[name]);
        const judged = judgeOf(
          "activities",
          "UTC",
        )({ warehouseCode: "W", chargeCode: "C", activityTimestamp: "2026-03-01", [name]: String(value) });
        expect(schemas[name].safeParse(value).success).toBe(judged !== undefined);
      }
      const { activityTimestamp = "" } = cells;
      const judged = judgeOf("activities", "UTC")({ warehouseCode: "W", chargeCode: "C", quantity: "1", activityTimestamp });
      expect(schemas["activityTimestamp"].safeParse(activityTimestamp).success).toBe(judged !== undefined);
    }),
  );
});
