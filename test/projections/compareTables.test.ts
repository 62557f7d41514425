// The comparison behind `audit verify`, on rows that are invented for every table there is, by the types of its columns.
import type { PoolClient } from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allProjections } from "../../src/projections/allProjections.js";
import type { Shadow } from "../../src/projections/rebuild/catchUp.js";
import { noteDifferences, readOwnedDifferences } from "../../src/projections/rebuild/compareTables.js";
import { withShadow } from "../../src/projections/rebuild/withShadow.js";
import type { Difference } from "../../src/tableDifferences.js";
import type { ReadModel } from "../support/readModel.js";
import { startRebuildStage, tables } from "./rebuildStage.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startRebuildStage();
});
afterAll(() => model?.close());

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isKey: boolean;
}

const invented: Readonly<Record<string, (number: number) => string>> = {
  text: (number) => `text ${number}`,
  uuid: (number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`,
  integer: String,
  bigint: String,
  numeric: String,
  bytea: (number) => `\\x${String(number).padStart(16, "0")}`,
  boolean: (number) => String(number % 2 === 1),
  json: (number) => `{"a": ${number}}`,
  jsonb: (number) => `{"a": ${number}}`,
  "text[]": (number) => `{${number}}`,
  "integer[]": (number) => `{${number}}`,
  int4multirange: (number) => `{[${number},${number + 1})}`,
  "timestamp(3) with time zone": (number) => new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
  "timestamp with time zone": (number) => new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
};

async function columnsOf(client: PoolClient, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type,
            exists (select from pg_index where indrelid = attrelid and indisprimary and attnum = any(indkey)) as "isKey"
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [`public.${table}`],
  );
  return rows;
}

async function insert(
  client: PoolClient,
  table: string,
  columns: readonly Column[],
  textOf: (column: Column) => string | null,
): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const places = columns.map(({ type }, index) => `$${index + 1}::${type}`).join(", ");
  await client.query(`insert into ${table} (${names}) values (${places})`, columns.map(textOf));
}

/** Works on tables that were filled anew, in a transaction that is rolled back. */
const onShadow = (work: (shadow: Shadow) => Promise<void>) =>
  withShadow(
    "audit",
    {
      ...{ pool: model.pool, eventStore: model.eventStore, logger: pino({ level: "silent" }), signal: new AbortController().signal },
      projections: allProjections,
    },
    async (shadow) => {
      await shadow.client.query("begin");
      await work(shadow).finally(() => shadow.client.query("rollback"));
    },
  );

test("a row that is missing, one too many, and another value in any column are found in every table", () =>
  onShadow(async (shadow) => {
    const { client, schema } = shadow;
    const expected: Pick<Difference, "table" | "what">[] = [];
    const changed = new Map<string, string[]>();
    let last = 1_000_000;
    const next = () => {
      last += 10;
      return last;
    };
    for (const table of tables) {
      const columns = await columnsOf(client, table);
      for (const { type } of columns) expect(Object.keys(invented), `a value for ${type} of ${table}`).toContain(type);
      // An import with recorded rows has not been counted yet, and is not compared.
      const own = (at: number) => (column: Column) => (column.name === "recorded_rows" ? null : (invented[column.type]?.(at) ?? ""));
      await insert(client, `public.${table}`, columns, own(next()));
      await insert(client, `${schema}.${table}`, columns, own(next()));
      expected.push({ table, what: "missing" }, { table, what: "extra" });
      for (const changing of columns.filter(({ isKey }) => !isKey)) {
        const at = next();
        await insert(client, `public.${table}`, columns, own(at));
        await insert(client, `${schema}.${table}`, columns, (column) =>
          column === changing ? (invented[column.type]?.(at + 1) ?? "") : own(at)(column),
        );
        expected.push({ table, what: "changed" });
        changed.set(table, [...(changed.get(table) ?? []), changing.name]);
      }
    }
    await noteDifferences(shadow, { organisationId: undefined });
    const { first, count } = await readOwnedDifferences(shadow, 10_000);
    expect(count).toBe(expected.length);
    const byText = (all: readonly Pick<Difference, "table" | "what">[]) => all.map(({ table, what }) => `${table} ${what}`).toSorted();
    expect(byText(first)).toEqual(byText(expected));
    for (const table of tables) {
      const found = first.filter((each) => each.table === table && each.what === "changed");
      expect(found.map(({ columns }) => columns?.map(({ name }) => name).join()).toSorted(), table).toEqual(
        changed.get(table)?.toSorted() ?? [],
      );
    }
  }));

/** Loaded for all organisations. */
const ofNoOrganisation = ["locality_files"];

test("of every table the rows of one organisation can be compared alone", () =>
  onShadow(async (shadow) => {
    const { client } = shadow;
    const { rows } = await client.query<Record<string, string>>(
      "select import_id, import_id as id, position as import_position, organisation_id from public.imports where organisation_id = 'acme' limit 1",
    );
    const acme = rows[0] ?? {};
    for (const table of tables.filter((each) => each !== "imports")) {
      const columns = await columnsOf(client, table);
      const own = (at: number, organisation: Readonly<Record<string, string>>) => (column: Column) =>
        (table === "organisations" && column.name === "id" ? organisation["organisation_id"] : undefined) ??
        (column.name === "id" ? undefined : organisation[column.name]) ??
        invented[column.type]?.(at) ??
        "";
      await insert(client, `public.${table}`, columns, own(1, acme));
      await insert(client, `public.${table}`, columns, own(2, { organisation_id: "another" }));
    }
    for (const [organisationId, found] of [
      ["acme", tables.filter((table) => table !== "imports" && !ofNoOrganisation.includes(table))],
      ["nobody", []],
    ] as const) {
      await client.query("savepoint before");
      await noteDifferences(shadow, { organisationId });
      const { first, byOrganisation } = await readOwnedDifferences(shadow, 10_000);
      expect(first.map(({ table }) => table).toSorted()).toEqual(found.toSorted());
      expect([...byOrganisation]).toEqual(found.length > 0 ? [["acme", found.length]] : []);
      await client.query("rollback to savepoint before");
    }
  }));
