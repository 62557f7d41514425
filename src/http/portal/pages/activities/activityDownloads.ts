import { fieldsOf, isNumber } from "../../../../domain/imports/fields.js";
import { Rejection } from "../../../../domain/rejection.js";
import { activityTotals } from "../../../../queries/activities/activityTotals.js";
import { allActivities } from "../../../../queries/activities/allActivities.js";
import { totalChanges } from "../../../../queries/activities/totalChanges.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { type DownloadedTable, downloadTable, inOneBatch } from "../../downloads.js";
import { defineAnswer, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { type Column, cellsInFile, isData } from "../../shell/table.js";
import { presentCatalogue } from "../customers.js";
import { billColumns, billLines } from "./bills.js";
import { type ActivitiesView, activitiesPath, activitiesView, rememberDownload, wallTime } from "./selection.js";
import { changeColumns, changeLines } from "./totalChanges.js";

type TableOf = (view: ActivitiesView, deps: PortalDeps) => DownloadedTable | Promise<DownloadedTable>;

const fields = fieldsOf("activity");
const isDecimal = [...fields.map(isNumber), false, true];

/** The columns of an import, so that the file can be compared with what was sent, and where each row came from. */
const rowsTable: TableOf = ({ visit, filter }, { pool }) => {
  const found = allActivities(visit.person.organisationId, filter, pool);
  const rows = async function* (): DownloadedTable["rows"] {
    for await (const lines of found) yield { lines, isNumber: isDecimal };
  };
  return { columns: [...fields.map(({ name }) => name), "importId", "row"], rows: rows() };
};

/** The lines of the page, all of them: by warehouse only where the page has them by warehouse. */
const totalsTable: TableOf = async ({ visit, nameOf, filter, asOf, byWarehouse }, { pool }) => {
  const totals = await activityTotals(visit.person.organisationId, { ...filter, asOf }, pool);
  return tableOf(visit, billColumns({ nameOf, byWarehouse }), billLines(totals, byWarehouse));
};

const changesTable: TableOf = async ({ visit, nameOf, filter, since }, { pool }) => {
  if (!since) throw new Rejection("invalid", "Give the time in since, such as 2026-03-01T14:30");
  const { organisationId } = visit.person;
  const [changes, actorOf] = await Promise.all([totalChanges(organisationId, filter, since, pool), principalNames(organisationId, pool)]);
  return tableOf(visit, changeColumns(nameOf, actorOf), changeLines(changes));
};

const tableOf = <Row>({ person }: SignedInVisit, columns: readonly Column<Row>[], rows: readonly Row[]): DownloadedTable => ({
  columns: columns.filter(isData).map(({ heading }) => heading),
  rows: inOneBatch(cellsInFile(columns, rows, person.timezone)),
});

const tables = { rows: rowsTable, totals: totalsTable, changes: changesTable } as const;

export const activityDownloads = (["rows", "totals", "changes"] as const).flatMap((sheet) =>
  (["csv", "xlsx"] as const).map((format) =>
    defineAnswer(`${activitiesPath}/${sheet}.${format}`, "look", async (visit, deps) => {
      const view = await activitiesView(visit, deps);
      const { now } = await presentCatalogue(visit, deps); // before the rows are read
      const made = await tables[sheet](view, deps);
      if (sheet === "totals" && view.period?.month && !view.asOf && !view.only) rememberDownload(visit, deps, view.period.month, now);
      return downloadTable(visit, deps, { name: fileName(sheet, view), sheet, format, table: () => made });
    }),
  ),
);

/** Such as `activity-totals-2026-03-as-of-2026-04-01-0900`, in the organisation's time. */
function fileName(table: keyof typeof tables, { visit, period, only, asOf, since }: ActivitiesView): string {
  const minuteOf = (at: Date) => wallTime(at, visit).slice(0, 16).replace("T", "-").replace(":", "");
  const parts = [
    `activity-${table}`,
    only && `import-${only.importId.slice(0, 8)}`,
    period && (period.month ?? `${period.firstDay}-to-${period.lastDay}`),
    table === "totals" && asOf && `as-of-${minuteOf(asOf)}`,
    table === "changes" && since && `since-${minuteOf(since)}`,
  ];
  return parts.filter(Boolean).join("-");
}
