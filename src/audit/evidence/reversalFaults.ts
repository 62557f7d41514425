import type { Ranges } from "../../events/reversalEvents.js";
import { isAfter } from "../../ports/eventStore.js";
import { type ImportFold, recountRows } from "./importFold.js";
import { type ImportReversals, multirangeText, type Reversal } from "./reversalEvidence.js";

/** What a folded import says against its reversals. */
export function reversalFaults(fold: ImportFold, reversals: ImportReversals): string[] {
  const { ended, requested } = fold;
  if (ended?.type !== "ImportCompleted") return ["the import has not completed"];
  const lines = requested?.data.kind === "shipments" ? linesBy(fold, reversals) : undefined;
  let left = recountRows(fold).processed;
  return reversals.events.flatMap((event) => {
    const { rows, shipments, count } = event.data;
    const named = rows === "all" ? left : sizeOf(shipments ?? rows);
    left -= count;
    const faults = [
      ...(isAfter(event.position, ended.position) ? [] : ["comes before the import's completion"]),
      ...(count === named ? [] : [`counts ${count}, but takes back ${named}`]),
      ...(left >= 0 ? [] : ["takes back more than there is"]),
      ...(rows === "all" || !lines || multirangeText(rows) === lines(event) ? [] : ["has other rows than its shipments"]),
    ];
    return faults.map((fault) => `RowsReversed at revision ${event.revision} ${fault}`);
  });
}

const sizeOf = (ranges: Ranges): number => ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);

/** The lines of the shipments that a reversal names: a shipment is reversed with all of its lines. */
function linesBy({ shipments }: ImportFold, reversals: ImportReversals): (event: Reversal) => string {
  const lines = new Map<Reversal, [number, number][]>();
  for (const { number, rows } of shipments?.values() ?? []) {
    const by = reversals.ofShipment(number);
    if (!by) continue;
    const known = lines.get(by) ?? [];
    for (const row of rows) known.push([row, row]);
    lines.set(by, known);
  }
  return (event) => multirangeText(lines.get(event) ?? []);
}
