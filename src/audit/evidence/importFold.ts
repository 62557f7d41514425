// Folds one import from its stream, event by event. Memory grows with the rows only where shipments are asked for, until the import ends.

import { decodeOn, type RecordedOn, UnreadableEvent } from "../../events/codec.js";
import type { ImportCompleted, ImportEnding, RowAccepted } from "../../events/importEvents.js";
import { type ImportEvent, requestedRevision, startedRevision } from "../../events/importLayout.js";
import { streamPrefix } from "../../events/streams.js";
import type { StoredEvent } from "../../ports/eventStore.js";

interface FoldedShipment {
  /** As the worker numbered it in the import. */
  readonly number: number;
  readonly shipmentId: string;
  readonly rows: number[];
}

export type ImportFold = ReturnType<typeof newImportFold>;

/** `whole`: with the shipments. */
export const newImportFold = (stream: string, { whole }: { whole: boolean }) => ({
  importId: stream.slice(streamPrefix.import.length),
  requested: undefined as ImportEvent<"ImportRequested"> | undefined,
  started: undefined as ImportEvent<"ImportStarted"> | undefined,
  ended: undefined as ImportEvent<ImportEnding> | undefined,
  /** The revision of the last folded event; -1n before the first. */
  revision: -1n,
  accepted: 0,
  rejected: 0,
  lastRow: 0,
  /** Of an import that corrects activities: the numbers of its accepted rows, which are few. */
  acceptedNumbers: new Set<number>(),
  /** The numbers that the worker gave to the shipments, by what makes lines one shipment (see `groupOf`). */
  shipmentNumbers: new Map<string, number>(),
  lastNumber: 0,
  /** By the same key. Undefined when the caller does not need the shipments. */
  shipments: whole ? new Map<string, FoldedShipment>() : undefined,
  /** What is wrong with the stream, such as a missing event; the first few. */
  faults: [] as string[],
  faultCount: 0,
});

const shownFaults = 20;

function fault(fold: ImportFold, sentence: string): void {
  fold.faultCount += 1;
  if (fold.faults.length < shownFaults) fold.faults.push(sentence);
}

/** Undefined for an event of an unknown type and for one that cannot be read, which are faults of the stream. */
export function foldEvent(fold: ImportFold, stored: StoredEvent): ImportEvent | undefined {
  if (stored.revision !== fold.revision + 1n)
    fault(fold, `revision ${stored.revision} follows revision ${fold.revision}: events are missing`);
  fold.revision = stored.revision;
  if (fold.ended) fault(fold, `${stored.type} at revision ${stored.revision} comes after the import's end`);
  const event = readEvent("import", stored, (sentence) => fault(fold, sentence));
  if (event) foldKnown(fold, event);
  return event;
}

function foldKnown(fold: ImportFold, event: ImportEvent): void {
  const { revision } = event;
  switch (event.type) {
    case "ImportRequested":
      if (revision !== requestedRevision) fault(fold, `ImportRequested stands at revision ${revision}, not 0`);
      if (event.data.importId !== fold.importId) fault(fold, `ImportRequested names import ${event.data.importId}`);
      fold.requested ??= event;
      return;
    case "ImportStarted":
      if (revision !== startedRevision) fault(fold, `ImportStarted stands at revision ${revision}, not 1`);
      fold.started ??= event;
      return;
    case "RowAccepted":
      foldAccepted(fold, event.data, revision);
      return;
    case "RowRejected":
      checkRow(fold, event.data.row, revision);
      fold.rejected += 1;
      return;
    case "ImportCompleted":
      checkCounts(fold, event.data);
      fold.ended ??= event;
      return;
    case "ImportFailed":
    case "ImportCancelled":
      fold.ended ??= event;
      return;
  }
  event satisfies never;
}

const kindOf = (fold: ImportFold) => fold.requested?.data.kind ?? "activities";

/** One outcome per row, in row order. */
function checkRow(fold: ImportFold, row: number, revision: bigint): void {
  if (!fold.started) fault(fold, `row ${row} at revision ${revision} comes before ImportStarted`);
  if (row === fold.lastRow) fault(fold, `row ${row} has a second outcome at revision ${revision}`);
  else if (row < fold.lastRow) fault(fold, `row ${row} at revision ${revision} comes after row ${fold.lastRow}`);
  fold.lastRow = Math.max(fold.lastRow, row);
}

function foldAccepted(fold: ImportFold, data: RowAccepted, revision: bigint): void {
  checkRow(fold, data.row, revision);
  fold.accepted += 1;
  if (kindOf(fold) === "activities") {
    if (fold.requested?.data.corrects) fold.acceptedNumbers.add(data.row);
    return;
  }
  const group = groupOf(fold, data);
  checkNumber(fold, data, group);
  const known = fold.shipments?.get(group);
  if (known) known.rows.push(data.row);
  else fold.shipments?.set(group, { number: numberOf(data), shipmentId: shipmentIdOf(data), rows: [data.row] });
}

const shipmentIdOf = ({ values }: RowAccepted): string => String((values as Record<string, unknown>)["shipmentId"]);
export const numberOf = ({ shipment, row }: RowAccepted): number => shipment ?? row;

/**
 * What makes lines one shipment: their id, not the number that the worker gave them. Two elements of a JSON push with the same id are two
 * shipments: there the number tells these apart, and in a correction the element that a row goes back to.
 */
export function groupOf({ requested }: ImportFold, data: RowAccepted): string {
  const shipmentId = shipmentIdOf(data);
  const { source, corrects } = requested?.data ?? {};
  const byElement = source === "data" && corrects === undefined;
  if (byElement || data.shipment === undefined) return `${numberOf(data)} ${shipmentId}`;
  return corrects?.push ? `${corrects.push.elements[data.row - 1]} ${shipmentId}` : shipmentId;
}

/** A worker numbers the shipments in the order of their first lines. */
function checkNumber(fold: ImportFold, data: RowAccepted, group: string): void {
  const number = numberOf(data);
  const known = fold.shipmentNumbers.get(group);
  const line = `row ${data.row} is a line of shipment ${shipmentIdOf(data)}`;
  if (known === undefined) {
    if (number <= fold.lastNumber) fault(fold, `${line}, but has the number of another shipment, ${number}`);
    fold.shipmentNumbers.set(group, number);
    fold.lastNumber = Math.max(fold.lastNumber, number);
  } else if (known !== number) fault(fold, `${line}, which has number ${known}, but has number ${number}`);
}

/** The counts by the stream's rows. */
export function recountRows(fold: ImportFold): { received: number; processed: number; failed: number } {
  const processed = kindOf(fold) === "activities" ? fold.accepted : fold.shipmentNumbers.size;
  return { received: fold.accepted + fold.rejected, processed, failed: fold.rejected };
}

function checkCounts(fold: ImportFold, { counts }: ImportCompleted): void {
  const own = recountRows(fold);
  for (const name of ["received", "processed", "failed"] as const) {
    if (counts[name] !== own[name]) fault(fold, `ImportCompleted says ${counts[name]} ${name}, the stream has ${own[name]}`);
  }
}

/** Reports an event of an unknown type and one that cannot be read, and gives undefined for it. */
export function readEvent<S extends Parameters<typeof decodeOn>[0]>(
  kind: S,
  stored: StoredEvent,
  report: (fault: string) => void,
): RecordedOn<S> | undefined {
  try {
    const event = decodeOn(kind, stored);
    if (!event) report(`${stored.type} at revision ${stored.revision} is unknown`);
    return event;
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    report(error.message);
    return undefined;
  }
}
