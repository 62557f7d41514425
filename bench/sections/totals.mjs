// A month's totals and a page of its rows, with no other month in the tables and with a hundred: both should take the same time.
import { join } from "node:path";
import { fillActivities } from "../ledger.mjs";
import { load } from "../load.mjs";
import { startService } from "../service.mjs";

const ROWS_A_MONTH = 50_000;
/** One import a month, up to April 2026. */
const oneAMonth = "timestamp '2026-03-01' - make_interval(months => n - 1) + make_interval(mins => r % 40320)";
const month = "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z";

async function measure(folder, months, strain) {
  const service = await startService({ folder });
  try {
    await fillActivities(service.databaseUrl, { imports: months, rowsEach: ROWS_A_MONTH, at: oneAMonth });
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
