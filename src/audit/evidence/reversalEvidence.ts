// What was reversed of each import, from the streams of reversals and without the projections' code.
import { groupedBy } from "../../domain/groupedBy.js";
import { joinRanges, type Range } from "../../domain/ranges.js";
import type { RecordedEventOn } from "../../events/codec.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import { type EventStore, eventsOf, isAfter, type Position, type StoredEvent } from "../../ports/eventStore.js";
import type { Findings } from "../findings.js";
import { type ImportFold, readEvent, recountRows } from "./importFold.js";

export type Reversal = RecordedEventOn<"reversals">;

export type ImportReversals = ReturnType<typeof foldReversals>;

/** The reversals by import id. An import without reversals has no entry. */
export type ReversalEvidence = ReadonlyMap<string, ImportReversals>;

export interface ReversalOptions {
  readonly eventStore: EventStore;
  /** Later events are ignored. */
  readonly until: Position;
  /** Undefined for all organisations. */
  readonly organisationId: string | undefined;
  readonly signal: AbortSignal;
  readonly findings: Findings;
}

/** Reads every reversal in the event log: they are few. The caller reads the imports afterwards, and knows the reversals of each. */
export async function gatherReversals({ eventStore, until, organisationId, signal, findings }: ReversalOptions): Promise<ReversalEvidence> {
  const wanted: StoredEvent[] = [];
  await eventStore.replay({ prefixes: [streamPrefix.reversals], until, signal }, async ({ events }) => {
    wanted.push(...events.filter(({ metadata }) => organisationId === undefined || metadata.organisation === organisationId));
  });
  const evidence = new Map<string, ImportReversals>();
  for (const [stream, stored] of groupedBy(wanted, (event) => event.stream)) {
    const importId = stream.slice(streamPrefix.reversals.length);
    const report = (fault: string) =>
      findings.add({ organisationId: stored[0]?.metadata.organisation, importId, sentence: `stream of reversals: ${fault}` });
    evidence.set(importId, foldReversals(stored, importId, report));
  }
  return evidence;
}

export const reversalsOfImport = async (
  eventStore: EventStore,
  importId: string,
  report: (fault: string) => void = () => undefined,
): Promise<ImportReversals> => foldReversals(await eventsOf(eventStore, streamOf.reversals(importId)), importId, report);

function foldReversals(stored: readonly StoredEvent[], importId: string, report: (fault: string) => void) {
  const events = stored.flatMap((event) => readEvent("reversals", event, report) ?? []);
  for (const { data, revision } of events)
    if (data.importId !== importId) report(`RowsReversed at revision ${revision} names import ${data.importId}`);
  const full = events.find(({ data }) => data.rows === "all");
  const partial = full ? events.slice(0, events.indexOf(full)) : events;
  const rows = firstReversals(
    partial,
    ({ data }) => (data.rows === "all" ? [] : data.rows),
    (row, event) => report(`row ${row} ${secondReversalText(event)}`),
  );
  const shipments = firstReversals(
    partial,
    ({ data }) => data.shipments ?? [],
    (number, event) => report(`shipment ${number} ${secondReversalText(event)}`),
  );
  for (const { revision } of full ? events.slice(partial.length + 1) : [])
    report(`RowsReversed at revision ${revision} comes after everything was reversed`);
  return {
    /** In the order of the event log. */
    events,
    /** The reversal of an accepted row. Undefined if the row is not reversed. */
    ofRow: (row: number) => rows.get(row) ?? full,
    /** The reversal of a shipment, by its number in the import. Undefined if the shipment is not reversed. */
    ofShipment: (number: number) => shipments.get(number) ?? full,
  };
}

const secondReversalText = ({ revision }: Reversal): string => `is reversed a second time at revision ${revision}`;

/** The first reversal that names each number. Reports a later reversal of the same number, once for each of its ranges. */
function firstReversals(
  events: readonly Reversal[],
  rangesOf: (event: Reversal) => readonly Range[],
  reportSecond: (number: number, event: Reversal) => void,
): ReadonlyMap<number, Reversal> {
  const firstByNumber = new Map<number, Reversal>();
  for (const event of events) {
    for (const [first, last] of rangesOf(event)) {
      let isReported = false;
      for (let number = first; number <= last; number += 1) {
        if (!firstByNumber.has(number)) firstByNumber.set(number, event);
        else {
          if (!isReported) reportSecond(number, event);
          isReported = true;
        }
      }
    }
  }
  return firstByNumber;
}

/** The numbers as Postgres writes a multirange: adjacent ranges are joined, and each range excludes its end. */
export const multirangeText = (ranges: readonly Range[]): string =>
  `{${joinRanges(ranges, [])
    .map(([first, last]) => `[${first},${last + 1})`)
    .join()}}`;

/** How an import's reversals contradict the folded import, one sentence for each contradiction. */
export function reversalFaults(fold: ImportFold, reversals: ImportReversals): string[] {
  const { ended, requested } = fold;
  if (ended?.type !== "ImportCompleted") return ["the import has not completed"];
  const linesOf = requested?.data.kind === "shipments" ? reversedLines(fold, reversals) : undefined;
  let remaining = recountRows(fold).processed;
  return reversals.events.flatMap((event) => {
    const { rows, shipments, count } = event.data;
    const reversedCount = rows === "all" ? remaining : countNumbers(shipments ?? rows);
    remaining -= count;
    const faults = [
      ...(isAfter(event.position, ended.position) ? [] : ["comes before the import's completion"]),
      ...(count === reversedCount ? [] : [`counts ${count}, but takes back ${reversedCount}`]),
      ...(remaining >= 0 ? [] : ["takes back more than there is"]),
      ...(rows === "all" || !linesOf || multirangeText(rows) === linesOf(event) ? [] : ["has other rows than its shipments"]),
    ];
    return faults.map((fault) => `RowsReversed at revision ${event.revision} ${fault}`);
  });
}

const countNumbers = (ranges: readonly Range[]): number => ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);

/** Returns a function that gives the rows which a reversal must have: all lines of the shipments that it names. */
function reversedLines({ shipments }: ImportFold, reversals: ImportReversals): (event: Reversal) => string {
  const shipmentsByReversal = groupedBy(shipments?.values() ?? [], ({ number }) => reversals.ofShipment(number));
  return (event) => multirangeText((shipmentsByReversal.get(event) ?? []).flatMap(({ rows }) => rows.map((row): Range => [row, row])));
}
