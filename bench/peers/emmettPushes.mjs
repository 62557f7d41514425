// Small pushes with emmett's command handler: `emmettPushes.mjs '{"databaseUrl", "folder"}'`. One process looks the key up, stores the file, and
// appends request, rows and completion; an inline projection writes the rows in the same transaction, so that an accepted push is visible.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { CommandHandler } from "@event-driven-io/emmett";
import { getPostgreSQLEventStore, postgreSQLProjection } from "@event-driven-io/emmett-postgresql";
import Papa from "papaparse";
import pg from "pg";
import { keyLookUp, pushFields, servePushes, storeFile } from "./pushes.mjs";
import { schemas } from "./rows.mjs";

const { databaseUrl, folder } = JSON.parse(process.argv[2]);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 12 });

const ledger = postgreSQLProjection({
  name: "ledger",
  canHandle: ["RowAccepted", "Completed"],
  async handle(events, { connection }) {
    const rows = events.filter(({ type }) => type === "RowAccepted").map(({ data }) => data);
    const columns = [rows.map(({ id }) => id), rows.map(({ row }) => row)];
    for (const name of pushFields) columns.push(rows.map(({ values }) => values[name] ?? null));
    await connection.client.query(
      "insert into emmett_rows select * from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::text[], $8::text[], $9::text[])",
      columns,
    );
    await connection.client.query("insert into emmett_imports select * from unnest($1::uuid[])", [
      events.filter(({ type }) => type === "Completed").map(({ data }) => data.id),
    ]);
  },
});

await pool.query(`
  create table emmett_imports (id uuid primary key);
  create table emmett_rows (import_id uuid, "row" integer, warehouse_code text, charge_code text, activity_timestamp text, quantity numeric,
    customer_id text, reference text, status text, primary key (import_id, "row"))`);
const store = getPostgreSQLEventStore(databaseUrl, { projections: [{ type: "inline", projection: ledger }] });
await store.schema.migrate();
const handle = CommandHandler({ evolve: (state) => state, initialState: () => ({}) });
const organisationOf = keyLookUp(pool);

servePushes(organisationOf, {
  async accept(organisation, activities) {
    const id = randomUUID();
    const path = join(folder, id);
    const text = Papa.unparse({ fields: pushFields, data: activities }, { newline: "\n" });
    await storeFile(folder, path, text);
    const { data } = Papa.parse(text, { header: true, skipEmptyLines: true, newline: "\n" });
    const rows = data.map((record, index) => ({
      type: "RowAccepted",
      data: { id, row: index + 2, values: schemas.activities.parse(record) },
    }));
    const events = [
      { type: "Requested", data: { id, organisation, path } },
      ...rows,
      { type: "Completed", data: { id, rows: rows.length } },
    ];
    await handle(store, `import-${id}`, () => events, { expectedStreamVersion: "STREAM_DOES_NOT_EXIST" });
    return id;
  },
  isCompleted: async (id) => (await pool.query("select from emmett_imports where id = $1", [id])).rowCount > 0,
});
process.once("disconnect", () => process.exit(0));
