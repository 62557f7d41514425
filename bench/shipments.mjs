// What a line of a shipment import costs Postgres, statement by statement and index by index: the projector's own code, on a Postgres that
// does nothing else. Processor time of its one backend, so another program's share of the machine matters little.
//   node scripts/build.mjs && node bench/shipments.mjs [--lines 200000] [--rounds 3]
import { chmodSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import pg from "pg";
import { migrate } from "../dist/adapters/postgres/migrate.js";
import { startPostgres } from "../dist/embedded/postgres/server.js";
import { shipments } from "../dist/projections/models/shipments.js";
import { versions } from "../dist/projections/models/versions.js";
import { eventsPerBatch } from "../dist/projections/running/applyBatch.js";
import { kinds } from "./files.mjs";
import { benchFolder } from "./processes.mjs";
import { table } from "./tables.mjs";

const { values: given } = parseArgs({
  options: { lines: { type: "string", default: "200000" }, rounds: { type: "string", default: "3" } },
});
const [lines, rounds] = [Number(given.lines), Number(given.rounds)];
if (!Number.isInteger(lines) || lines < 3 || !Number.isInteger(rounds) || rounds < 1)
  throw new Error("--lines and --rounds are whole numbers");

const indexes = ["shipments_by_import", "shipments_by_customer", "shipments_by_origin", "shipments_by_destination"];
const variants = {
  "as it is": [],
  ...Object.fromEntries(indexes.map((name) => [`without ${name}`, [name]])),
  "without these four": indexes,
  "without shipment_versions_by_shipment": ["shipment_versions_by_shipment"],
};
const steps = {
  "copy shipment_lines": "lines",
  "copy shipment_versions": "versions",
  "select position::text": "versions",
  "insert into hidden_shipments": "versions",
  "select count(*)": "versions",
  "insert into shipment_imports": "versions",
  "insert into shipments": "shipments",
  "delete from shipment_lines": "delete",
};

/** Passes statements on, and notes the backend's processor time from the beginning of each to the beginning of the next. */
function metered(client, pid) {
  const spent = new Map();
  const cpuUs = () => Number(readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ")[0]) / 1000;
  let [step, from] = ["rest", cpuUs()];
  const begin = (next) => {
    const now = cpuUs();
    spent.set(step, (spent.get(step) ?? 0) + now - from);
    [step, from] = [next, now];
  };
  const query = (statement, parameters) => {
    const text = (typeof statement === "string" ? statement : statement.text).trim();
    begin(Object.entries(steps).find(([start]) => text.startsWith(start))?.[1] ?? "rest");
    return parameters ? client.query(statement, parameters) : client.query(statement);
  };
  return {
    client: { query },
    end() {
      begin("rest");
      return spent;
    },
  };
}

function acceptedLine(n) {
  const { columns, row } = kinds.shipments;
  const { itemType, itemQuantity, itemWeight, ...shipment } = Object.fromEntries(row(n).map((value, index) => [columns[index], value]));
  return { row: n + 2, shipment: Math.floor(n / 3) + 1, values: { ...shipment, item: { itemType, itemQuantity, itemWeight } } };
}

const options = { keepExisting: false, skip: () => undefined };

async function importOnce(client, position) {
  const facts = {
    importId: "11111111-1111-4111-8111-111111111111",
    position: String(position),
    organisationId: "demo",
    kind: "shipments",
    sourceDetails: "bench",
  };
  for (let from = 0; from < lines; from += eventsPerBatch) {
    const acceptedRows = Array.from({ length: Math.min(eventsPerBatch, lines - from) }, (_, n) => acceptedLine(from + n));
    const isLast = from + eventsPerBatch >= lines;
    const ending = isLast
      ? {
          type: "ImportCompleted",
          data: { at: "2026-03-01T00:00:00.000Z" },
          position: { commit: BigInt(position + 1) },
          recordedAt: new Date(),
        }
      : undefined;
    const slice = {
      facts,
      acceptedRows,
      acceptedRevisions: acceptedRows.map(({ row }) => BigInt(row)),
      request: from === 0 ? {} : undefined,
      rejectedRows: [],
      ending,
    };
    const batch = { events: [], imports: [slice], endedSlices: isLast ? [slice] : [] };
    await client.query("begin");
    await versions.apply(client, batch, options);
    await shipments.apply(client, batch, options);
    await client.query("commit");
  }
}

const folder = benchFolder();
chmodSync(folder, 0o711); // Postgres may run as another account
const server = await startPostgres({ folder, durable: true });
const pool = new pg.Pool({ connectionString: server.url, max: 2 });
try {
  await migrate(pool);
  const client = await pool.connect();
  const { rows: definitions } = await client.query(
    "select indexname as name, indexdef as statement from pg_indexes where schemaname = 'public'",
  );
  const { rows: own } = await client.query("select pg_backend_pid() as pid");
  const taken = new Map(Object.keys(variants).map((name) => [name, []]));
  let position = 0;
  const measure = async (without) => {
    await client.query("truncate shipments, shipment_lines, shipment_versions, shipment_imports, hidden_shipments");
    for (const { name, statement } of definitions) {
      if (![...indexes, "shipment_versions_by_shipment"].includes(name)) continue;
      await client.query(`drop index if exists ${name}`);
      if (!without.includes(name)) await client.query(statement);
    }
    await client.query("vacuum analyze shipments, shipment_lines, shipment_versions, hidden_shipments");
    await client.query("checkpoint");
    position += 10_000_000;
    const meter = metered(client, own[0].pid);
    await importOnce(meter.client, position);
    return meter.end();
  };
  await measure([]); // cold
  for (let round = 1; round <= rounds; round += 1)
    for (const [name, without] of Object.entries(variants)) taken.get(name).push(await measure(without));
  const least = (all, step) => Math.min(...all.map((spent) => spent.get(step) ?? 0)) / lines;
  const names = ["lines", "versions", "shipments", "delete", "rest"];
  table(
    `Postgres' processor time for a line of a shipment (us), ${lines} lines, three to a shipment, the least of ${rounds} rounds in turns`,
    ["", ...names, "all"],
    [...taken].map(([name, all]) => {
      const each = names.map((step) => least(all, step));
      return [name, ...[...each, each.reduce((sum, one) => sum + one, 0)].map((us) => us.toFixed(2))];
    }),
  );
  client.release();
} finally {
  await pool.end();
  await server.stop();
}
