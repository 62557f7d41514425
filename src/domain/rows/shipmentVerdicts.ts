import type { Location } from "../geography/geography.js";
import { limits } from "../imports/limits.js";
import type { Cell } from "./cells.js";
import { growingInts, hashText } from "./growing.js";
import { keyNumbers } from "./keyNumbers.js";
import type { ComparedColumn } from "./shipmentMeaning.js";

export interface SeenLine {
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
  reasonOf(row: number): string | undefined;
}

export interface VerdictBuilder {
  add(line: SeenLine): void;
  close(): ShipmentVerdicts;
}

const tooManyLines = `A shipment can have at most ${limits.linesPerShipment} goods lines`;

/** Takes every line of an import once, in row order; a shipment is accepted or rejected whole, wherever its lines stand. */
export function shipmentVerdicts(compared: readonly ComparedColumn[]): VerdictBuilder {
  const reasons = knownReasons();
  const keys = keyNumbers();
  const shipmentOfRow = growingInts();
  const reasonOfRow = growingInts();
  const numberOfKey = growingInts();
  const lines = growingInts();
  const leadReason = growingInts();
  const meanings = growingInts();
  const meaningsAt = growingInts();
  const places = compared.filter((column) => column.written);
  const writings = growingInts();

  const begin = (line: SeenLine): number => {
    lines.push(0);
    leadReason.push(0);
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
  return {
    add(line) {
      const shipment = shipmentFor(line);
      const count = lines.get(shipment) + 1;
      lines.set(shipment, count);
      const faults = line.reason === undefined ? [] : [line.reason];
      const columns = count > 1 ? contradictions(shipment, line) : [];
      if (columns.length > 0) faults.push(`Contradicts the first line of its shipment in column(s): ${columns.join(", ")}`);
      if (count > limits.linesPerShipment) faults.push(tooManyLines);
      const reason = faults.length === 0 ? 0 : reasons.idOf(faults.join("; "));
      shipmentOfRow.push(shipment);
      reasonOfRow.push(reason);
      if (leadReason.get(shipment) === 0) leadReason.set(shipment, reason);
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
        reasonOf(row) {
          const own = reasonOfRow.get(row);
          if (own !== 0) return reasons.text(own);
          const lead = leadReason.get(shipmentOfRow.get(row));
          return lead === 0 ? undefined : `Rejected with its shipment: ${reasons.text(lead)}`;
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

/** Reasons are few and rows are many: each text is kept once. */
function knownReasons(): { idOf(reason: string): number; text(id: number): string } {
  const ids = new Map<string, number>();
  const texts = [""];
  return {
    idOf(reason) {
      const known = ids.get(reason);
      if (known !== undefined) return known;
      ids.set(reason, texts.length);
      return texts.push(reason) - 1;
    },
    text: (id) => texts[id] ?? "",
  };
}
