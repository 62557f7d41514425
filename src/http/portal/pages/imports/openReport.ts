// The error report with the open rows only: the stored report, without the rows that are corrected, dismissed or superseded since.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { reportSubject, rowNumberColumn } from "../../../../domain/files/header.js";
import { cellText } from "../../../../domain/rows/cells.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { countOpenRows } from "../../../../queries/rejectedRows/openRows.js";
import { rowsInState } from "../../../../queries/rejectedRows/rowStates.js";
import { download, type Pieces } from "../../downloads.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { type TableCell, tableFormats, workbookPieces } from "../../tableDownloads.js";

/** Whether some rejected rows are open and others are not. Otherwise the stored report is the right one. */
export async function isPartlyOpen(organisationId: string, view: ImportView, { pool }: Pick<PortalDeps, "pool">): Promise<boolean> {
  if (view.status !== "completed") return false;
  const { rows, atLeast } = (await countOpenRows(organisationId, view.importId, pool))[view.kind];
  return atLeast || (rows > 0 && rows < view.counts.failed);
}

interface Report {
  readonly view: ImportView;
  /** Of the stored report. */
  readonly key: string;
  readonly name: string;
}

export function downloadOpenRows(visit: SignedInVisit, deps: PortalDeps, report: Report): Promise<Response> {
  const pieces = () => piecesOf(visit.person.organisationId, report, deps);
  return download(visit, deps.downloads, { name: report.name, contentType: tableFormats.xlsx, pieces });
}

async function* piecesOf(organisationId: string, { view, key }: Report, deps: PortalDeps): Pieces {
  const { objectStore, spreadsheets, tempDir } = deps;
  const folder = await mkdtemp(join(tempDir, "report-"));
  try {
    const path = join(folder, "report.xlsx");
    await objectStore.fetch(key, path);
    const { columns } = await spreadsheets.readHeader(path, "report.xlsx");
    yield* workbookPieces(spreadsheets, "Rejected rows", {
      columns,
      rows: openRows(organisationId, view, { path, columns }, deps),
      texts: new Set(columns.keys()),
      subject: reportSubject(view.importId),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Stored {
  readonly path: string;
  readonly columns: readonly string[];
}

/** Both the report and the open rows are in row order. */
async function* openRows(
  organisationId: string,
  view: ImportView,
  { path, columns }: Stored,
  { spreadsheets, pool }: PortalDeps,
): AsyncGenerator<readonly (readonly TableCell[])[]> {
  const numberColumn = rowNumberColumn(columns);
  const open = openNumbers(organisationId, view, pool);
  let next = await open.next();
  for await (const { rows } of spreadsheets.readRows(path, { format: "xlsx" })) {
    const kept: TableCell[][] = [];
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
    yield* found.rows;
    after = found.lookedUpTo;
  }
}
