import type { Location } from "../geography/geography.js";
import { limits } from "../imports/limits.js";
import type { Cell } from "./cells.js";
import { growingInts } from "./growingInts.js";
import { hashText } from "./hashText.js";
import { keptReasons } from "./keptReasons.js";
import { keyNumbers } from "./keyNumbers.js";
import type { ComparedColumn } from "./shipmentMeaning.js";

export interface SeenLine {
  /** The row's number, as messages show it. */
  readonly row: number;
  /** What makes lines one shipment; undefined for a line that stands alone. */
  readonly key: string | undefined;
  readonly reason: string | undefined;
  readonly cells: readonly Cell[];
  readonly origin: Location | undefined;
  readonly destination: Location | undefined;
}

/** By row, counted from 0: the shipment it is a line of, counted from 1 among those to be written, or why it is rejected. */
export interface ShipmentVerdicts {
  readonly rows: number;
  readonly shipments: number;
  shipmentOf(row: number): number;
  /** `line` is asked for only where the reason was not kept. */
  reasonOf(row: number, line: () => SeenLine): string | undefined;
}

export interface VerdictBuilder {
  add(line: SeenLine): void;
  close(): ShipmentVerdicts;
}

/** Stand for a reason that was not kept. The second one also says that the shipment has too many lines. */
const notKept = -1;
const notKeptAndTooMany = -2;

const tooManyLines = `A shipment can have at most ${limits.linesPerShipment} goods lines`;

/** Takes every line of an import once, in row order; a shipment is accepted or rejected whole, wherever its lines stand. */
export function shipmentVerdicts(compared: readonly ComparedColumn[], reasons = keptReasons()): VerdictBuilder {
  const keys = keyNumbers();
  const shipmentOfRow = growingInts();
  const reasonOfRow = growingInts();
  const numberOfKey = growingInts();
  const lines = growingInts();
  const leadReason = growingInts();
  const leadRow = growingInts();
  const meanings = growingInts();
  const meaningsAt = growingInts();
  const places = compared.filter((column) => column.written);
  const writings = growingInts();

  const begin = (line: SeenLine): number => {
    lines.push(0);
    leadReason.push(0);
    leadRow.push(0);
    meaningsAt.push(meanings.length);
    if (line.key !== undefined) {
      for (const column of compared) meanings.push(meaningOf(column, line));
      for (const column of places) writings.push(writingOf(column, line));
    }
    return lines.length - 1;
  };
  const shipmentFor = (line: SeenLine): number => {
    if (line.key === undefined) return begin(line);
    const number = keys.numberOf(line.key);
    if (number < numberOfKey.length) return numberOfKey.get(number);
    const shipment = begin(line);
    numberOfKey.push(shipment);
    return shipment;
  };
  const contradictions = (shipment: number, line: SeenLine): string[] => {
    const first = meaningsAt.get(shipment);
    const differs = (column: ComparedColumn, index: number) => {
      const [meant, means] = [meanings.get(first + index), meaningOf(column, line)];
      if (meant !== 0 && means !== 0) return meant !== means;
      const place = places.indexOf(column);
      if (place === -1) return false;
      const [wrote, writes] = [writings.get((first / compared.length) * places.length + place), writingOf(column, line)];
      return wrote !== 0 && writes !== 0 && wrote !== writes;
    };
    return compared.filter(differs).map((column) => column.name);
  };
  const reasonFor = (shipment: number, line: SeenLine, isFirst: boolean, isTooMany: boolean): string => {
    const faults = line.reason === undefined ? [] : [line.reason];
    const columns = isFirst ? [] : contradictions(shipment, line);
    if (columns.length > 0) faults.push(`Contradicts the first line of its shipment in column(s): ${columns.join(", ")}`);
    if (isTooMany) faults.push(tooManyLines);
    return faults.join("; ");
  };
  /** A shipment's first line may be compared with itself. A line without a key has nothing to be compared with. */
  const reasonAgain = (shipment: number, line: SeenLine, isTooMany: boolean): string =>
    reasonFor(shipment, line, line.key === undefined, isTooMany);
  return {
    add(line) {
      const shipment = shipmentFor(line);
      const count = lines.get(shipment) + 1;
      lines.set(shipment, count);
      const isTooMany = count > limits.linesPerShipment;
      const text = reasonFor(shipment, line, count === 1, isTooMany);
      const reason = text === "" ? 0 : (reasons.numberOf(text) ?? (isTooMany ? notKeptAndTooMany : notKept));
      shipmentOfRow.push(shipment);
      reasonOfRow.push(reason);
      if (reason === 0 || leadReason.get(shipment) !== 0) return;
      leadReason.set(shipment, reason);
      leadRow.set(shipment, line.row);
    },
    close() {
      let written = 0;
      for (let shipment = 0; shipment < lines.length; shipment += 1) {
        if (leadReason.get(shipment) !== 0) continue;
        written += 1;
        lines.set(shipment, written); // from here on its number, no longer its count of lines
      }
      return {
        rows: shipmentOfRow.length,
        shipments: written,
        shipmentOf: (row) => (leadReason.get(shipmentOfRow.get(row)) === 0 ? lines.get(shipmentOfRow.get(row)) : 0),
        reasonOf(row, line) {
          const own = reasonOfRow.get(row);
          if (own > 0) return reasons.text(own);
          const shipment = shipmentOfRow.get(row);
          if (own < 0) return reasonAgain(shipment, line(), own === notKeptAndTooMany);
          const lead = leadReason.get(shipment);
          if (lead === 0) return undefined;
          return `Rejected with its shipment: ${lead > 0 ? reasons.text(lead) : `the reason is at row ${leadRow.get(shipment)}`}`;
        },
      };
    },
  };
}

const meaningOf = (column: ComparedColumn, line: SeenLine): number =>
  hashOrNothing(column.meaning(line.cells, line.origin, line.destination));
const writingOf = (column: ComparedColumn, line: SeenLine): number => hashOrNothing(column.written?.(line.cells));

/** 0 where there is nothing to compare. */
const hashOrNothing = (text: string | undefined): number => (text === undefined ? 0 : hashText(text, 0) || 1);
