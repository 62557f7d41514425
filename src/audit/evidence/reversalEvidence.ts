// What was taken back of each import, from the streams of reversals and without the projections' code.

import { groupedBy } from "../../domain/groupedBy.js";
import { joinRanges, type Range } from "../../domain/ranges.js";
import type { RecordedOn } from "../../events/codec.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import { type EventStore, eventsOf, isAfter, type Position, type StoredEvent } from "../../ports/eventStore.js";
import type { Findings } from "../findings.js";
import { type ImportFold, readEvent, recountRows } from "./importFold.js";

export type Reversal = RecordedOn<"reversals">;

/** What was taken back of one import. */
export type ImportReversals = ReturnType<typeof reversalsIn>;

/** By import id. Imports of which nothing was taken back are not in it. */
export type ReversalEvidence = ReadonlyMap<string, ImportReversals>;

export interface ReversalOptions {
  readonly eventStore: EventStore;
  /** Later events are left out. */
  readonly until: Position;
  /** Undefined for all organisations. */
  readonly organisationId: string | undefined;
  readonly signal: AbortSignal;
  readonly findings: Findings;
}

/** Every reversal of the event log. They are few, so they are read before the imports: whoever folds an import knows what is taken back of it. */
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
    evidence.set(importId, reversalsIn(stored, importId, report));
  }
  return evidence;
}

/** What was taken back of one import. */
export const reversalsOfImport = async (
  eventStore: EventStore,
  importId: string,
  report: (fault: string) => void = () => undefined,
): Promise<ImportReversals> => reversalsIn(await eventsOf(eventStore, streamOf.reversals(importId)), importId, report);

function reversalsIn(stored: readonly StoredEvent[], importId: string, report: (fault: string) => void) {
  const events = stored.flatMap((event) => readEvent("reversals", event, report) ?? []);
  for (const { data, revision } of events)
    if (data.importId !== importId) report(`RowsReversed at revision ${revision} names import ${data.importId}`);
  const all = events.find(({ data }) => data.rows === "all");
  const before = all ? events.slice(0, events.indexOf(all)) : events;
  const rows = firstNamed(
    before,
    ({ data }) => (data.rows === "all" ? [] : data.rows),
    (row, at) => report(`row ${row} ${again(at)}`),
  );
  const shipments = firstNamed(
    before,
    ({ data }) => data.shipments ?? [],
    (number, at) => report(`shipment ${number} ${again(at)}`),
  );
  for (const { revision } of all ? events.slice(before.length + 1) : [])
    report(`RowsReversed at revision ${revision} comes after everything was reversed`);
  return {
    /** In the order of the event log. */
    events,
    /** The reversal that took back this accepted row; undefined for a row that is not reversed. */
    ofRow: (row: number) => rows.get(row) ?? all,
    /** The same for a shipment, by its number in the import. */
    ofShipment: (number: number) => shipments.get(number) ?? all,
  };
}

const again = ({ revision }: Reversal): string => `is reversed a second time at revision ${revision}`;

/** By number, the first event that names it. */
function firstNamed(
  events: readonly Reversal[],
  rangesOf: (event: Reversal) => readonly Range[],
  reportAgain: (number: number, at: Reversal) => void,
): ReadonlyMap<number, Reversal> {
  const named = new Map<number, Reversal>();
  for (const event of events) {
    for (const [first, last] of rangesOf(event)) {
      let isReported = false;
      for (let number = first; number <= last; number += 1) {
        if (!named.has(number)) named.set(number, event);
        else {
          if (!isReported) reportAgain(number, event);
          isReported = true;
        }
      }
    }
  }
  return named;
}

/** As Postgres shows a set of numbers: ranges without their ends, those that touch put together. */
export const multirangeText = (ranges: readonly Range[]): string =>
  `{${joinRanges(ranges, [])
    .map(([first, last]) => `[${first},${last + 1})`)
    .join()}}`;

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

const sizeOf = (ranges: readonly Range[]): number => ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);

/** The lines of the shipments that a reversal names: a shipment is reversed with all of its lines. */
function linesBy({ shipments }: ImportFold, reversals: ImportReversals): (event: Reversal) => string {
  const reversed = groupedBy(shipments?.values() ?? [], ({ number }) => reversals.ofShipment(number));
  return (event) => multirangeText((reversed.get(event) ?? []).flatMap(({ rows }) => rows.map((row): Range => [row, row])));
}
