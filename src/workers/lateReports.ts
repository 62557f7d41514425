// Error reports of imports that were cancelled, or failed, after rows had been rejected. Nothing follows such an end in the stream,
// and whoever recorded it may not be a worker, so the report is made afterwards, from what the stream holds.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { loadImport } from "../commands/importStream.js";
import { activityFields, customFieldPrefix, goodsLineFields, shipmentFields } from "../domain/imports/columns.js";
import { decode } from "../events/codec.js";
import type { RowRejected } from "../events/importEvents.js";
import { streamOf } from "../events/streams.js";
import type { WorkerDeps } from "./deps.js";
import { errorReport } from "./errorReport.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore" | "objectStore" | "spreadsheets"> & { readonly signal: AbortSignal };

/** Two workers who make the same report do no harm, only the work twice. */
const claimSeconds = 60;

/** Makes every report that is due. */
export async function makeLateReports(deps: Deps, folder: string): Promise<void> {
  while (!deps.signal.aborted) {
    const importId = await claim(deps);
    if (importId === undefined) return;
    const own = await mkdtemp(join(folder, "report-"));
    try {
      const stored = await makeReport(deps, importId, join(own, "report.xlsx"));
      if (stored) await deps.pool.query("update late_reports set report_key = $2 where import_id = $1", [importId, stored.key]);
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }
}

async function claim({ pool }: Deps): Promise<string | undefined> {
  const claimed = await pool.query<{ importId: string }>(
    `insert into late_reports (import_id, claimed_until)
     select i.import_id, now() + make_interval(secs => $1) from imports i
      where i.status in ('cancelled', 'failed') and i.failed > 0
        and not exists (select 1 from late_reports r where r.import_id = i.import_id and (r.report_key is not null or r.claimed_until > now()))
      order by i.position limit 1
     on conflict (import_id) do update set claimed_until = excluded.claimed_until
      where late_reports.report_key is null and late_reports.claimed_until <= now()
     returning import_id as "importId"`,
    [claimSeconds],
  );
  return claimed.rows[0]?.importId;
}

async function makeReport(deps: Deps, importId: string, path: string): Promise<{ key: string } | null> {
  const names = await submittedColumns(deps, importId);
  const report = errorReport(deps.spreadsheets, { names, fields: names }, path);
  try {
    for await (const { row, error, data } of rejectedRows(deps, importId)) {
      await report.add({ row, cells: names.map((name) => data[name] ?? ""), fault: null }, row, error);
    }
    return await report.store(deps.objectStore, `reports/${importId}.xlsx`);
  } finally {
    await report.discard();
  }
}

/** In their order. Every row of a file has all of its columns; one of a push has what was sent, and what was not is shown as well. */
async function submittedColumns(deps: Deps, importId: string): Promise<string[]> {
  const { state } = await loadImport(deps.eventStore, importId);
  if (state.status === "none") throw new Error(`import ${importId} has no stream`);
  const { kind, source } = state.request;
  if (source === "data" && kind === "activities") return [...activityFields];
  const names = new Set<string>();
  for await (const { data } of rejectedRows(deps, importId)) {
    for (const name of Object.keys(data)) names.add(name);
    if (source === "file") return [...names];
  }
  return [...shipmentFields, ...[...names].filter((name) => name.startsWith(customFieldPrefix)), ...goodsLineFields];
}

async function* rejectedRows({ eventStore, signal }: Deps, importId: string): AsyncGenerator<RowRejected> {
  let ended = false;
  for await (const stored of eventStore.read(streamOf.import(importId), { from: 2n, signal })) {
    const event = decode(stored);
    if (event?.type === "RowRejected") yield event.data;
    ended = event?.type === "ImportCancelled" || event?.type === "ImportFailed";
  }
  if (!ended) throw new Error(`import ${importId} has not ended in its stream: its report would lack rows`);
}
