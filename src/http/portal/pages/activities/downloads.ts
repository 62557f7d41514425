import { fieldsOf } from "../../../../domain/imports/fields.js";
import { allActivities } from "../../../../queries/activities/activityLedger.js";
import type { FoundActivity } from "../../../../queries/activities/activityRows.js";
import { activityTotals } from "../../../../queries/activities/activityTotals.js";
import { type Cell, csvPieces, type DownloadedTable, download, workbookPieces } from "../../downloads.js";
import type { AnswerOf, PortalDeps } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { type Asked, activitiesPath, askedOf } from "./asked.js";
import { presentNames } from "./names.js";

type TableOf = (visit: SignedInVisit, asked: Asked, deps: PortalDeps) => DownloadedTable;

const formats = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

const fields = fieldsOf("activity");

/** The columns of an import, so that the file can be compared with what was sent, and where each row came from. */
const rowsTable: TableOf = (visit, asked, { pool }) => ({
  columns: [...fields.map(({ name }) => name), "importId", "row"],
  rows: rowsOf(allActivities(visit.person.organisationId, asked.filter, pool)),
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

const totalsTable: TableOf = (visit, asked, deps) => ({
  columns: ["customerId", "customer", "warehouseCode", "chargeCode", "quantity", "rows"],
  rows: totalsOf(visit, asked, deps),
});

async function* totalsOf(visit: SignedInVisit, { filter }: Asked, deps: PortalDeps): AsyncGenerator<Cell[][]> {
  const { organisationId } = visit.person;
  const { nameOf } = await presentNames(organisationId, deps);
  const totals = await activityTotals(organisationId, filter, deps.pool);
  yield totals.map(({ customerId, warehouseCode, chargeCode, quantity, rows }) => [
    ...[customerId ?? "", nameOf(customerId ?? "") ?? "", warehouseCode, chargeCode],
    ...[{ decimal: quantity }, { decimal: String(rows) }],
  ]);
}

const tables = { rows: rowsTable, totals: totalsTable } as const;

export const activityDownloads = (Object.keys(tables) as (keyof typeof tables)[]).flatMap((table) =>
  (Object.keys(formats) as (keyof typeof formats)[]).map(
    (format): AnswerOf<SignedInVisit> => ({
      method: "GET",
      path: `${activitiesPath}/${table}.${format}`,
      access: "look",
      answer: async (visit, deps) => {
        const asked = askedOf(visit, await deps.organisations.now());
        const pieces = () => {
          const made = tables[table](visit, asked, deps);
          return format === "csv" ? csvPieces(deps.spreadsheets, made) : workbookPieces(deps.spreadsheets, table, made);
        };
        return download(visit, deps.downloads, { name: `${fileName(table, asked)}.${format}`, contentType: formats[format], pieces });
      },
    }),
  ),
);

const fileName = (table: string, { period }: Asked) => `activity-${table}-${period.month ?? `${period.firstDay}-to-${period.lastDay}`}`;
