// Finds the import and the rows that a correction, a dismissal or a reopening names. openRows.ts says whether those rows are open.
import type { Pool } from "pg";
import { Rejection } from "../../domain/rejection.js";
import type { ImportRequested } from "../../events/importEvents.js";
import type { Stores } from "../../ports/database.js";
import { isShownCompleted, type RejectedRowKey, rejectedLinesOf, rejectedRowsAmong } from "../../queries/lookUps/rejectedRows.js";
import { acceptedActivities } from "../../queries/lookUps/reversals.js";
import { type ImportScope, loadVisibleImport } from "../imports/importStream.js";

export type ImportRef = ImportScope & { readonly organisationId: string };

export type ImportToCorrect = Awaited<ReturnType<typeof loadImportToCorrect>>;

/** Throws notFound for another organisation's import or one of the other kind, and a conflict for an import that has not completed. */
export async function loadImportToCorrect({ pool, eventStore }: Stores, scope: ImportRef) {
  const { importId, state, position } = await loadVisibleImport(eventStore, scope);
  if (state.status === "failed" || state.status === "cancelled")
    throw new Rejection("conflict", `The import is ${state.status} and has written nothing: send all of its rows again`);
  // The callers read its rejected rows from a table, which may be behind the stream.
  if (state.status !== "completed" || !(await isShownCompleted(importId, pool)))
    throw new Rejection("conflict", "The import is still running: its rejected rows can be corrected once it has completed");
  return { request: state.request, position };
}

/** Returns those of the rows that are accepted activities. Rejects row numbers that the import does not have, and accepted shipments. */
export async function acceptedRowsAmong(pool: Pool, { request, position }: ImportToCorrect, rows: readonly number[]): Promise<number[]> {
  const rejected = new Set((await rejectedRowsAmong(position, rows, pool)).map(({ row }) => row));
  const otherRows = rows.filter((row) => !rejected.has(row));
  if (otherRows.length === 0) return [];
  if (request.kind === "shipments")
    throw new Rejection(
      "conflict",
      `${notRejectedSentence(otherRows)}. A shipment that was accepted is corrected by pushing it again: the later push replaces it`,
    );
  const accepted = new Set(await acceptedActivities(position, otherRows, pool));
  const unknownRows = otherRows.filter((row) => !accepted.has(row));
  const sentences = unknownRows.map((row) => `Row ${row} is not a row of this import`);
  if (unknownRows.length > 0) throw new Rejection("conflict", firstSentences(sentences));
  return otherRows;
}

const notRejectedSentence = (rows: readonly number[]): string =>
  firstSentences(rows.map((row) => `Row ${row} is not a rejected row of this import`));

/**
 * Rejects numbers that are not rejected rows, and incomplete shipments: their rejected lines are corrected or dismissed together. Returns
 * the elements of the JSON push that the rows came from. Each element is a separate shipment, even if two have the same shipmentId.
 */
export async function expectWholeShipments(
  pool: Pool,
  { request, position }: ImportToCorrect,
  rows: readonly number[],
): Promise<PushedElements> {
  const wantedRows = new Set(rows);
  const rejectedRows = await rejectedRowsAmong(position, rows, pool);
  const rejectedNumbers = new Set(rejectedRows.map(({ row }) => row));
  const unknownRows = rows.filter((row) => !rejectedNumbers.has(row));
  if (unknownRows.length > 0) throw new Rejection("conflict", notRejectedSentence(unknownRows));
  if (request.kind !== "shipments") return undefined;
  const missingByShipment = new Map<string, number[]>();
  for (const { row, handle } of await rejectedLinesOf(position, rejectedRows, pool))
    if (!wantedRows.has(row)) missingByShipment.set(handle ?? "", [...(missingByShipment.get(handle ?? "") ?? []), row]);
  if (missingByShipment.size === 0) return pushedElements(request, rows, rejectedRows);
  const sentences = [...missingByShipment].map(
    ([handle, missingRows]) =>
      `${handle === "" ? "A shipment without an id" : `Shipment ${handle}`} has more rejected lines: row ${numberList(missingRows)}`,
  );
  throw new Rejection("invalid", `The lines of a shipment are corrected together. ${firstSentences(sentences)}`);
}

export type PushedElements = NonNullable<ImportRequested["corrects"]>["push"];

/** The elements that the rows came from; undefined for rows of a file, and if one was recorded without its element. */
export function pushedElements(
  { importId, corrects }: Pick<ImportRequested, "importId" | "corrects">,
  rows: readonly number[],
  rejectedRows: readonly Pick<RejectedRowKey, "row" | "element">[],
): PushedElements {
  const elementOf = new Map(rejectedRows.map(({ row, element }) => [row, element]));
  const elements = rows.flatMap((row) => elementOf.get(row) ?? []);
  return elements.length === 0 || elements.length < rows.length ? undefined : { importId: corrects?.push?.importId ?? importId, elements };
}

const maxShownNumbers = 50;

export const numberList = (numbers: readonly number[]): string => {
  const more = numbers.length - maxShownNumbers;
  return `${numbers.slice(0, maxShownNumbers).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
};

const maxShownSentences = 20;

/** Joins the first sentences, and says how many more there are. */
export function firstSentences(sentences: readonly string[]): string {
  const more = sentences.length - maxShownSentences;
  return [...sentences.slice(0, maxShownSentences), ...(more > 0 ? [`And ${more} more`] : [])].join(". ");
}
