import { fieldsOf } from "../../../../domain/imports/fields.js";
import { allActivities } from "../../../../queries/activities/activityLedger.js";
import type { FoundActivity } from "../../../../queries/activities/activityRows.js";
import { activityTotals } from "../../../../queries/activities/activityTotals.js";
import { type Cell, type DownloadedTable, downloadTable } from "../../downloads.js";
import type { AnswerOf, PortalDeps, SignedInVisit } from "../../page.js";
import { presentCatalogue } from "../customers.js";
import { activitiesPath, type Selection, selectionOf } from "./selection.js";

type TableOf = (visit: SignedInVisit, selection: Selection, deps: PortalDeps) => DownloadedTable;

const fields = fieldsOf("activity");

/** The columns of an import, so that the file can be compared with what was sent, and where each row came from. */
const rowsTable: TableOf = (visit, selection, { pool }) => ({
  columns: [...fields.map(({ name }) => name), "importId", "row"],
  rows: rowsOf(allActivities(visit.person.organisationId, selection.filter, pool)),
});

async function* rowsOf(found: AsyncGenerator<FoundActivity[]>): AsyncGenerator<Cell[][]> {
  try {
    for await (const some of found) yield some.map(cellsOf);
  } finally {
    await found.return(undefined);
  }
}

const cellsOf = ({ values, importId, row }: FoundActivity): Cell[] => [
  ...fields.map(({ name }) => {
    const value = values[name] ?? "";
    return name === "quantity" ? { decimal: String(value) } : String(value);
  }),
  importId,
  { decimal: String(row) },
];

const totalsTable: TableOf = (visit, selection, deps) => ({
  columns: ["customerId", "customer", "warehouseCode", "chargeCode", "quantity", "rows"],
  rows: totalsOf(visit, selection, deps),
});

async function* totalsOf(visit: SignedInVisit, { filter }: Selection, deps: PortalDeps): AsyncGenerator<Cell[][]> {
  const { nameOf } = await presentCatalogue(visit, deps);
  const totals = await activityTotals(visit.person.organisationId, filter, deps.pool);
  yield totals.map(({ customerId, warehouseCode, chargeCode, quantity, rows }) => [
    customerId ?? "",
    nameOf(customerId ?? "") ?? "",
    warehouseCode,
    chargeCode,
    { decimal: quantity },
    { decimal: String(rows) },
  ]);
}

const tables = { rows: rowsTable, totals: totalsTable } as const;

export const activityDownloads = (["rows", "totals"] as const).flatMap((sheet) =>
  (["csv", "xlsx"] as const).map(
    (format): AnswerOf<SignedInVisit> => ({
      method: "GET",
      path: `${activitiesPath}/${sheet}.${format}`,
      access: "look",
      answer: async (visit, deps) => {
        const selection = selectionOf(visit, await deps.organisations.now());
        const table = () => tables[sheet](visit, selection, deps);
        return downloadTable(visit, deps, { name: fileName(sheet, selection), sheet, format, table });
      },
    }),
  ),
);

const fileName = (table: string, { period }: Selection) => `activity-${table}-${period.month ?? `${period.firstDay}-to-${period.lastDay}`}`;
