// An import of many activities is reversed as a whole: how long the answer takes, how long until the totals are right, how long the import of
// another organisation takes to show beside it. Then reads of the ledger, with nothing and with half of it reversed.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { csvFile } from "../files.mjs";
import { load } from "../load.mjs";
import { makeOrganisations } from "../organisations.mjs";
import { call, push, startService, untilEnded } from "../service.mjs";

const month = "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z";
const reads = {
  "totals of a month": `/v1/org/ledger/activities/totals?${month}`,
  "ledger, first page": "/v1/org/ledger/activities?limit=100",
  "rows of a month, first page": `/v1/org/ledger/activities?${month}&limit=100`,
};

const rowsCounted = async (service) => (await call(service, "/v1/org/ledger/activities/totals")).total.rows;

async function readAll(service, strain) {
  const results = {};
  for (const [name, path] of Object.entries(reads))
    results[name] = await load({ url: `${service.url}${path}`, headers: { "x-api-key": service.key } }, strain);
  return results;
}

/** Milliseconds from the push of ten activities until the ledger has them. */
async function smallImport(service, key) {
  const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };
  const headers = { "content-type": "application/json" };
  const begun = performance.now();
  const body = JSON.stringify({ activities: Array.from({ length: 10 }, () => activity) });
  const { importId } = await call(service, "/v1/org/fulfilment/activities", { method: "POST", body, headers, key });
  while ((await call(service, `/v1/org/fulfilment/imports/${importId}`, { key })).status !== "completed") await pause(20);
  return performance.now() - begun;
}

export async function reversalsSection({ folder, full, say }) {
  const rows = full ? 850_000 : 60_000;
  const strain = { seconds: full ? 5 : 3, connections: 2 };
  const service = await startService({ folder: join(folder, "service") });
  try {
    const file = await csvFile(folder, "activities", rows);
    const [otherKey] = await makeOrganisations(service, ["other"]);
    const importIds = [];
    for (let n = 0; n < 2; n += 1) {
      say(`reversals: import ${n + 1} of ${rows} activities`);
      const { importId, statusUrl } = await push(service, "/v1/org/fulfilment", file.path);
      await untilEnded(service, statusUrl);
      importIds.push(importId);
    }
    const before = await readAll(service, strain);
    const counted = await rowsCounted(service);
    const alone = await smallImport(service, otherKey);
    say("reversals: the second import is reversed");
    const beside = smallImport(service, otherKey);
    const begun = performance.now();
    const { reversed } = await call(service, `/v1/org/fulfilment/imports/${importIds[1]}/reversals`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ all: true, reason: "sent twice" }),
    });
    const answerMs = performance.now() - begun;
    while ((await rowsCounted(service)) !== counted - reversed) await pause(20);
    const rightMs = performance.now() - begun;
    const after = await readAll(service, strain);
    const results = Object.keys(reads).map((name) => ({ name, small: before[name], large: after[name] }));
    return { rows, reversed, answerMs, rightMs, other: { alone, beside: await beside }, results };
  } finally {
    await service.stop();
  }
}

export function printReversals({ rows, reversed, answerMs, rightMs, other, results }) {
  const ms = (value) => Math.round(value);
  console.log(`\nReversal of all ${reversed} activities of an import of ${rows} rows`);
  console.log(`  answered after ${ms(answerMs)} ms, totals right after ${ms(rightMs)} ms`);
  console.log(`  ten activities of another organisation: ${ms(other.alone)} ms alone, ${ms(other.beside)} ms beside it`);
  console.log("  p50 of reads, with nothing and with half of the ledger reversed:");
  for (const { name, small, large } of results)
    console.log(`  ${name}: ${small.p50} ms, ${large.p50} ms (${(large.p50 / small.p50).toFixed(2)})`);
}
