import { type ExampleTable, exampleTable } from "../../../../domain/files/exampleFile.js";
import { usedCodes } from "../../../../queries/activities/activityCodes.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { type Cell, csvPieces, type DownloadedTable, download, workbookPieces } from "../../downloads.js";
import type { AnswerOf } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { examplePath, exampleTypes, kindOptions } from "./uploadPage.js";

const contentTypes = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

export const exampleAnswers = kindOptions.flatMap(({ value: kind }) =>
  exampleTypes.map(
    (type): AnswerOf<SignedInVisit> => ({
      method: "GET",
      path: examplePath(kind, type),
      access: "operate",
      answer: async (visit, { pool, catalogues, geography, spreadsheets, downloads }) => {
        const { organisationId } = visit.person;
        const { catalogueVersion, now } = await presentOf(pool, organisationId);
        const catalogue = await catalogues(organisationId, catalogueVersion);
        const table = exampleTable(kind, { catalogue, geography, now, ...(await usedCodes(pool, organisationId)) });
        const pieces = () =>
          type === "csv" ? csvPieces(spreadsheets, csvTable(table)) : workbookPieces(spreadsheets, kind, workbookTable(table));
        return download(visit, downloads, { name: `example-${kind}.${type}`, contentType: contentTypes[type], pieces });
      },
    }),
  ),
);

/** Times keep their zone. */
const csvTable = (table: ExampleTable) => tableOf(table, (text) => text);

/** Times as a spreadsheet has them: a clock in a cell is the organisation's wall time. */
const workbookTable = (table: ExampleTable) => tableOf(table, (text) => ({ wallTime: text.replace(/Z$/, "") }));

function tableOf({ columns, rows }: ExampleTable, timeCell: (text: string) => Cell): DownloadedTable {
  const cellOf = (text: string, column: number): Cell => {
    const type = columns[column]?.type ?? "text";
    if (text === "" || type === "text") return text;
    return type === "number" ? { decimal: text } : timeCell(text);
  };
  return {
    columns: columns.map(({ name }) => name),
    rows: (async function* () {
      yield rows.map((cells) => cells.map(cellOf));
    })(),
    texts: new Set(columns.flatMap(({ type }, index) => (type === "text" ? [index] : []))),
  };
}
