// Downloads an import's submitted file and error report. A stored file is answered with a redirect to a short-lived link. The error report
// is the stored one without the rows that have since been corrected, dismissed or superseded.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { askForReport } from "../../../../commands/imports/storedObjects.js";
import { reportSubject, rowNumberColumn } from "../../../../domain/files/header.js";
import { Rejection } from "../../../../domain/rejection.js";
import { cellText } from "../../../../domain/rows/cells.js";
import { trimTrailing } from "../../../../domain/trimTrailing.js";
import type { CsvCell } from "../../../../ports/spreadsheets.js";
import { submittedFile } from "../../../../queries/imports/importStatus.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { countOpenRows } from "../../../../queries/rejectedRows/openRows.js";
import { rowsInState } from "../../../../queries/rejectedRows/rowStates.js";
import { lookUntilFound } from "../../../../timeLimit.js";
import { Problem } from "../../../server/problem.js";
import { download, type Pieces, tableFormats, workbookPieces } from "../../downloads.js";
import { defineAnswer, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { redirect } from "../../pageResponse.js";
import { importOf } from "./importPage.js";
import { importsPath } from "./importStatus.js";

const linkSeconds = 300;

/** The report of the open rows; with `?rows=all`, the report as it was made when the import ended. */
const reportDownload = defineAnswer(`${importsPath}/{importId}/report`, "look", async (visit, deps) => {
  const { view } = await importOf(visit, deps);
  const { importId, reportKey } = view;
  if (reportKey === null) throw new Rejection("notFound", "This import has no error report yet, or no row was rejected");
  await waitUntilStored(deps, importId, reportKey);
  const name = `rejected-rows-${importId}.xlsx`;
  const { organisationId } = visit.person;
  if (visit.query["rows"] === "all" || !(await isPartlyOpen(organisationId, view, deps)))
    return redirectToStored(visit, deps, { key: reportKey, name });
  const pieces = () => openReportPieces(organisationId, view, reportKey, deps);
  return download(visit, deps.downloads, { name, contentType: tableFormats.xlsx, pieces });
});

const fileDownload = defineAnswer(`${importsPath}/{importId}/file`, "look", async (visit, deps) => {
  const file = await submittedFile(visit.person.organisationId, visit.params["importId"] ?? "", deps);
  if (!(await deps.objectStore.exists(file.key))) throw new Rejection("notFound", "The submitted file is no longer stored");
  return redirectToStored(visit, deps, file);
});

export const importDownloads = [reportDownload, fileDownload];

const maxWaitMs = 3_000;
const pollMs = 100;

/** If the report is missing from the store, asks a worker to make it again and waits for it. */
async function waitUntilStored({ pool, objectStore }: PortalDeps, importId: string, key: string): Promise<void> {
  const isStored = async () => (await objectStore.exists(key)) || undefined;
  if (await isStored()) return;
  await askForReport(pool, importId);
  if (!(await lookUntilFound(maxWaitMs, isStored, pollMs)))
    throw new Problem("unavailable", "The error report is being prepared. Try again in a moment");
}

async function redirectToStored(visit: SignedInVisit, deps: PortalDeps, { key, name }: { key: string; name: string }): Promise<Response> {
  const now = await deps.organisations.now();
  const link = await deps.objectStore.link(key, { downloadName: name, expiresInSeconds: linkSeconds, now });
  // A link to this service keeps the host that the browser uses, which may differ from that of PUBLIC_URL.
  const base = trimTrailing(deps.publicUrl, "/");
  return redirect(visit.context, link.startsWith(`${base}/`) ? visit.links.to(link.slice(base.length)) : link, 302);
}

/** Whether some but not all rejected rows are open. Otherwise the stored report is sent as it is, even if no row is open any more. */
async function isPartlyOpen(organisationId: string, view: ImportView, { pool }: Pick<PortalDeps, "pool">): Promise<boolean> {
  if (view.status !== "completed") return false;
  const { rows, atLeast } = (await countOpenRows(organisationId, view.importId, pool))[view.kind];
  return atLeast || (rows > 0 && rows < view.counts.failed);
}

async function* openReportPieces(organisationId: string, view: ImportView, key: string, deps: PortalDeps): Pieces {
  const { objectStore, spreadsheets, tempDir } = deps;
  const folder = await mkdtemp(join(tempDir, "report-"));
  try {
    const path = join(folder, "report.xlsx");
    await objectStore.fetch(key, path);
    const { columns } = await spreadsheets.readHeader(path, "report.xlsx");
    yield* workbookPieces(spreadsheets, "Rejected rows", {
      columns,
      rows: openReportRows(organisationId, view, path, columns, deps),
      textColumns: new Set(columns.keys()),
      subject: reportSubject(view.importId),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The open rows of the report. Merges two sequences: the report and the numbers of the open rows are both in row order. */
async function* openReportRows(organisationId: string, view: ImportView, path: string, columns: readonly string[], deps: PortalDeps) {
  const { spreadsheets, pool } = deps;
  const numberColumn = rowNumberColumn(columns);
  const openNumbers = openRowNumbers(organisationId, view, pool);
  let next = await openNumbers.next();
  for await (const { rows } of spreadsheets.readRows(path, { format: "xlsx" })) {
    const keptRows: CsvCell[][] = [];
    for (const { cells } of rows) {
      const number = Number(cellText(cells[numberColumn]));
      while (!next.done && next.value < number) next = await openNumbers.next();
      if (!next.done && next.value === number) keptRows.push(cells.map(cellText));
    }
    if (keptRows.length > 0) yield keptRows;
    if (next.done) return;
    await setImmediate(); // lets the process serve other requests
  }
}

const rowsPerRead = 1_000;

async function* openRowNumbers(organisationId: string, { kind, importId }: ImportView, pool: PortalDeps["pool"]): AsyncGenerator<number> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await rowsInState(organisationId, { kind, importId }, { state: "open", after, count: rowsPerRead }, pool);
    yield* page.rows.map(({ row }) => row);
    after = page.readUpTo;
  }
}
