// An event-sourced peer doing the same work per row: one event per row, appended in batches, projected to a table in the same
// transaction. Its fastest form: an inline projection that writes a whole batch with one statement.
import { getPostgreSQLEventStore, postgreSQLProjection } from "@event-driven-io/emmett-postgresql";
import { asPeer, eachPiece, freshTable } from "./rows.mjs";

const BATCH = 500;
const statement = `insert into activities
  select $1::bigint, * from unnest($2::integer[], $3::text[], $4::text[], $5::numeric[], $6::text[], $7::text[], $8::text[], $9::text[])`;
const fields = ["warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference", "status"];

const ledger = postgreSQLProjection({
  name: "ledger",
  canHandle: ["RowAccepted"],
  async handle(events, { connection }) {
    const columns = [events.map(({ data }) => data.row), ...fields.map((field) => events.map(({ data }) => data.values[field] ?? null))];
    await connection.client.query(statement, [events[0].data.run, ...columns]);
  },
});

asPeer(async ({ databaseUrl, kind }) => {
  await freshTable(databaseUrl, kind);
  const store = getPostgreSQLEventStore(databaseUrl, { projections: [{ type: "inline", projection: ledger }] });
  await store.schema.migrate();
  return async ({ run, file }) => {
    let rows = 0;
    await eachPiece(file, async (good) => {
      for (let at = 0; at < good.length; at += BATCH) {
        const events = good.slice(at, at + BATCH).map((data) => ({ type: "RowAccepted", data: { ...data, run } }));
        await store.appendToStream(`import-${run}`, events, { expectedStreamVersion: rows === 0 ? "STREAM_DOES_NOT_EXIST" : BigInt(rows) });
        rows += events.length;
      }
    });
    return { rows };
  };
});
