import { fieldsOf, isNumber } from "../../../../domain/imports/fields.js";
import { Rejection } from "../../../../domain/rejection.js";
import { activityTotals } from "../../../../queries/activities/activityTotals.js";
import { allActivities } from "../../../../queries/activities/allActivities.js";
import { totalChanges } from "../../../../queries/activities/totalChanges.js";
import { waitUntilTablesKnow } from "../../../../queries/knownAt.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import type { AnswerDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { type Column, cellsInFile, isData } from "../../shell/table.js";
import { type DownloadedTable, downloadTable, once } from "../../tableDownloads.js";
import { presentCatalogue } from "../customers.js";
import { billLines } from "./billLines.js";
import { billColumns } from "./billTable.js";
import { activitiesPath, onlyImport, type Selection, selectionOf, wallTime } from "./selection.js";
import { changeColumns, changeLines } from "./totalChanges.js";

type TableOf = (visit: SignedInVisit, selection: Selection, deps: PortalDeps) => DownloadedTable | Promise<DownloadedTable>;

const fields = fieldsOf("activity");

/** The columns of an import, so that the file can be compared with what was sent, and where each row came from. */
const rowsTable: TableOf = (visit, selection, { pool }) => ({
  columns: [...fields.map(({ name }) => name), "importId", "row"],
  rows: rowsOf(allActivities(visit.person.organisationId, selection.filter, pool)),
});

const isDecimal = [...fields.map(isNumber), false, true];

async function* rowsOf(found: ReturnType<typeof allActivities>): DownloadedTable["rows"] {
  try {
    for await (const some of found) yield { ...some, isNumber: isDecimal };
  } finally {
    await found.return(undefined);
  }
}

/** The lines of the page, all of them: by warehouse only where the page has them by warehouse. */
const totalsTable: TableOf = async (visit, { filter, asOf, byWarehouse }, deps) => {
  const { nameOf } = await presentCatalogue(visit, deps);
  const totals = await activityTotals(visit.person.organisationId, { ...filter, asOf }, deps.pool);
  return tableOf(visit, billColumns({ nameOf, byWarehouse }), billLines(totals, byWarehouse));
};

const changesTable: TableOf = async (visit, { filter, since }, deps) => {
  if (!since) throw new Rejection("invalid", "Give the time in since, such as 2026-03-01T14:30");
  const { organisationId } = visit.person;
  const [{ nameOf }, changes, actorOf] = await Promise.all([
    presentCatalogue(visit, deps),
    totalChanges(organisationId, filter, since, deps.pool),
    principalNames(organisationId, deps.pool),
  ]);
  return tableOf(visit, changeColumns(visit, nameOf, actorOf), changeLines(changes));
};

const tableOf = <Row>({ person }: SignedInVisit, columns: readonly Column<Row>[], rows: readonly Row[]): DownloadedTable => ({
  columns: columns.filter(isData).map(({ heading }) => heading),
  rows: once(cellsInFile(columns, rows, person.timezone)),
});

const tables = { rows: rowsTable, totals: totalsTable, changes: changesTable } as const;

export const activityDownloads = (["rows", "totals", "changes"] as const).flatMap((sheet) =>
  (["csv", "xlsx"] as const).map(
    (format): AnswerDefinition<SignedInVisit> => ({
      method: "GET",
      path: `${activitiesPath}/${sheet}.${format}`,
      access: "look",
      answer: async (visit, deps) => {
        const selection = selectionOf(visit, await deps.organisations.now());
        await onlyImport(visit, selection, deps);
        const time = selection.asOf ?? selection.since;
        if (time) await waitUntilTablesKnow(time, deps);
        const made = await tables[sheet](visit, selection, deps);
        const table = () => made;
        return downloadTable(visit, deps, { name: fileName(sheet, visit, selection), sheet, format, table });
      },
    }),
  ),
);

/** Such as `activity-totals-2026-03-as-of-2026-04-01-0900`, in the organisation's time. */
function fileName(table: keyof typeof tables, visit: SignedInVisit, { period, importId, asOf, since }: Selection): string {
  const minuteOf = (at: Date) => (wallTime(at, visit) ?? "").slice(0, 16).replace("T", "-").replace(":", "");
  const parts = [
    `activity-${table}`,
    importId && `import-${importId.slice(0, 8)}`,
    period && (period.month ?? `${period.firstDay}-to-${period.lastDay}`),
    table === "totals" && asOf && `as-of-${minuteOf(asOf)}`,
    table === "changes" && since && `since-${minuteOf(since)}`,
  ];
  return parts.filter(Boolean).join("-");
}
