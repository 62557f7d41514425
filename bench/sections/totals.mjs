// A month's totals and a page of its rows, with no other month in the tables and with a hundred: both should take the same time.
import { join } from "node:path";
import pg from "pg";
import { load } from "../load.mjs";
import { startService } from "../service.mjs";

const ROWS_A_MONTH = 50_000;
const month = "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z";

/** Completed imports of the demo organisation, one a month up to April 2026, with the totals that the projector would have written. */
async function fillMonths(databaseUrl, months) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, started_at, finished_at, revision)
     select md5('month' || n)::uuid, n - 1000000, 'demo', 'activities', 'file', 'filled', 'completed', 100, $2, $2, 0,
       'none', 'filled.csv', 1, '', 'cli:bench', '[]', now(), now(), now(), $2 + 2 from generate_series(1, $1::int) as n`,
    [months, ROWS_A_MONTH],
  );
  await client.query(
    `insert into activities (import_position, "row", warehouse_code, charge_code, quantity, activity_timestamp, customer_id, reference, status)
     select n - 1000000, r + 1, 'SYD' || r % 4, 'CHARGE-' || r % 5, r % 40 + 0.1,
       to_char(timestamp '2026-03-01' - make_interval(months => n - 1) + make_interval(mins => r % 40320), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       'CUST-' || r % 15, 'REF-' || r, 'done'
     from generate_series(1, $1::int) as n, generate_series(1, $2::int) as r`,
    [months, ROWS_A_MONTH],
  );
  await client.query(
    `insert into activity_totals
     select 'demo', customer_id, warehouse_code, charge_code, date_bin('30 minutes', activity_timestamp::timestamptz, timestamptz '2000-01-01 00:00Z'),
       import_position, sum(quantity), count(*), array_agg("row" order by "row") from activities group by 1, 2, 3, 4, 5, 6`,
  );
  await client.query(
    "insert into activity_groups select distinct organisation_id, customer_id, warehouse_code, charge_code from activity_totals",
  );
  await client.query("vacuum analyze");
  await client.end();
}

async function measure(folder, months, strain) {
  const service = await startService({ folder });
  try {
    await fillMonths(service.databaseUrl, months);
    const results = {};
    for (const [name, path] of Object.entries({
      "totals of a month": `/v1/org/ledger/activities/totals?${month}`,
      "totals of a month, one customer": `/v1/org/ledger/activities/totals?${month}&customerId=CUST-3`,
      "rows of a month, first page": `/v1/org/ledger/activities?${month}&limit=100`,
    }))
      results[name] = await load({ url: `${service.url}${path}`, headers: { "x-api-key": service.key } }, strain);
    return results;
  } finally {
    await service.stop();
  }
}

export async function totalsSection({ folder, full, say }) {
  const months = 100;
  const strain = { seconds: full ? 10 : 4, connections: 2 };
  say(`totals: ${ROWS_A_MONTH} rows`);
  const small = await measure(join(folder, "small"), 1, strain);
  say(`totals: ${ROWS_A_MONTH * months} rows`);
  const large = await measure(join(folder, "large"), months, strain);
  const results = Object.keys(small).map((name) => ({ name, small: small[name], large: large[name] }));
  return { few: ROWS_A_MONTH, many: ROWS_A_MONTH * months, results };
}
