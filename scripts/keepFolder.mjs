// Keeps what a version writes into a data folder, small enough for a test: every later version must go on with it.
//   node scripts/keepFolder.mjs ../before test/fixtures/folders/NAME
// `../before` is a checkout of that version with its packages installed and built. Postgres' own files are too large to keep: the rows are.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import pg from "pg";
import { call, push, startService, untilEnded } from "../bench/service.mjs";

const [version, kept] = process.argv.slice(2);
if (!version || !kept) throw new Error("Name the checkout of the version, and the folder that is to be kept.");

const secondOrganisation = {
  organisation: { id: "second", name: "Second", cubicFactor: 250, timezone: "Australia/Perth" },
  ...{ customFields: [], carriers: [], services: [], zoneMaps: [], rateCards: [] },
};

const folder = mkdtempSync(join(tmpdir(), "waybill-keep-"));
const data = join(folder, "data");
try {
  const service = await startService({ folder: data, built: join(resolve(version), "dist", "cli.js") });
  try {
    const quoteId = await work(service);
    mkdirSync(kept, { recursive: true });
    keep("answers.json.gz", JSON.stringify(await answers(service, quoteId)));
    keep("tables.json.gz", JSON.stringify(await tables(service.databaseUrl)));
  } finally {
    await service.stop();
  }
  keep("events.mdb.gz", readFileSync(join(data, "eventstore", "events.mdb")));
  cpSync(join(data, "objects"), join(kept, "objects"), { recursive: true });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function keep(name, content) {
  writeFileSync(join(kept, name), gzipSync(content, { level: 9 }));
}

/** Something of everything: both kinds from files and pushes, replaced shipments, rejected rows, a failed and a cancelled import, quotes, keys, two catalogues. */
async function work(service) {
  const imported = async (kind, name, lines) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join("\n"));
    await untilEnded(service, (await push(service, `/v1/org/${kind}`, path)).statusUrl).catch(() => undefined);
  };
  const sent = (path, body) =>
    call(service, path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  await imported("fulfilment", "picks.csv", activityLines(60));
  await imported("shipments", "orders.csv", shipmentLines(40, "Pallet"));
  await imported("shipments", "orders-again.csv", shipmentLines(8, "Carton"));
  await imported("fulfilment", "empty.csv", activityLines(0));
  const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 2.5, activityTimestamp: "2026-04-01T00:00:00+10:00" };
  const activities = ["CUST-001", "CUST-999"].map((customerId) => ({ ...activity, customerId, reference: "Café" }));
  const pushed = await sent("/v1/org/fulfilment/activities", { sourceDetails: "Till", activities });
  await untilEnded(service, pushed.statusUrl);
  const ends = { origin: { postalCode: "2000" }, destination: { postalCode: "3000" } };
  const items = [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30 }];
  const quoted = await sent("/v1/org/quote/getQuote", { general: { customerIds: ["CUST-001"] }, ...ends, items });
  const spare = await service.waybill("keys", "create", "--org", "demo", "--name", "spare");
  for (const customers of [[], [{ id: "CUST-1", name: "Only one", carrierIds: [], rateCardIds: [] }]]) {
    const file = join(folder, "second.json");
    writeFileSync(file, JSON.stringify({ ...secondOrganisation, customers }));
    await service.waybill("org", "apply", file);
  }
  const workers = service.groups.worker();
  for (const pid of workers) process.kill(pid, "SIGSTOP");
  try {
    const path = join(folder, "late.csv");
    writeFileSync(path, activityLines(3).join("\n"));
    await service.waybill("imports", "cancel", (await push(service, "/v1/org/fulfilment", path)).importId);
  } finally {
    for (const pid of workers) process.kill(pid, "SIGCONT");
  }
  await imported("fulfilment", "after.csv", activityLines(5)); // once it has ended, the tables know of the key
  await service.waybill("keys", "revoke", "--org", "demo", /wb_live_\w{4}/.exec(spare)[0]);
  await imported("shipments", "after-all.csv", shipmentLines(2, "Crate"));
  return quoted.results[0].quoteId;
}

function activityLines(count) {
  const lines = ["warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference,status"];
  for (let n = 0; n < count; n += 1) {
    const [quantity, customer] = [n % 10 === 9 ? 0 : n + 1, n % 17 === 3 ? "CUST-999" : "CUST-001"];
    lines.push(`SYD${n % 3},${n % 2 ? "PICK" : "PACK"},${quantity},2026-03-0${(n % 9) + 1}T09:30:00Z,${customer},R-${n},done`);
  }
  return lines;
}

function shipmentLines(count, itemType) {
  const lines = [
    "shipmentId,customerId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity,itemWeight",
  ];
  for (let n = 0; n < count; n += 1) {
    const [customer, item] = [n === 20 ? "CUST-999" : "CUST-001", n === 8 ? "" : itemType];
    lines.push(`S-${Math.floor(n / 2)},${customer},2000,Sydney,3000,Melbourne,${item},${(n % 3) + 1},12.5`);
  }
  return lines;
}

/** What the version's own API says of it, by path. */
async function answers(service, quoteId) {
  const paths = [`/v1/org/quote/getQuote/${quoteId}`, "/v1/org/ledger/activities?limit=500", "/v1/org/ledger/shipments?limit=500"];
  const listed = JSON.parse(await service.waybill("imports", "list", "--org", "demo", "--json"));
  for (const { importId, kind } of listed) {
    const path = `/v1/org/${kind === "activities" ? "fulfilment" : "shipments"}/imports/${importId}`;
    paths.push(path, `${path}/errors`);
  }
  const said = {};
  for (const path of paths) said[path] = await call(service, path);
  return { key: service.key, said };
}

/** By table: its rows, as Postgres writes them as JSON. Also which migrations were applied. */
async function tables(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found = await client.query(
      "select schemaname as schema, tablename as name from pg_tables where schemaname in ('public', 'drizzle') order by 1, 2",
    );
    const all = {};
    for (const { schema, name } of found.rows) {
      const { rows } = await client.query(`select coalesce(json_agg(t), '[]')::text as rows from "${schema}"."${name}" t`);
      all[`${schema}.${name}`] = rows[0].rows;
    }
    return all;
  } finally {
    await client.end();
  }
}
