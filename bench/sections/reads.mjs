// Reads from a small ledger and from a large one: both should take the same time.
import { join } from "node:path";
import { fillLedger } from "../ledger.mjs";
import { load } from "../load.mjs";
import { call, startService } from "../service.mjs";

async function deepCursor(service, path, pages) {
  let cursor = "";
  for (let page = 0; page < pages; page += 1) {
    const { nextCursor } = await call(service, `${path}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    if (!nextCursor) break;
    cursor = nextCursor;
  }
  return encodeURIComponent(cursor);
}

async function measure(folder, rows, strain) {
  const service = await startService({ folder });
  try {
    const filled = await fillLedger(service.databaseUrl, rows);
    const status = `/v1/org/fulfilment/imports/${filled.importId}`;
    const errors = `${status}/errors`;
    const deep = await deepCursor(service, errors, 90); // the same depth in both ledgers, near the end of the small one
    const activities = `/v1/org/ledger/activities?importId=${filled.lastImportId}`;
    const paths = {
      "import status": status,
      "rejected rows, first page": `${errors}?limit=100`,
      "rejected rows, deep page": `${errors}?limit=100&cursor=${deep}`,
      "shipment by id": `/v1/org/ledger/shipments/FILLED-${Math.floor(filled.shipments / 2)}`,
      "activities of an import": `${activities}&limit=100`,
      "list of imports": "/v1/org/fulfilment/imports?limit=20",
    };
    const results = {};
    for (const [name, path] of Object.entries(paths)) {
      results[name] = await load({ url: `${service.url}${path}`, headers: { "x-api-key": service.key } }, strain);
    }
    return results;
  } finally {
    await service.stop();
  }
}

export async function readSection({ folder, full, say }) {
  const [few, many] = [10_000, full ? 5_000_000 : 200_000];
  const strain = { seconds: full ? 5 : 2, connections: 10 };
  say(`reads: ${few} rows`);
  const small = await measure(join(folder, "small"), few, strain);
  say(`reads: ${many} rows`);
  const large = await measure(join(folder, "large"), many, strain);
  return { few, many, results: Object.keys(small).map((name) => ({ name, small: small[name], large: large[name] })) };
}
