import type { Location } from "../geography/geography.js";
import { limits } from "../imports/limits.js";
import type { Cell } from "./cells.js";
import { comparableText, copyOf, createIntList, createReasonList, createTextList } from "./compactLists.js";
import { type Fault, fault, type RowReason, reasonOf, refusal } from "./faults.js";
import type { ComparedColumn } from "./shipmentMeaning.js";

export interface SeenLine {
  /** The row's number, as messages show it. */
  readonly row: number;
  /** What makes lines one shipment; undefined for a line that stands alone. */
  readonly key: string | undefined;
  /** Where the line goes back to an element of a JSON push: its place there, and the shipment that it names now. */
  readonly write?: { readonly element: number; readonly shipmentId: string } | undefined;
  readonly faults: readonly Fault[];
  readonly cells: readonly Cell[];
  readonly origin: Location | undefined;
  readonly destination: Location | undefined;
}

/** Stands for the reason of a line at fault that was not kept. */
const notKept = -1;
/** What is kept of a row: it has faults, or has them and is a line too many. The faults themselves are found again. */
const [isFaulty, isTooManyToo] = [1, 2];

const tooManyLines = fault("tooManyLines", `A shipment can have at most ${limits.linesPerShipment} goods lines`);

const overtaken = refusal("Superseded by a later element of its push, which stands before it in this correction");

/** Takes every line of an import once, in row order; a shipment is accepted or rejected whole, wherever its lines stand. */
export function shipmentVerdicts(compared: readonly ComparedColumn[], reasons = createReasonList()) {
  const shipmentOfKey = new Map<string, number>();
  const shipmentOfRow = createIntList();
  const faultsOfRow = createIntList();
  const lines = createIntList();
  const leadReason = createIntList();
  const leadRow = createIntList();
  const firstLines = createTextList();
  /** By the id that they name: the shipments that go back to elements of a push, in the order of their first lines. */
  const writes = new Map<string, { readonly shipment: number; readonly element: number }[]>();
  const isOvertaken = new Set<number>();
  const places = compared.filter((column) => column.written);

  const begin = (line: SeenLine): number => {
    lines.push(0);
    leadReason.push(0);
    leadRow.push(0);
    firstLines.push(line.key === undefined ? "" : comparedTexts(line));
    const shipment = lines.length - 1;
    if (line.write) {
      const id = comparableText(line.write.shipmentId);
      writes.set(id, [...(writes.get(id) ?? []), { shipment, element: line.write.element }]);
    }
    return shipment;
  };
  const shipmentFor = (line: SeenLine): number => {
    if (line.key === undefined) return begin(line);
    const key = comparableText(line.key);
    const known = shipmentOfKey.get(key);
    if (known !== undefined) return known;
    const shipment = begin(line);
    shipmentOfKey.set(copyOf(key), shipment);
    return shipment;
  };
  /** What the line means in the compared columns, and how it writes its places. A line with NUL in it is rejected, whatever it means. */
  const comparedTexts = (line: SeenLine): string => {
    let texts = "";
    for (const column of compared) texts += marked(column.meaning(line.cells, line.origin, line.destination));
    for (const column of places) texts += marked(column.written?.(line.cells));
    return texts.toWellFormed();
  };
  const contradictions = (shipment: number, line: SeenLine): ComparedColumn[] => {
    if (compared.length === 0) return [];
    const [first, own] = [firstLines.get(shipment), comparedTexts(line)];
    if (first === own) return [];
    const [firstTexts, ownTexts] = [first.split("\0"), own.split("\0")];
    const canCompare = (index: number) => Boolean(firstTexts[index] && ownTexts[index]);
    const differs = (column: ComparedColumn, index: number) => {
      const place = places.indexOf(column);
      const at = canCompare(index) || place === -1 ? index : compared.length + place;
      return canCompare(at) && firstTexts[at] !== ownTexts[at];
    };
    return compared.filter(differs);
  };
  const faultsFor = (shipment: number, line: SeenLine, isFirst: boolean, isTooMany: boolean): Fault[] => {
    const faults = [...line.faults];
    const columns = isFirst ? [] : contradictions(shipment, line);
    if (columns.length > 0) {
      const sentence = `Contradicts the first line of its shipment in column(s): ${columns.map(({ name }) => name).join(", ")}`;
      faults.push(fault("contradiction", sentence, ...columns.map(({ field }) => field)));
    }
    if (isTooMany) faults.push(tooManyLines);
    return faults;
  };
  /** A shipment's first line may be compared with itself. A line without a key has nothing to be compared with. */
  const reasonAgain = (shipment: number, line: SeenLine, isTooMany: boolean): RowReason =>
    reasonOf(faultsFor(shipment, line, line.key === undefined, isTooMany));
  /** Of two writes of one shipment the later in the push wins, in whatever order a correction has them. The ledger takes the last of an import. */
  const rejectOvertaken = () => {
    for (const written of writes.values()) {
      let last = 0;
      for (const { shipment, element } of written) {
        if (leadReason.get(shipment) !== 0) continue;
        if (element > last) last = element;
        else isOvertaken.add(shipment);
      }
    }
  };
  const isWritten = (shipment: number) => leadReason.get(shipment) === 0 && !isOvertaken.has(shipment);
  return {
    add(line: SeenLine): void {
      const shipment = shipmentFor(line);
      const count = lines.get(shipment) + 1;
      lines.set(shipment, count);
      const isTooMany = count > limits.linesPerShipment;
      const faults = faultsFor(shipment, line, count === 1, isTooMany);
      shipmentOfRow.push(shipment);
      faultsOfRow.push(faults.length === 0 ? 0 : isTooMany ? isTooManyToo : isFaulty);
      if (faults.length === 0 || leadReason.get(shipment) !== 0) return;
      leadReason.set(shipment, reasons.numberOf(reasonOf(faults).reason) ?? notKept);
      leadRow.set(shipment, line.row);
    },
    /** By row, counted from 0: the shipment it is a line of, counted from 1 among those to be written, or why it is rejected. */
    close() {
      rejectOvertaken();
      let written = 0;
      for (let shipment = 0; shipment < lines.length; shipment += 1) {
        if (!isWritten(shipment)) continue;
        written += 1;
        lines.set(shipment, written); // from here on its number, no longer its count of lines
      }
      return {
        rows: shipmentOfRow.length,
        shipments: written,
        shipmentOf: (row: number): number => (isWritten(shipmentOfRow.get(row)) ? lines.get(shipmentOfRow.get(row)) : 0),
        /** `line` is asked for only where the row has faults of its own. */
        reasonOf(ordinal: number, line: () => SeenLine): RowReason | undefined {
          const own = faultsOfRow.get(ordinal);
          const shipment = shipmentOfRow.get(ordinal);
          if (own !== 0) return reasonAgain(shipment, line(), own === isTooManyToo);
          if (isOvertaken.has(shipment)) return overtaken;
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

/** A text that can be compared begins with a mark, also a blank one. */
const marked = (text: string | undefined): string => (text === undefined ? "\0" : `=${comparableText(text)}\0`);
