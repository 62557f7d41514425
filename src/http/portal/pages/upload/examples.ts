import { hash } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ExampleTable, exampleTable } from "../../../../domain/files/exampleFile.js";
import { type ImportKind, importKinds } from "../../../../events/importEvents.js";
import type { CsvCell } from "../../../../ports/spreadsheets.js";
import { recentCodes } from "../../../../queries/activities/activityCodes.js";
import type { Upload } from "../../../server/receiveUpload.js";
import { csvPieces, type DownloadedTable, downloadTable, inOneBatch, type TableFormat } from "../../downloads.js";
import { defineAnswer, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { currentCatalogue } from "../customers.js";
import { uploadPath } from "./drafts.js";

export const exampleFormats = ["csv", "xlsx"] as const;
export const examplePath = (kind: ImportKind, type: (typeof exampleFormats)[number]) => `${uploadPath}/examples/${kind}.${type}`;

export const exampleFileAnswers = importKinds.flatMap((kind) =>
  exampleFormats.map((format) =>
    defineAnswer(examplePath(kind, format), "operate", async (visit, deps) => {
      const example = await exampleOf(kind, visit, deps);
      return downloadTable(visit, deps, { name: exampleName(kind), sheet: kind, format, table: () => tableOf(example, format) });
    }),
  ),
);

const exampleName = (kind: ImportKind) => `example-${kind}`;

async function exampleOf(kind: ImportKind, visit: SignedInVisit, deps: PortalDeps): Promise<ExampleTable> {
  const { catalogue, now } = await currentCatalogue(visit, deps);
  const codes = await recentCodes(visit.person.organisationId, deps.pool);
  return exampleTable(kind, { catalogue, geography: deps.geography, now, ...codes });
}

/** The example file as if it had been uploaded. The caller removes the upload's folder. */
export async function exampleUpload(kind: ImportKind, visit: SignedInVisit, deps: PortalDeps): Promise<Upload> {
  const pieces: Uint8Array[] = [];
  for await (const piece of csvPieces(deps.spreadsheets, tableOf(await exampleOf(kind, visit, deps), "csv")))
    pieces.push(Buffer.from(piece));
  const bytes = Buffer.concat(pieces);
  const folder = await mkdtemp(join(deps.tempDir, "upload-"));
  const path = join(folder, "file");
  await writeFile(path, bytes);
  const name = `${exampleName(kind)}.csv`;
  const sha256 = hash("sha256", bytes);
  return { folder, path, name, size: bytes.length, sha256, sourceDetails: name, fields: new Map([["kind", kind]]) };
}

function tableOf({ columns, rows }: ExampleTable, format: TableFormat): DownloadedTable {
  const cellOf = (text: string, column: number): CsvCell => {
    const type = columns[column]?.type ?? "text";
    if (type === "number" && text !== "") return { decimal: text };
    // In CSV a time keeps its zone. A workbook's cell has no zone: its time is read as wall time of the organisation.
    return type === "time" && text !== "" && format === "xlsx" ? { wallTime: text.replace(/Z$/, "") } : text;
  };
  return {
    columns: columns.map(({ name }) => name),
    rows: inOneBatch(rows.map((cells) => cells.map(cellOf))),
    textColumns: new Set(columns.flatMap(({ type }, index) => (type === "text" ? [index] : []))),
  };
}
