import { fieldsOf, isNumberField } from "../../../../domain/imports/fields.js";
import { Rejection } from "../../../../domain/rejection.js";
import { readActivityTotals } from "../../../../queries/activities/activityTotals.js";
import { allActivities } from "../../../../queries/activities/allActivities.js";
import { totalChanges } from "../../../../queries/activities/totalChanges.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { type DownloadedTable, downloadTable, inOneBatch } from "../../downloads.js";
import { defineAnswer, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { type Column, cellsInFile, isData } from "../../shell/table.js";
import { currentCatalogue } from "../customers.js";
import { billColumns, billLines } from "./bills.js";
import { type ActivitiesView, activitiesPath, activitiesView, rememberDownload, wallTime } from "./selection.js";
import { changeColumns, changeLines } from "./totalChanges.js";

type ReadTable = (view: ActivitiesView, deps: PortalDeps) => DownloadedTable | Promise<DownloadedTable>;

const fields = fieldsOf("activity");
const isNumber = [...fields.map(isNumberField), false, true]; // the last two columns are `importId` and `row`

/** Has the columns of an import file, so that it can be compared with what was sent, and for each row its import and row number. */
const rowsTable: ReadTable = ({ visit, filter }, { pool }) => {
  const batches = allActivities(visit.person.organisationId, filter, pool);
  const rows = async function* (): DownloadedTable["rows"] {
    for await (const lines of batches) yield { lines, isNumber };
  };
  return { columns: [...fields.map(({ name }) => name), "importId", "row"], rows: rows() };
};

/** Has all lines of the page's table of totals, broken down by warehouse if that table is. */
const totalsTable: ReadTable = async ({ visit, nameOf, filter, asOf, byWarehouse }, { pool }) => {
  const totals = await readActivityTotals(visit.person.organisationId, { ...filter, asOf }, pool);
  return toDownload(visit, billColumns({ nameOf, byWarehouse }), billLines(totals, byWarehouse));
};

const changesTable: ReadTable = async ({ visit, nameOf, filter, since }, { pool }) => {
  if (!since) throw new Rejection("invalid", "Give the time in since, such as 2026-03-01T14:30");
  const { organisationId } = visit.person;
  const [changes, actorOf] = await Promise.all([totalChanges(organisationId, filter, since, pool), principalNames(organisationId, pool)]);
  return toDownload(visit, changeColumns(nameOf, actorOf), changeLines(changes));
};

const toDownload = <Row>({ person }: SignedInVisit, columns: readonly Column<Row>[], rows: readonly Row[]): DownloadedTable => ({
  columns: columns.filter(isData).map(({ heading }) => heading),
  rows: inOneBatch(cellsInFile(columns, rows, person.timezone)),
});

const tables = { rows: rowsTable, totals: totalsTable, changes: changesTable } as const;

export const activityDownloads = (["rows", "totals", "changes"] as const).flatMap((tableName) =>
  (["csv", "xlsx"] as const).map((format) =>
    defineAnswer(`${activitiesPath}/${tableName}.${format}`, "look", async (visit, deps) => {
      const view = await activitiesView(visit, deps);
      const { now } = await currentCatalogue(visit, deps); // before the rows are read, so that no later change is missed
      const table = await tables[tableName](view, deps);
      if (tableName === "totals" && view.period?.month && !view.asOf && !view.shownImport)
        rememberDownload(visit, deps, view.period.month, now);
      return downloadTable(visit, deps, { name: fileName(tableName, view), sheet: tableName, format, table: () => table });
    }),
  ),
);

/** A name such as `activity-totals-2026-03-as-of-2026-04-01-0900`, with times in the organisation's time zone. */
function fileName(tableName: keyof typeof tables, { visit, period, shownImport, asOf, since }: ActivitiesView): string {
  const minuteOf = (at: Date) => wallTime(at, visit).slice(0, 16).replace("T", "-").replace(":", "");
  const parts = [
    `activity-${tableName}`,
    shownImport && `import-${shownImport.importId.slice(0, 8)}`,
    period && (period.month ?? `${period.firstDay}-to-${period.lastDay}`),
    tableName === "totals" && asOf && `as-of-${minuteOf(asOf)}`,
    tableName === "changes" && since && `since-${minuteOf(since)}`,
  ];
  return parts.filter(Boolean).join("-");
}
