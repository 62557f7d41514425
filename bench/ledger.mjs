// Fills the read models with millions of rows by SQL, as a projector would after that many events.
import pg from "pg";

const PER_IMPORT = 100_000;

/** Writes completed imports of the demo organisation with `rows` rows in all, and a fifth as many shipments. */
export async function fillLedger(databaseUrl, rows) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const perImport = Math.min(rows, PER_IMPORT);
  const imports = Math.ceil(rows / perImport);
  // Negative positions, so that these imports come before every event of the log.
  await client.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, started_at, finished_at, revision)
     select md5('import' || n)::uuid, n - 1000000, 'demo', 'activities', 'file', 'filled', 'completed', 100, $2, $2, 0,
       'none', 'filled.csv', 1, '', 'wb_live_xxxx', '[]', now(), now(), now(), $2 + 2
     from generate_series(1, $1::int) as n`,
    [imports, perImport],
  );
  await client.query(
    `insert into activities (import_position, "row", warehouse_code, charge_code, quantity, activity_timestamp, customer_id, reference, status)
     select n - 1000000, r, 'SYD' || r % 4, 'PICK', r % 40 + 1, '2026-03-01T00:00:00Z', 'CUST-001', 'REF-' || r, 'done'
     from generate_series(1, $1::int) as n, generate_series(2, $2::int + 1) as r`,
    [imports, perImport],
  );
  await client.query(
    `insert into rejections (import_position, "row", error, data)
     select -999999, r, 'Valid quantity is required', json_build_object('warehouseCode', 'SYD1', 'quantity', '0')
     from generate_series(2, $1::int + 1) as r`,
    [Math.min(rows, PER_IMPORT)],
  );
  await client.query(
    `insert into shipments (organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position)
     select 'demo', 'FILLED-' || n, jsonb_build_object('shipmentId', 'FILLED-' || n, 'originPostCode', '2000'),
       '[{"itemType":"Carton","itemQuantity":1}]', 'filled', md5('import1')::uuid, now(), n - 20000000
     from generate_series(1, $1::int) as n`,
    [Math.ceil(rows / 5)],
  );
  await client.query("vacuum analyze");
  const { rows: ids } = await client.query("select md5('import1')::uuid as first, md5('import' || $1)::uuid as last", [imports]);
  await client.end();
  return { importId: ids[0].first, lastImportId: ids[0].last, rejections: Math.min(rows, PER_IMPORT), shipments: Math.ceil(rows / 5) };
}

/**
 * Completed imports of the demo organisation, with the totals that the projector would have written. `at`: SQL for the time of row `r` of import
 * `n`, both from 1.
 */
export async function fillActivities(databaseUrl, { imports, rowsEach, at }) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, started_at, finished_at, revision)
     select md5('month' || n)::uuid, n - 1000000, 'demo', 'activities', 'file', 'filled', 'completed', 100, $2, $2, 0,
       'none', 'filled.csv', 1, '', 'cli:bench', '[]', now(), now(), now(), $2 + 2 from generate_series(1, $1::int) as n`,
    [imports, rowsEach],
  );
  await client.query(
    `insert into activities (import_position, "row", warehouse_code, charge_code, quantity, activity_timestamp, customer_id, reference, status)
     select n - 1000000, r + 1, 'SYD' || r % 4, 'CHARGE-' || r % 5, r % 40 + 0.1, to_char(${at}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       'CUST-' || r % 15, 'REF-' || r, 'done'
     from generate_series(1, $1::int) as n, generate_series(1, $2::int) as r`,
    [imports, rowsEach],
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
