import type { Location } from "../geography/geography.js";
import { limits } from "../imports/limits.js";
import type { Cell } from "./cells.js";
import { comparableText, createInt32List, createReasonList, createTextList, detachedCopy } from "./compactLists.js";
import { type Fault, fault, type RowReason, reasonOf, refusal } from "./faults.js";
import type { ComparedColumn } from "./shipmentMeaning.js";

export interface ShipmentLine {
  /** The row's number, as messages show it. */
  readonly row: number;
  /** Lines with one key are one shipment; undefined for a line that is a shipment of its own. */
  readonly key: string | undefined;
  /** For a line that first came from a JSON push: the row of its element's first line there, and the shipment id that the line has now. */
  readonly pushElement?: { readonly element: number; readonly shipmentId: string } | undefined;
  readonly faults: readonly Fault[];
  readonly cells: readonly Cell[];
  readonly origin: Location | undefined;
  readonly destination: Location | undefined;
}

/** In place of a reason's number: the list of reasons was full. */
const unlistedReason = -1;
/** The marks of a row with faults, and of one that also exceeds the limit of lines. The faults themselves are found again later. */
const [faultyMark, tooManyMark] = [1, 2];

const tooManyLines = fault("tooManyLines", `A shipment can have at most ${limits.linesPerShipment} goods lines`);

const supersededReason = refusal("Superseded by a later element of its push, which stands before it in this correction");

/** Takes every line of an import once, in row order; a shipment is accepted or rejected whole, wherever its lines stand. */
export function shipmentVerdicts(compared: readonly ComparedColumn[], reasons = createReasonList()) {
  const shipmentOfKey = new Map<string, number>();
  const shipmentOfRow = createInt32List();
  const faultsOfRow = createInt32List();
  const lineCounts = createInt32List();
  const leadReason = createInt32List();
  const leadRow = createInt32List();
  const firstLines = createTextList();
  /** The shipments that came from elements of a push, by their shipmentId, in the order of their first lines. */
  const pushedShipments = new Map<string, { readonly shipment: number; readonly element: number }[]>();
  const superseded = new Set<number>();
  const places = compared.filter((column) => column.writtenPlace);

  const addShipment = (line: ShipmentLine): number => {
    lineCounts.push(0);
    leadReason.push(0);
    leadRow.push(0);
    firstLines.push(line.key === undefined ? "" : comparedTexts(line));
    const shipment = lineCounts.length - 1;
    if (line.pushElement) {
      const id = comparableText(line.pushElement.shipmentId);
      pushedShipments.set(id, [...(pushedShipments.get(id) ?? []), { shipment, element: line.pushElement.element }]);
    }
    return shipment;
  };
  const shipmentFor = (line: ShipmentLine): number => {
    if (line.key === undefined) return addShipment(line);
    const key = comparableText(line.key);
    const known = shipmentOfKey.get(key);
    if (known !== undefined) return known;
    const shipment = addShipment(line);
    shipmentOfKey.set(detachedCopy(key), shipment);
    return shipment;
  };
  /** The line's meaning in the compared columns, and its places as written, separated by NUL. A line with NUL in it is rejected anyway. */
  const comparedTexts = (line: ShipmentLine): string => {
    let texts = "";
    for (const column of compared) texts += marked(column.meaning(line.cells, line.origin, line.destination));
    for (const column of places) texts += marked(column.writtenPlace?.(line.cells));
    return texts.toWellFormed();
  };
  const contradictions = (shipment: number, line: ShipmentLine): ComparedColumn[] => {
    if (compared.length === 0) return [];
    const [firstLine, thisLine] = [firstLines.get(shipment), comparedTexts(line)];
    if (firstLine === thisLine) return [];
    const [firstTexts, texts] = [firstLine.split("\0"), thisLine.split("\0")];
    const canCompare = (index: number) => Boolean(firstTexts[index] && texts[index]);
    const differs = (column: ComparedColumn, index: number) => {
      const place = places.indexOf(column);
      const at = canCompare(index) || place === -1 ? index : compared.length + place;
      return canCompare(at) && firstTexts[at] !== texts[at];
    };
    return compared.filter(differs);
  };
  const faultsFor = (shipment: number, line: ShipmentLine, isFirst: boolean, isTooMany: boolean): Fault[] => {
    const faults = [...line.faults];
    const columns = isFirst ? [] : contradictions(shipment, line);
    if (columns.length > 0) {
      const sentence = `Contradicts the first line of its shipment in column(s): ${columns.map(({ name }) => name).join(", ")}`;
      faults.push(fault("contradiction", sentence, ...columns.map(({ field }) => field)));
    }
    if (isTooMany) faults.push(tooManyLines);
    return faults;
  };
  /** Finds the faults of a row again. A shipment's first line is then compared with itself, and a line without a key with none. */
  const reasonAgain = (shipment: number, line: ShipmentLine, isTooMany: boolean): RowReason =>
    reasonOf(faultsFor(shipment, line, line.key === undefined, isTooMany));
  /** Of two faultless elements with one shipmentId, the later one in the push wins, in whatever order a correction has them. */
  const rejectSuperseded = () => {
    for (const shipments of pushedShipments.values()) {
      let last = 0;
      for (const { shipment, element } of shipments) {
        if (leadReason.get(shipment) !== 0) continue;
        if (element > last) last = element;
        else superseded.add(shipment);
      }
    }
  };
  const isAccepted = (shipment: number) => leadReason.get(shipment) === 0 && !superseded.has(shipment);
  return {
    add(line: ShipmentLine): void {
      const shipment = shipmentFor(line);
      const count = lineCounts.get(shipment) + 1;
      lineCounts.set(shipment, count);
      const isTooMany = count > limits.linesPerShipment;
      const faults = faultsFor(shipment, line, count === 1, isTooMany);
      shipmentOfRow.push(shipment);
      faultsOfRow.push(faults.length === 0 ? 0 : isTooMany ? tooManyMark : faultyMark);
      if (faults.length === 0 || leadReason.get(shipment) !== 0) return;
      leadReason.set(shipment, reasons.numberOf(reasonOf(faults).reason) ?? unlistedReason);
      leadRow.set(shipment, line.row);
    },
    /** The verdicts by row, counted from 0. `shipmentOf` is the number of an accepted row's shipment, from 1; 0 if the row is rejected. */
    close() {
      rejectSuperseded();
      let accepted = 0;
      for (let shipment = 0; shipment < lineCounts.length; shipment += 1) {
        if (!isAccepted(shipment)) continue;
        accepted += 1;
        lineCounts.set(shipment, accepted); // reuses the list: it has the shipments' numbers from now on
      }
      return {
        rows: shipmentOfRow.length,
        shipments: accepted,
        shipmentOf: (row: number): number => (isAccepted(shipmentOfRow.get(row)) ? lineCounts.get(shipmentOfRow.get(row)) : 0),
        /** Calls `line` only if the row has faults of its own. */
        reasonOf(ordinal: number, line: () => ShipmentLine): RowReason | undefined {
          const mark = faultsOfRow.get(ordinal);
          const shipment = shipmentOfRow.get(ordinal);
          if (mark !== 0) return reasonAgain(shipment, line(), mark === tooManyMark);
          if (superseded.has(shipment)) return supersededReason;
          const lead = leadReason.get(shipment);
          if (lead === 0) return undefined;
          const row = leadRow.get(shipment);
          const reason = lead > 0 ? reasons.get(lead) : `the reason is at row ${row}`;
          return { reason: `Rejected with its shipment: ${reason}`, faults: [], lead: row };
        },
      };
    },
  };
}

/** Begins a text that can be compared with a mark, so that a blank text differs from an unknown one. */
const marked = (text: string | undefined): string => (text === undefined ? "\0" : `=${comparableText(text)}\0`);
