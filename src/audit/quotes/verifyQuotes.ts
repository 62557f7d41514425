// Compares every quote with the tables, and derives a sample of them, or all, again from the catalogue version of their time.
import { decodeOn, UnreadableEvent } from "../../events/codec.js";
import { quotePlaceOf } from "../../events/quoteEvents.js";
import { type QuoteEvent, readQuotes } from "../../events/recordedQuote.js";
import { streamPrefix } from "../../events/streams.js";
import type { EventStore, Position, StoredEvent } from "../../ports/eventStore.js";
import { canonical, shortDigest } from "../canonical.js";
import type { Findings } from "../findings.js";
import type { Snapshot } from "../snapshot.js";
import { createDeriver } from "./deriveQuotes.js";
import { expectedRows, type QuoteRows, rowsText, storedRows, strayRows } from "./quoteRows.js";

export interface QuoteVerification {
  readonly requests: number;
  readonly quotes: number;
  /** Quotes that were derived again. */
  readonly derived: number;
  readonly seconds: number;
}

interface Options {
  readonly eventStore: EventStore;
  readonly organisationId: string | undefined;
  readonly signal: AbortSignal;
  /** False: a sample is derived again. */
  readonly allQuotes?: boolean;
}

/** The number of requests in the sample: a mistake in one of a hundred prices shows with 99 % certainty. */
const sampled = 500;

export async function verifyQuotes(snapshot: Snapshot, options: Options, findings: Findings): Promise<QuoteVerification> {
  const startedAt = performance.now();
  const deriver = createDeriver(options.eventStore, findings);
  const sample = createSample<QuoteEvent>(sampled);
  const expected = new Map<string, { organisationId: string; digest: string }>();
  let quotes = 0;
  await replayQuotes(options, snapshot.position, async (stored) => {
    const event = readQuote(stored, findings);
    const rows = event && expectedRows(event);
    if (!event || !rows) return;
    expected.set(rows.quotesId, { organisationId: rows.organisationId, digest: shortDigest(rowsText(rows)) });
    quotes += rows.list.length;
    if (options.allQuotes) await deriver.derive(event);
    else sample.offer(event);
  });
  const requests = expected.size;
  await compareRows(snapshot, options, expected, findings);
  for (const event of sample.taken.toSorted(byCatalogue)) {
    options.signal.throwIfAborted();
    await deriver.derive(event);
  }
  return { requests, quotes, derived: deriver.quotes(), seconds: (performance.now() - startedAt) / 1000 };
}

/** Sorts by catalogue version, so that each is read once. */
function byCatalogue({ data: a }: QuoteEvent, { data: b }: QuoteEvent): number {
  if (a.organisationId !== b.organisationId) return a.organisationId < b.organisationId ? -1 : 1;
  return a.catalogueVersion - b.catalogueVersion;
}

async function replayQuotes(
  { eventStore, organisationId, signal }: Options,
  until: Position,
  onEvent: (event: StoredEvent) => Promise<void>,
) {
  const prefixes = [streamPrefix.quotes, streamPrefix.quote];
  await eventStore.replay({ prefixes, until, signal }, async (batch) => {
    for (const event of batch.events) {
      if (organisationId === undefined || event.metadata.organisation === organisationId) await onEvent(event);
    }
  });
}

function readQuote(stored: StoredEvent, findings: Findings): QuoteEvent | undefined {
  try {
    return decodeOn(stored.stream.startsWith(streamPrefix.quotes) ? "quotes" : "quote", stored);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    findings.add({ organisationId: stored.metadata.organisation, sentence: `stream: ${error.message}` });
    return undefined;
  }
}

type Expected = Map<string, { readonly organisationId: string; readonly digest: string }>;

async function compareRows({ client }: Snapshot, { eventStore, organisationId }: Options, expected: Expected, findings: Findings) {
  for await (const rows of storedRows(client, organisationId)) {
    const agrees = expected.get(rows.quotesId)?.digest === shortDigest(rowsText(rows));
    expected.delete(rows.quotesId);
    if (agrees) continue;
    const sentence = `quote ${rows.quotesId}: ${await difference(rows, eventStore)}`;
    findings.add({ organisationId: rows.organisationId, sentence });
  }
  for (const [quotesId, { organisationId: owner }] of expected)
    findings.add({ organisationId: owner, sentence: `quote ${quotesId}: it is missing from quote_requests` });
  for (const { organisationId: owner, quotesId } of await strayRows(client, organisationId))
    findings.add({
      organisationId: owner,
      sentence: `quote ${quotesId}: quotes lists it, quote_requests does not hold it`,
    });
}

/** The first difference as a sentence. It reads the event once more. */
async function difference(rows: QuoteRows, eventStore: EventStore): Promise<string> {
  const place = quotePlaceOf(rows.quotesId);
  const event = place && (await readQuotes(eventStore, { ...place, number: rows.columns["alone"] === true ? 0 : 1 }));
  const expected = event && expectedRows(event);
  if (!expected) return "quote_requests has it, but there is no such stream";
  const column = Object.keys(expected.columns).find((name) => canonical(expected.columns[name]) !== canonical(rows.columns[name]));
  if (column !== undefined) return `quote_requests.${column} is not as the stream says`;
  return rows.organisationId === expected.organisationId ? "its rows in quotes are not as the stream says" : "it is another organisation's";
}

/** A random sample of a sequence of unknown length (reservoir sampling): every item is equally likely to be taken. */
export interface Sample<Item> {
  readonly taken: readonly Item[];
  offer(item: Item): void;
}

export function createSample<Item>(most: number): Sample<Item> {
  const taken: Item[] = [];
  let offered = 0;
  return {
    taken,
    offer(item) {
      offered += 1;
      if (taken.length < most) taken.push(item);
      else {
        const place = Math.floor(Math.random() * offered);
        if (place < most) taken[place] = item;
      }
    },
  };
}
