// Which rows of which import a correction, a dismissal or a reopening is of. Whether they are open is openRows.ts's question.

import type { Pool } from "pg";
import { Rejection } from "../../domain/rejection.js";
import type { ImportRequested } from "../../events/importEvents.js";
import type { Stores } from "../../ports/database.js";
import { isShownCompleted, type RejectedRowName, rejectedLinesOf, rejectedRowsAmong } from "../../queries/lookUps/rejectedRows.js";
import { acceptedActivities } from "../../queries/lookUps/reversals.js";
import { type ImportScope, loadVisibleImport } from "../imports/importStream.js";

export type ImportRef = ImportScope & { readonly organisationId: string };

export type ImportToCorrect = Awaited<ReturnType<typeof completedImport>>;

/** Throws notFound for another organisation's import or one of the other kind, and a conflict for an import that has not completed. */
export async function completedImport({ pool, eventStore }: Stores, scope: ImportRef) {
  const { importId, state, position } = await loadVisibleImport(eventStore, scope);
  if (state.status === "failed" || state.status === "cancelled")
    throw new Rejection("conflict", `The import is ${state.status} and has written nothing: send all of its rows again`);
  // Its rejected rows are read from their table, which may be behind the stream.
  if (state.status !== "completed" || !(await isShownCompleted(importId, pool)))
    throw new Rejection("conflict", "The import is still running: its rejected rows can be corrected once it has completed");
  return { request: state.request, position };
}

/** Those of the rows that are accepted activities of the import. Refuses numbers of no row, and accepted shipments. */
export async function acceptedAmong(pool: Pool, { request, position }: ImportToCorrect, rows: readonly number[]): Promise<number[]> {
  const rejected = new Set((await rejectedRowsAmong(position, rows, pool)).map(({ row }) => row));
  const others = rows.filter((row) => !rejected.has(row));
  if (others.length === 0) return [];
  if (request.kind === "shipments")
    throw new Rejection(
      "conflict",
      `${notRejected(others)}. A shipment that was accepted is corrected by pushing it again: the later push replaces it`,
    );
  const accepted = new Set(await acceptedActivities(position, others, pool));
  const unknown = others.filter((row) => !accepted.has(row));
  if (unknown.length > 0) throw new Rejection("conflict", firstSentences(unknown.map((row) => `Row ${row} is not a row of this import`)));
  return others;
}

const notRejected = (rows: readonly number[]): string =>
  firstSentences(rows.map((row) => `Row ${row} is not a rejected row of this import`));

/**
 * Refuses numbers that are not rejected rows of the import, and a part of a shipment: its rejected lines are corrected or dismissed together.
 * Returns what the rows go back to, where that is a JSON push: there each element is a shipment of its own, also of two with one shipmentId.
 */
export async function expectWholeShipments(
  pool: Pool,
  { request, position }: ImportToCorrect,
  rows: readonly number[],
): Promise<PushedElements> {
  const wanted = new Set(rows);
  const found = await rejectedRowsAmong(position, rows, pool);
  const known = new Set(found.map(({ row }) => row));
  const unknown = rows.filter((row) => !known.has(row));
  if (unknown.length > 0) throw new Rejection("conflict", notRejected(unknown));
  if (request.kind !== "shipments") return undefined;
  const missing = new Map<string, number[]>();
  for (const { row, handle } of await rejectedLinesOf(position, found, pool))
    if (!wanted.has(row)) missing.set(handle ?? "", [...(missing.get(handle ?? "") ?? []), row]);
  if (missing.size === 0) return pushedElements(request, rows, found);
  const sentences = [...missing].map(
    ([handle, left]) => `${handle === "" ? "One" : `Shipment ${handle}`} has more rejected lines: row ${numberList(left)}`,
  );
  throw new Rejection("invalid", `The lines of a shipment are corrected together. ${firstSentences(sentences)}`);
}

export type PushedElements = NonNullable<ImportRequested["corrects"]>["push"];

/** Undefined for rows of a file, and where a row was recorded without its element. */
export function pushedElements(
  { importId, corrects }: Pick<ImportRequested, "importId" | "corrects">,
  rows: readonly number[],
  names: readonly Pick<RejectedRowName, "row" | "element">[],
): PushedElements {
  const elementOf = new Map(names.map(({ row, element }) => [row, element]));
  const elements = rows.flatMap((row) => elementOf.get(row) ?? []);
  return elements.length === 0 || elements.length < rows.length ? undefined : { importId: corrects?.push?.importId ?? importId, elements };
}

const shownNumbers = 50;

export const numberList = (numbers: readonly number[]): string => {
  const more = numbers.length - shownNumbers;
  return `${numbers.slice(0, shownNumbers).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
};

const shownReasons = 20;

/** A sentence for each row, and for the rest their number. */
export function firstSentences(sentences: readonly string[]): string {
  const more = sentences.length - shownReasons;
  return [...sentences.slice(0, shownReasons), ...(more > 0 ? [`And ${more} more rows`] : [])].join(". ");
}
