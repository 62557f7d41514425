// Makes error reports after an import has ended. Only an import that completes makes its own report: imports that fail or are cancelled
// after rows were rejected get theirs here. The API also asks for reports that it finds missing in the object store.
import { join } from "node:path";
import { loadImport } from "../../../commands/imports/importStream.js";
import { reportKey } from "../../../commands/imports/storedObjects.js";
import { customFieldPrefix, pushFieldNames } from "../../../domain/imports/fields.js";
import { decode, UnreadableEvent } from "../../../events/codec.js";
import { type ImportRequested, isImportEnding, type RowRejected } from "../../../events/importEvents.js";
import { readRowEvents, readStartedEvent } from "../../../events/importLayout.js";
import { ImportFault } from "../../../judging/importFault.js";
import type { OpenSubmission } from "../../../judging/openSubmission.js";
import { createReportFile } from "../../../judging/report/reportFile.js";
import { shownRowNumber } from "../../../judging/shownRowNumber.js";
import type { StoredEvent } from "../../../ports/eventStore.js";
import { inTemporaryFolder } from "../../../temporaryFolder.js";
import type { WorkerDeps } from "../deps.js";
import { fetchSubmission } from "../importing/fetchSubmission.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore" | "objectStore" | "spreadsheets" | "catalogues" | "logger"> & {
  readonly signal: AbortSignal;
};

/** After this time another worker may claim the same report. If both make it, only time is lost. */
const firstClaimSeconds = 300;
const maxClaimSeconds = 86_400;
/** Imports that ended longer ago get a report only if a worker has tried before, or if the API has asked for it. */
const lookBackDays = 30;

/** Makes every report that is due. A failed report does not stop the next one. */
export async function makeLateReports(deps: Deps, folder: string): Promise<void> {
  while (!deps.signal.aborted) {
    const importId = await claimReport(deps);
    if (importId === undefined) return;
    try {
      const stored = await inTemporaryFolder(folder, "report-", (own) => makeReport(deps, importId, own));
      if (stored) await deps.pool.query("update late_reports set report_key = $2 where import_id = $1", [importId, stored.key]);
    } catch (error) {
      if (!deps.signal.aborted)
        deps.logger.warn({ err: error, importId }, "the error report of an import that has ended could not be made");
    }
  }
}

/** Each further claim of a report lasts twice as long as the previous one, up to a day. */
const extendClaimSql = `attempts = mine.attempts + 1,
  claimed_until = now() + make_interval(secs => least($2, $1 * power(2, least(mine.attempts, 20))))`;

/** Claims the next missing report of a failed or cancelled import. Reports that were never tried come first. */
const claimEndedSql = `
  insert into late_reports as mine (import_id, attempts, claimed_until)
  select i.import_id, 1, now() + make_interval(secs => $1) from imports i left join late_reports r on r.import_id = i.import_id
   where i.status in ('cancelled', 'failed') and i.failed > 0 and i.finished_at > now() - make_interval(days => $3)
     and r.report_key is null and (r.claimed_until is null or r.claimed_until <= now())
   order by r.claimed_until nulls first, i.finished_at limit 1
  on conflict (import_id) do update set ${extendClaimSql} where mine.report_key is null and mine.claimed_until <= now()
  returning import_id`;

/** Claims a report that the API has asked for, or that could not be made before, however long ago the import ended. */
const claimMissingSql = `
  update late_reports as mine set ${extendClaimSql}
   where not exists (select from ended) and mine.import_id = (
     select import_id from late_reports where report_key is null and claimed_until <= now()
      order by claimed_until limit 1 for update skip locked)
  returning import_id`;

async function claimReport({ pool }: Deps): Promise<string | undefined> {
  const { rows } = await pool.query<{ importId: string }>(
    `with ended as (${claimEndedSql}), missing as (${claimMissingSql})
     select import_id as "importId" from ended union all select import_id from missing`,
    [firstClaimSeconds, maxClaimSeconds, lookBackDays],
  );
  return rows[0]?.importId;
}

async function makeReport(deps: Deps, importId: string, folder: string): Promise<{ key: string } | null> {
  const { state } = await loadImport(deps.eventStore, importId);
  if (state.status === "none") throw new Error(`import ${importId} has no stream`);
  const { request } = state;
  const readRejected = () => rejectedRows(deps, importId);
  const fullRows = state.status === "completed" ? await rowsFromSubmission(deps, request, readRejected, folder) : undefined;
  const { columns, rows } = fullRows ?? (await rowsFromStream(request, readRejected));
  const report = createReportFile(deps.spreadsheets, columns, { path: join(folder, "report.xlsx"), importId });
  try {
    for await (const { row, number, reason } of rows) await report.add(row, number, reason);
    return await report.store(deps.objectStore, reportKey(request));
  } finally {
    await report.discard();
  }
}

async function* rejectedRows({ eventStore, signal }: Deps, importId: string): AsyncGenerator<RowRejected> {
  let hasEnded = false;
  for await (const stored of readRowEvents(eventStore, importId, { signal })) {
    const event = decodeReadable(stored);
    if (event?.type === "RowRejected") yield event.data;
    hasEnded = event !== undefined && isImportEnding(event.type);
  }
  if (!hasEnded) throw new Error(`import ${importId} has not ended in its stream: its report would lack rows`);
}

/** Undefined for an unreadable event, which the list of rejected rows leaves out too. */
function decodeReadable(stored: StoredEvent): ReturnType<typeof decode> {
  try {
    return decode(stored);
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined;
    throw error;
  }
}

type ReadRejected = () => AsyncIterable<RowRejected>;

/** The rows as the import itself would report them; undefined if the submission is missing or has changed. */
async function rowsFromSubmission(deps: Deps, request: ImportRequested, readRejected: ReadRejected, folder: string) {
  try {
    const started = await readStartedEvent(deps.eventStore, request.importId);
    if (!started) throw new Error(`import ${request.importId} was never started`);
    const catalogue = await deps.catalogues(request.organisationId, started.data.catalogueVersion);
    const submission = await fetchSubmission(deps, request, catalogue, folder);
    return { columns: submission.reportedColumns, rows: matchRejected(submission, request, readRejected()) };
  } catch (error) {
    if (error instanceof ImportFault || deps.spreadsheets.isFileFault(error)) return undefined;
    throw error;
  }
}

/** Pairs the submission's rows with their rejections. Both are in row order. */
async function* matchRejected(submission: OpenSubmission, { importId, source }: ImportRequested, rejected: AsyncIterable<RowRejected>) {
  const outcomes = rejected[Symbol.asyncIterator]();
  let next = await outcomes.next();
  for await (const { rows } of submission.read()) {
    for (const row of rows) {
      if (next.done) return;
      if (shownRowNumber(row, source) !== next.value.row) continue;
      yield { row, number: next.value.row, reason: next.value.error };
      next = await outcomes.next();
    }
  }
  if (!next.done) throw new Error(`the submission of import ${importId} has no row ${next.value.row}, which was rejected`);
}

/** The rows as the stream has them, which may lack columns and have shortened values. */
async function rowsFromStream(request: ImportRequested, readRejected: ReadRejected) {
  const names = await submittedColumns(request, readRejected);
  return { columns: { names, fields: names }, rows: asRows(names, readRejected()) };
}

async function* asRows(names: readonly string[], rejected: AsyncIterable<RowRejected>) {
  for await (const { row, error, data } of rejected) {
    yield { row: { row, cells: names.map((name) => data[name] ?? ""), fault: null }, number: row, reason: error };
  }
}

/**
 * All rejected rows of a file have the same columns. A row of a JSON push has only the fields that were sent, so the kind's other fields are
 * added.
 */
async function submittedColumns({ kind, source }: ImportRequested, readRejected: ReadRejected): Promise<string[]> {
  if (source === "data" && kind === "activities") return pushFieldNames("activity");
  const names = new Set<string>();
  for await (const { data } of readRejected()) {
    for (const name of Object.keys(data)) names.add(name);
    if (source === "file") return [...names];
  }
  const customNames = [...names].filter((name) => name.startsWith(customFieldPrefix));
  return [...pushFieldNames("shipment"), ...customNames, ...pushFieldNames("goodsLine")];
}
