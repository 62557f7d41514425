// Both files of an import. What is stored is a link that lasts as long as a browser needs to begin. The error report has the open rows only: it is
// the stored one without the rows that are corrected, dismissed or superseded since.
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

/** With the open rows, or with `?rows=all` as it was made when the import ended. */
const reportDownload = defineAnswer(`${importsPath}/{importId}/report`, "look", async (visit, deps) => {
  const { view } = await importOf(visit, deps);
  const { importId, reportKey } = view;
  if (reportKey === null) throw new Rejection("notFound", "This import has no error report yet, or no row was rejected");
  await untilStored(deps, importId, reportKey);
  const name = `rejected-rows-${importId}.xlsx`;
  const { organisationId } = visit.person;
  if (visit.query["rows"] === "all" || !(await isPartlyOpen(organisationId, view, deps)))
    return leadTo(visit, deps, { key: reportKey, name });
  const pieces = () => openReport(organisationId, view, reportKey, deps);
  return download(visit, deps.downloads, { name, contentType: tableFormats.xlsx, pieces });
});

const fileDownload = defineAnswer(`${importsPath}/{importId}/file`, "look", async (visit, deps) => {
  const file = await submittedFile(visit.person.organisationId, visit.params["importId"] ?? "", deps);
  if (!(await deps.objectStore.exists(file.key))) throw new Rejection("notFound", "The submitted file is no longer stored");
  return leadTo(visit, deps, file);
});

export const importDownloads = [reportDownload, fileDownload];

const waitMs = 3_000;
const lookMs = 100;

/** A report that is gone from the store is made again by a worker, within seconds. */
async function untilStored({ pool, objectStore }: PortalDeps, importId: string, key: string): Promise<void> {
  const look = async () => (await objectStore.exists(key)) || undefined;
  if (await look()) return;
  await askForReport(pool, importId);
  if (!(await lookUntilFound(waitMs, look, lookMs)))
    throw new Problem("unavailable", "The error report is being prepared. Try again in a moment");
}

async function leadTo(visit: SignedInVisit, deps: PortalDeps, { key, name }: { key: string; name: string }): Promise<Response> {
  const now = await deps.organisations.now();
  const link = await deps.objectStore.link(key, { downloadName: name, expiresInSeconds: linkSeconds, now });
  // A link to this service itself stays on the host that the browser uses, which may not be that of PUBLIC_URL.
  const base = trimTrailing(deps.publicUrl, "/");
  return redirect(visit.context, link.startsWith(`${base}/`) ? visit.links.to(link.slice(base.length)) : link, 302);
}

/** Whether some rejected rows are open and others are not. Otherwise the stored report is the right one. */
async function isPartlyOpen(organisationId: string, view: ImportView, { pool }: Pick<PortalDeps, "pool">): Promise<boolean> {
  if (view.status !== "completed") return false;
  const { rows, atLeast } = (await countOpenRows(organisationId, view.importId, pool))[view.kind];
  return atLeast || (rows > 0 && rows < view.counts.failed);
}

async function* openReport(organisationId: string, view: ImportView, key: string, deps: PortalDeps): Pieces {
  const { objectStore, spreadsheets, tempDir } = deps;
  const folder = await mkdtemp(join(tempDir, "report-"));
  try {
    const path = join(folder, "report.xlsx");
    await objectStore.fetch(key, path);
    const { columns } = await spreadsheets.readHeader(path, "report.xlsx");
    yield* workbookPieces(spreadsheets, "Rejected rows", {
      columns,
      rows: openRows(organisationId, view, path, columns, deps),
      texts: new Set(columns.keys()),
      subject: reportSubject(view.importId),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Both the report and the open rows are in row order. */
async function* openRows(organisationId: string, view: ImportView, path: string, columns: readonly string[], deps: PortalDeps) {
  const { spreadsheets, pool } = deps;
  const numberColumn = rowNumberColumn(columns);
  const open = openNumbers(organisationId, view, pool);
  let next = await open.next();
  for await (const { rows } of spreadsheets.readRows(path, { format: "xlsx" })) {
    const kept: CsvCell[][] = [];
    for (const { cells } of rows) {
      const number = Number(cellText(cells[numberColumn]));
      while (!next.done && next.value < number) next = await open.next();
      if (!next.done && next.value === number) kept.push(cells.map(cellText));
    }
    if (kept.length > 0) yield kept;
    if (next.done) return;
    await setImmediate(); // the process serves requests meanwhile
  }
}

const atOnce = 1_000;

async function* openNumbers(organisationId: string, { kind, importId }: ImportView, pool: PortalDeps["pool"]): AsyncGenerator<number> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const found = await rowsInState(organisationId, { kind, importId }, { state: "open", after, count: atOnce }, pool);
    yield* found.rows.map(({ row }) => row);
    after = found.readUpTo;
  }
}
