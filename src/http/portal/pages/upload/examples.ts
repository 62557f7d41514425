import { type ExampleTable, exampleTable } from "../../../../domain/files/exampleFile.js";
import { type ImportKind, importKinds } from "../../../../events/importEvents.js";
import { usedCodes } from "../../../../queries/activities/activityCodes.js";
import type { AnswerDefinition, SignedInVisit } from "../../pageDefinition.js";
import { type DownloadedTable, downloadTable, type TableCell, type TableFormat } from "../../tableDownloads.js";
import { presentCatalogue } from "../customers.js";
import { uploadPath } from "./paths.js";

export const exampleFormats = ["csv", "xlsx"] as const;

export const examplePath = (kind: ImportKind, type: (typeof exampleFormats)[number]) => `${uploadPath}/examples/${kind}.${type}`;

export const exampleAnswers = importKinds.flatMap((kind) =>
  exampleFormats.map(
    (format): AnswerDefinition<SignedInVisit> => ({
      method: "GET",
      path: examplePath(kind, format),
      access: "operate",
      answer: async (visit, deps) => {
        const { catalogue, now } = await presentCatalogue(visit, deps);
        const codes = await usedCodes(visit.person.organisationId, deps.pool);
        const example = exampleTable(kind, { catalogue, geography: deps.geography, now, ...codes });
        return downloadTable(visit, deps, { name: `example-${kind}`, sheet: kind, format, table: () => tableOf(example, format) });
      },
    }),
  ),
);

function tableOf({ columns, rows }: ExampleTable, format: TableFormat): DownloadedTable {
  const cellOf = (text: string, column: number): TableCell => {
    const type = columns[column]?.type ?? "text";
    if (type === "number" && text !== "") return { decimal: text };
    // Times keep their zone in CSV. A clock in a spreadsheet's cell is the organisation's wall time.
    return type === "time" && text !== "" && format === "xlsx" ? { wallTime: text.replace(/Z$/, "") } : text;
  };
  return {
    columns: columns.map(({ name }) => name),
    rows: (async function* () {
      yield rows.map((cells) => cells.map(cellOf));
    })(),
    texts: new Set(columns.flatMap(({ type }, index) => (type === "text" ? [index] : []))),
  };
}
