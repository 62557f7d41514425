// Where a report that is made after the import gets its rows: from the submission, which has the columns and the whole values as they were
// sent, or else from the stream alone.
import { join } from "node:path";
import { ImportFault } from "../../../commands/imports/judging/importFault.js";
import { type OpenSubmission, openSubmission } from "../../../commands/imports/judging/openSubmission.js";
import { shownRow } from "../../../commands/imports/judging/shownRow.js";
import { customFieldPrefix, pushedNames } from "../../../domain/imports/fields.js";
import type { Columns } from "../../../domain/rows/cells.js";
import type { ImportRequested, RowRejected } from "../../../events/importEvents.js";
import { startedEvent } from "../../../events/importLayout.js";
import type { FileRow } from "../../../ports/spreadsheets.js";
import type { WorkerDeps } from "../deps.js";
import { fetchSubmission } from "../importing/importFiles.js";

export interface ReportSource {
  readonly columns: Columns;
  readonly rows: AsyncIterable<{ row: FileRow; number: number; reason: string }>;
}

type Deps = Pick<WorkerDeps, "eventStore" | "objectStore" | "spreadsheets" | "catalogues">;
type Rejected = () => AsyncIterable<RowRejected>;

/** The rows as the import itself would report them; undefined when the submission is missing or has changed. */
export async function fromSubmission(
  deps: Deps,
  request: ImportRequested,
  rejected: Rejected,
  folder: string,
): Promise<ReportSource | undefined> {
  try {
    const path = join(folder, "submission");
    const catalogue = await deps.catalogues(request.organisationId, await catalogueVersion(deps, request.importId));
    await fetchSubmission(deps.objectStore, request.file, path);
    const submission = await openSubmission(deps.spreadsheets, request, catalogue, { path, folder });
    const columns = { ...submission.columns, names: submission.headings };
    return { columns, rows: matching(submission, request, rejected()) };
  } catch (error) {
    if (error instanceof ImportFault || deps.spreadsheets.isFileFault(error)) return undefined;
    throw error;
  }
}

async function catalogueVersion({ eventStore }: Deps, importId: string): Promise<number> {
  const started = await startedEvent(eventStore, importId);
  if (!started) throw new Error(`import ${importId} was never started`);
  return started.data.catalogueVersion;
}

/** Pairs the submission's rows with the rejected ones. Both are in row order. */
async function* matching(submission: OpenSubmission, { importId, source }: ImportRequested, rejected: AsyncIterable<RowRejected>) {
  const outcomes = rejected[Symbol.asyncIterator]();
  let next = await outcomes.next();
  for await (const { rows } of submission.read()) {
    for (const row of rows) {
      if (next.done) return;
      if (shownRow(row, source) !== next.value.row) continue;
      yield { row, number: next.value.row, reason: next.value.error };
      next = await outcomes.next();
    }
  }
  if (!next.done) throw new Error(`the submission of import ${importId} has no row ${next.value.row}, which was rejected`);
}

export async function fromStream(request: ImportRequested, rejected: Rejected): Promise<ReportSource> {
  const names = await submittedColumns(request, rejected);
  return { columns: { names, fields: names }, rows: asRows(names, rejected()) };
}

async function* asRows(names: readonly string[], rejected: AsyncIterable<RowRejected>) {
  for await (const { row, error, data } of rejected) {
    yield { row: { row, cells: names.map((name) => data[name] ?? ""), fault: null }, number: row, reason: error };
  }
}

/**
 * Every rejected row of a file has all of the file's columns. A row of a JSON push has only the fields that were sent, so the kind's other
 * fields are added.
 */
async function submittedColumns({ kind, source }: ImportRequested, rejected: Rejected): Promise<string[]> {
  if (source === "data" && kind === "activities") return pushedNames("activity");
  const names = new Set<string>();
  for await (const { data } of rejected()) {
    for (const name of Object.keys(data)) names.add(name);
    if (source === "file") return [...names];
  }
  return [...pushedNames("shipment"), ...[...names].filter((name) => name.startsWith(customFieldPrefix)), ...pushedNames("goodsLine")];
}
