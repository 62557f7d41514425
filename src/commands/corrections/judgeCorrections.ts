import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import { matchImportHeader } from "../../domain/files/header.js";
import type { Geography } from "../../domain/geography/geography.js";
import { type CorrectionSources, correctedRows, correctedTable, correctionFaults } from "../../domain/pushes/correctedFile.js";
import type { CorrectionPush } from "../../domain/pushes/importPushes.js";
import { fault, type RowReason, reasonOf } from "../../domain/rows/faults.js";
import { rowContext } from "../../domain/rows/rowContext.js";
import { decimalMarkOf, type ImportKind } from "../../events/importEvents.js";
import type { OpenSubmission } from "../../judging/openSubmission.js";
import { prepareRows } from "../../judging/prepareRows.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { FileRow, ReadProgress } from "../../ports/spreadsheets.js";
import type { RejectedRowKey } from "../../queries/lookUps/rejectedRows.js";
import { readImportRequest } from "../imports/importStream.js";
import { pushedElements } from "./correctableRows.js";

interface RowsToJudge extends CorrectionPush, Pick<CorrectionSources, "sentValues" | "acceptedRows"> {
  /** The import whose rows are corrected. */
  readonly importId: string;
  readonly kind: ImportKind;
  readonly catalogue: Catalogue;
  /** The elements of the JSON push that rejected rows came from. */
  readonly names?: readonly Pick<RejectedRowKey, "row" | "element">[];
}

/** By row: why a worker would reject the corrected row today; undefined if it would accept the row. Writes nothing. */
export async function judgeCorrections(
  push: RowsToJudge,
  { geography, eventStore }: { readonly geography: Geography; readonly eventStore: EventStore },
): Promise<Map<number, RowReason | undefined>> {
  const { importId, kind, catalogue, names = [] } = push;
  if (push.rows.length === 0) return new Map();
  const correctedRequest = await readImportRequest(eventStore, importId);
  const decimal = correctedRequest && decimalMarkOf(correctedRequest);
  const sources = { ...push, customFieldKeys: catalogue.customFieldKeys, decimal };
  const numbers = push.rows.map(({ row }) => row);
  // A row that the API would not accept counts as refused, so that the other lines of its shipment are rejected with it.
  const refusals = new Map(
    push.rows.flatMap((each, ordinal) => {
      const faults = [...correctionFaults(each, sources)].map(({ column, field, problem }) =>
        fault("refused", `${column ?? "The row"} ${problem}`, ...(field === undefined ? [] : [field])),
      );
      return faults.length === 0 ? [] : [[ordinal, reasonOf(faults)] as const];
    }),
  );
  const [header = [], ...records] = correctedTable(correctedRows(push, sources), kind);
  const columns = matchImportHeader(header.map(String), { kind, source: "data", customFieldKeys: catalogue.customFieldKeys });
  if (!columns.ok) throw new Error(columns.message);
  const rows = records.map((cells, index): FileRow => ({ row: index + 2, cells: cells.map((cell) => cell ?? ""), fault: null }));
  const request = {
    kind,
    source: "data",
    corrects: { importId, rows: numbers, push: pushedElements({ importId }, numbers, names) },
    file: { name: "rows.csv", format: "csv" },
  } as const;
  const submission = inMemorySubmission({ names: columns.names, fields: columns.fields, decimal }, rows);
  const context = rowContext(catalogue, geography);
  const prepared = await prepareRows({ request, submission, context, refusals, onProgress: async () => undefined });
  return new Map(
    rows.map((row, ordinal) => {
      const verdict = prepared.verdict(row, ordinal);
      return [numbers[ordinal] ?? 0, verdict.reason === undefined ? undefined : verdict];
    }),
  );
}

const readProgress: ReadProgress = { bytesRead: 1, bytesTotal: 1, notes: [] };

const inMemorySubmission = (columns: OpenSubmission["columns"], rows: readonly FileRow[]): OpenSubmission => ({
  columns,
  headings: columns.names,
  reportedColumns: columns,
  notes: [],
  read: async function* () {
    yield { ...readProgress, rows };
  },
  readAgain: async function* () {
    yield { rows };
  },
});
