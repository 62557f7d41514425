// Folds one import from its stream, event by event. The memory grows with the shipments, and with their rows only if the caller needs them.
import { decodeOn, type RecordedEventOn, UnreadableEvent } from "../../events/codec.js";
import type { ImportCompleted, ImportEnding, RowAccepted } from "../../events/importEvents.js";
import { type RecordedImportEvent, requestedRevision, startedRevision } from "../../events/importLayout.js";
import { streamPrefix } from "../../events/streams.js";
import type { StoredEvent } from "../../ports/eventStore.js";

interface FoldedShipment {
  /** The number that the worker gave the shipment in the import. */
  readonly number: number;
  readonly shipmentId: string;
  readonly rows: number[];
}

export type ImportFold = ReturnType<typeof newImportFold>;

/** `withShipments`: whether to keep each shipment with its row numbers. */
export const newImportFold = (stream: string, { withShipments }: { withShipments: boolean }) => ({
  importId: stream.slice(streamPrefix.import.length),
  requested: undefined as RecordedImportEvent<"ImportRequested"> | undefined,
  started: undefined as RecordedImportEvent<"ImportStarted"> | undefined,
  ended: undefined as RecordedImportEvent<ImportEnding> | undefined,
  /** The revision of the last folded event; -1n before the first. */
  revision: -1n,
  accepted: 0,
  rejected: 0,
  lastRow: 0,
  /** The numbers of the accepted rows. Kept only for an import that corrects activities, which has few rows. */
  acceptedRows: new Set<number>(),
  /** The worker's number for each shipment. The keys are those of `shipmentGroupOf`. */
  shipmentNumbers: new Map<string, number>(),
  lastShipmentNumber: 0,
  /** The keys are those of `shipmentGroupOf`. Undefined without `withShipments`. */
  shipments: withShipments ? new Map<string, FoldedShipment>() : undefined,
  /** What is wrong with the stream, such as a missing event. Only the first few are kept. */
  faults: [] as string[],
  faultCount: 0,
});

const maxKeptFaults = 20;

function addFault(fold: ImportFold, sentence: string): void {
  fold.faultCount += 1;
  if (fold.faults.length < maxKeptFaults) fold.faults.push(sentence);
}

/** Returns the decoded event. Notes a fault and returns undefined if the event's type is unknown or the event cannot be read. */
export function foldEvent(fold: ImportFold, stored: StoredEvent): RecordedImportEvent | undefined {
  if (stored.revision !== fold.revision + 1n)
    addFault(fold, `revision ${stored.revision} follows revision ${fold.revision}: events are missing`);
  fold.revision = stored.revision;
  if (fold.ended) addFault(fold, `${stored.type} at revision ${stored.revision} comes after the import's end`);
  const event = readEvent("import", stored, (sentence) => addFault(fold, sentence));
  if (event) foldKnownEvent(fold, event);
  return event;
}

function foldKnownEvent(fold: ImportFold, event: RecordedImportEvent): void {
  const { revision } = event;
  switch (event.type) {
    case "ImportRequested":
      if (revision !== requestedRevision) addFault(fold, `ImportRequested stands at revision ${revision}, not 0`);
      if (event.data.importId !== fold.importId) addFault(fold, `ImportRequested names import ${event.data.importId}`);
      fold.requested ??= event;
      return;
    case "ImportStarted":
      if (revision !== startedRevision) addFault(fold, `ImportStarted stands at revision ${revision}, not 1`);
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

/** Every row must have one outcome, in row order. */
function checkRow(fold: ImportFold, row: number, revision: bigint): void {
  if (!fold.started) addFault(fold, `row ${row} at revision ${revision} comes before ImportStarted`);
  if (row === fold.lastRow) addFault(fold, `row ${row} has a second outcome at revision ${revision}`);
  else if (row < fold.lastRow) addFault(fold, `row ${row} at revision ${revision} comes after row ${fold.lastRow}`);
  fold.lastRow = Math.max(fold.lastRow, row);
}

function foldAccepted(fold: ImportFold, data: RowAccepted, revision: bigint): void {
  checkRow(fold, data.row, revision);
  fold.accepted += 1;
  if (kindOf(fold) === "activities") {
    if (fold.requested?.data.corrects) fold.acceptedRows.add(data.row);
    return;
  }
  const group = shipmentGroupOf(fold, data);
  checkShipmentNumber(fold, data, group);
  const shipment = fold.shipments?.get(group);
  if (shipment) shipment.rows.push(data.row);
  else fold.shipments?.set(group, { number: shipmentNumberOf(data), shipmentId: shipmentIdOf(data), rows: [data.row] });
}

const shipmentIdOf = ({ values }: RowAccepted): string => String((values as Record<string, unknown>)["shipmentId"]);
export const shipmentNumberOf = ({ shipment, row }: RowAccepted): number => shipment ?? row;

/**
 * The key that the lines of one shipment have in common: the shipment's id, not the worker's number. Two elements of a JSON push with one
 * id are two shipments, so the key of a pushed line also has the number, and the key of a corrected line the element that it came from.
 */
export function shipmentGroupOf({ requested }: ImportFold, data: RowAccepted): string {
  const shipmentId = shipmentIdOf(data);
  const { source, corrects } = requested?.data ?? {};
  const byElement = source === "data" && corrects === undefined;
  if (byElement || data.shipment === undefined) return `${shipmentNumberOf(data)} ${shipmentId}`;
  return corrects?.push ? `${corrects.push.elements[data.row - 1]} ${shipmentId}` : shipmentId;
}

/** A worker numbers the shipments in the order of their first lines. */
function checkShipmentNumber(fold: ImportFold, data: RowAccepted, group: string): void {
  const number = shipmentNumberOf(data);
  const known = fold.shipmentNumbers.get(group);
  const line = `row ${data.row} is a line of shipment ${shipmentIdOf(data)}`;
  if (known === undefined) {
    if (number <= fold.lastShipmentNumber) addFault(fold, `${line}, but has the number of another shipment, ${number}`);
    fold.shipmentNumbers.set(group, number);
    fold.lastShipmentNumber = Math.max(fold.lastShipmentNumber, number);
  } else if (known !== number) addFault(fold, `${line}, which has number ${known}, but has number ${number}`);
}

/** The import's counts, from the rows of its stream. */
export function recountRows(fold: ImportFold): { received: number; processed: number; failed: number } {
  const processed = kindOf(fold) === "activities" ? fold.accepted : fold.shipmentNumbers.size;
  return { received: fold.accepted + fold.rejected, processed, failed: fold.rejected };
}

function checkCounts(fold: ImportFold, { counts }: ImportCompleted): void {
  const recounted = recountRows(fold);
  for (const name of ["received", "processed", "failed"] as const) {
    if (counts[name] !== recounted[name]) addFault(fold, `ImportCompleted says ${counts[name]} ${name}, the stream has ${recounted[name]}`);
  }
}

/** Decodes an event. If its type is unknown or it cannot be read, reports that and returns undefined. */
export function readEvent<S extends Parameters<typeof decodeOn>[0]>(
  kind: S,
  stored: StoredEvent,
  report: (fault: string) => void,
): RecordedEventOn<S> | undefined {
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
