// A month of activities from the portal as CSV and as XLSX, beside Postgres's own COPY of the same rows into a file, in turns. Then the latency
// of quotes alone and beside downloads.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { fillActivities } from "../ledger.mjs";
import { steady } from "../load.mjs";
import { endedWithUs, memoryOf, watch } from "../processes.mjs";
import { startService } from "../service.mjs";
import { ratio, table } from "../tables.mjs";

const imports = 10;
/** Each import has three days of March 2026, in the order of time. */
const threeDays = "timestamp '2026-03-01' + make_interval(days => (n - 1) * 3, secs => 259200.0 * r / $2::int)";

/** As someone writes it who has the tables before him: the same rows and columns in the same order. */
const sameRows = `
  select a.warehouse_code, a.charge_code, a.quantity, a.activity_timestamp, a.customer_id, a.reference, a.status, i.import_id, a."row"
    from activities as a join imports as i on i.position = a.import_position
   where i.organisation_id = 'demo' and i.status = 'completed'
     and a.activity_timestamp::timestamptz >= '2026-03-01T00:00:00Z' and a.activity_timestamp::timestamptz < '2026-04-01T00:00:00Z'
   order by a.customer_id, a.warehouse_code, a.charge_code,
            date_bin('30 minutes', a.activity_timestamp::timestamptz, timestamptz '2000-01-01 00:00Z'), a.import_position, a."row"`;

async function copied(databaseUrl, path) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const begun = performance.now();
  await pipeline(client.query(copyTo(`copy (${sameRows}) to stdout (format csv)`)), createWriteStream(path));
  const ms = performance.now() - begun;
  await client.end();
  return { ms, bytes: statSync(path).size };
}

/**
 * Downloads one after the other in a process of its own, so that reading them does not delay what is measured here, and without a file: its
 * writes would delay those of the event store on the same disk, which a browser's do not.
 */
async function downloading(service, cookie, file) {
  const child = endedWithUs(fork(fileURLToPath(new URL("../peers/downloader.mjs", import.meta.url))));
  const exited = once(child, "exit");
  const url = `${service.url}/portal/activities/${file}`;
  child.send({ url, small: `${url}&customer=CUST-3`, cookie });
  await Promise.race([once(child, "message"), exited]);
  return async () => {
    child.disconnect();
    const [code] = await exited;
    if (code !== 0) throw new Error(`${file}: the downloads ended with ${code}`);
  };
}

async function downloaded(service, cookie, file, path, rows) {
  const watched = watch({ api: service.groups.api, postgres: service.groups.postgres });
  const start = performance.now();
  const response = await fetch(`${service.url}/portal/activities/${file}`, { headers: { cookie } });
  if (response.status !== 200) throw new Error(`${file}: ${response.status} ${await response.text()}`);
  const firstMs = performance.now() - start;
  await pipeline(Readable.fromWeb(response.body), createWriteStream(path));
  const ms = performance.now() - start;
  const { api, postgres } = watched.end();
  const us = { api: api.cpuUs / rows, postgres: postgres.cpuUs / rows };
  return { ms, firstMs, bytes: statSync(path).size, peakMb: api.peakMb, us };
}

const quote = JSON.stringify({
  general: { customerIds: ["CUST-001"] },
  origin: { postalCode: "2000" },
  destination: { postalCode: "3000" },
  items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30 }],
});

/** A hundred quotes a second, a busy day. */
function quotes({ url, key }, seconds) {
  const headers = { "content-type": "application/json", "x-api-key": key };
  return steady({ url: `${url}/v1/org/quote/getQuote`, method: "POST", headers, body: quote }, { perSecond: 100, seconds });
}

/** The same quotes with one download after the other beside them. */
async function quotesBeside(service, seconds, begin) {
  const end = await begin();
  const result = await quotes(service, seconds);
  await end();
  return result;
}

async function cookieOfViewer(service) {
  const invitation = await service.waybill("members", "invite", "--org", "demo", "--email", "bench@example.com", "--role", "viewer");
  const response = await fetch(`${service.url}${new URL(invitation).pathname}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: service.url },
    body: new URLSearchParams({ password: "seven lazy harbours" }),
    redirect: "manual",
  });
  const set = response.headers.getSetCookie().find((cookie) => cookie.startsWith("waybill="));
  return set.split(";")[0];
}

/** The short form has a fifth of the rows. */
export async function downloadSection({ folder, full, say, profileDir }) {
  const rows = full ? 1_000_000 : 200_000;
  const seconds = full ? 15 : 8;
  const service = await startService({ folder: join(folder, "service"), profileDir });
  try {
    say(`downloads: filling ${rows} activities`);
    await fillActivities(service.databaseUrl, { imports, rowsEach: rows / imports, at: threeDays });
    const cookie = await cookieOfViewer(service);
    const month = "month=2026-03";
    const get = (format, count = rows, more = "") =>
      downloaded(service, cookie, `rows.${format}?${month}${more}`, join(folder, `rows.${format}`), count);
    await get("csv", null, "&customer=CUST-1"); // warm
    await get("xlsx", null, "&customer=CUST-1");
    const idleMb = memoryOf(service.groups.api()[0]).anon;
    const few = { csv: await get("csv", null, "&customer=CUST-2"), xlsx: await get("xlsx", null, "&customer=CUST-2") };
    const rounds = [];
    for (let round = 0; round < 3; round += 1) {
      say(`downloads: round ${round + 1} of 3`);
      rounds.push({
        copy: await copied(service.databaseUrl, join(folder, "copy.csv")),
        csv: await get("csv"),
        xlsx: await get("xlsx"),
      });
    }
    const latencies = [];
    await quotes(service, 3);
    for (let round = 0; round < 5; round += 1) {
      say(`downloads: quotes beside them, round ${round + 1} of 5`);
      latencies.push({
        alone: await quotes(service, seconds),
        csv: await quotesBeside(service, seconds, () => downloading(service, cookie, `rows.csv?${month}`)),
        xlsx: await quotesBeside(service, seconds, () => downloading(service, cookie, `rows.xlsx?${month}`)),
      });
    }
    return { rows, idleMb, few, rounds, latencies };
  } finally {
    await service.stop();
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

export function printDownloads({ rows, idleMb, few, rounds, latencies }) {
  const of = (name, value) => median(rounds.map((round) => value(round[name], round)));
  const seconds = (ms) => (ms / 1000).toFixed(1);
  const ways = { copy: "COPY into a file", csv: "CSV", xlsx: "XLSX" };
  table(
    `Downloads of ${rows} activities, medians of ${rounds.length} rounds in turns`,
    ["", "s", "rows/s of COPY's", "of CSV's time", "MB", "first byte, ms", "api us/row", "postgres us/row"],
    Object.entries(ways).map(([name, title]) => [
      title,
      seconds(of(name, ({ ms }) => ms)),
      of(name, ({ ms }, { copy }) => copy.ms / ms).toFixed(2),
      of(name, ({ ms }, { csv }) => ms / csv.ms).toFixed(2),
      Math.round(rounds[0][name].bytes / 1e6),
      ...(name === "copy"
        ? ["", "", ""]
        : [Math.round(of(name, ({ firstMs }) => firstMs)), ...["api", "postgres"].map((who) => of(name, ({ us }) => us[who]).toFixed(1))]),
    ]),
  );
  table(
    `Peak memory of the API (MB), ${idleMb} of its own before`,
    ["", "a fifteenth of the rows", "all rows"],
    ["csv", "xlsx"].map((name) => [ways[name], few[name].peakMb, Math.max(...rounds.map((round) => round[name].peakMb))]),
  );
  table(
    "100 quotes a second (ms), medians of the rounds",
    ["", "p50", "p99", "p99 / alone"],
    ["alone", "csv", "xlsx"].map((name) => [
      name === "alone" ? name : `beside ${ways[name]} downloads`,
      median(latencies.map((round) => round[name].p50)),
      median(latencies.map((round) => round[name].p99)),
      ratio(median(latencies.map((round) => round[name].p99)), median(latencies.map((round) => round.alone.p99))),
    ]),
  );
}
