import type { Child } from "hono/jsx";
import type { NameOf } from "../../../domain/principal.js";
import { Rejection } from "../../../domain/rejection.js";
import { decode, type RecordedEventOn } from "../../../events/codec.js";
import { quotePlaceOf } from "../../../events/quoteEvents.js";
import { readQuotes } from "../../../events/recordedQuote.js";
import { streamOf } from "../../../events/streams.js";
import type { StoredEvent } from "../../../ports/eventStore.js";
import { principalNames } from "../../../queries/organisations/organisations.js";
import { revisionOfRow, streamPage } from "../../../queries/streamSearch.js";
import { definePage } from "../pageDefinition.js";
import { EmptyState, Pager, Time, withQuery } from "../shell/markup.js";
import { importOf } from "./imports/importPage.js";
import { stepInWords } from "./imports/importParts.js";
import { importCrumbs, importPath, importsPath } from "./imports/importStatus.js";
import { quotesPath } from "./quotes/quoteForm.js";

const eventsPerPage = 25;

/** An import's events, from the first or from a row's on. With the parameter `of`: those of its stream of corrections or of reversals. */
export const importHistoryPage = definePage(`${importsPath}/{importId}/history`, "look", async (visit, deps) => {
  const { view } = await importOf(visit, deps);
  const { eventStore, pool } = deps;
  const { importId } = view;
  const history = histories.find((each) => each === visit.query["of"]) ?? "import";
  const stream = streamOf[history](importId);
  const row = history === "import" ? parseNumber(visit.query["row"]) : undefined;
  const from = row === undefined ? BigInt(parseNumber(visit.query["from"]) ?? 0) : await revisionOfRow(eventStore, stream, row);
  const [{ events, next }, nameOf] = await Promise.all([
    streamPage(eventStore, stream, from, eventsPerPage),
    principalNames(visit.person.organisationId, pool),
  ]);
  const path = `${importPath(importId)}/history`;
  const historyParameter = history === "import" ? undefined : history;
  return {
    title: "History",
    crumbs: importCrumbs(view),
    views: histories.map((each) => ({
      label: historyNames[each],
      to: withQuery(path, { of: each === "import" ? undefined : each }),
      current: each === history,
    })),
    body: (
      <Events events={events} nameOf={nameOf}>
        <Pager
          plural="events"
          isFirst={from === 0n}
          nextCursor={next === null ? null : String(next)}
          path={(revision) => withQuery(path, { of: historyParameter, from: revision })}
        />
      </Events>
    ),
  };
});

const histories = ["import", "corrections", "reversals"] as const;
const historyNames = { import: "The import", corrections: "Its corrections", reversals: "Its reversals" } as const;

const parseNumber = (text: string | undefined): number | undefined => (/^\d{1,12}$/.test(text ?? "") ? Number(text) : undefined);

export const quoteHistoryPage = definePage(`${quotesPath}/{quoteId}/history`, "look", async (visit, { eventStore, pool }) => {
  const { organisationId } = visit.person;
  const quoteId = visit.params["quoteId"] ?? "";
  const place = quotePlaceOf(quoteId);
  const quotes = place && (await readQuotes(eventStore, place));
  if (!quotes || quotes.data.organisationId !== organisationId) throw new Rejection("notFound", "There is no quote with this id");
  const stream = streamOf[place.number === 0 ? "quote" : "quotes"](place.quotesId);
  const [{ events }, nameOf] = await Promise.all([streamPage(eventStore, stream, 0n, eventsPerPage), principalNames(organisationId, pool)]);
  return {
    title: "History",
    crumbs: [
      ["Quotes", quotesPath],
      ["Quote", `${quotesPath}?quote=${encodeURIComponent(quoteId)}`],
    ],
    body: <Events events={events} nameOf={nameOf} />,
  };
});

/** Shows each event in words, and its recorded data in an element that can be opened. */
const Events = ({ events, nameOf, children }: { events: readonly StoredEvent[]; nameOf: NameOf; children?: Child }) => (
  <section class="panel" aria-label="Events">
    {events.length === 0 ? (
      <EmptyState title="Nothing is recorded here" />
    ) : (
      <ol class="timeline">
        {events.map((event) => (
          <li>
            <Time at={event.recordedAt} exact />
            <div>
              {eventInWords(event, nameOf)}
              <details>
                <summary>
                  Recorded data<span class="unseen"> {String(event.revision)}</span>
                </summary>
                <RawEvent event={event} />
              </details>
            </div>
          </li>
        ))}
      </ol>
    )}
    {children}
  </section>
);

function eventInWords(stored: StoredEvent, nameOf: NameOf): Child {
  const event = decodeKnown(stored);
  if (event === undefined || event.type === "ReversalDecided") return stored.type;
  switch (event.type) {
    case "RowAccepted":
      return `Row ${event.data.row} accepted${rowContentInWords(event.data.values)}`;
    case "RowRejected":
      return `Row ${event.data.row} rejected: ${event.data.error}`;
    case "QuotesGenerated":
      return `Priced for ${event.data.results.length === 1 ? "one customer" : `${event.data.results.length} customers`} by ${nameOf(event.data.by)}`;
    case "QuoteGenerated":
      return `Priced by ${nameOf(event.data.by)}`;
  }
  return stepInWords(event, nameOf);
}

/** Names the shipment of a goods line, or what an activity charges. */
function rowContentInWords({ shipmentId, quantity, chargeCode, warehouseCode }: Readonly<Record<string, unknown>>): string {
  if (shipmentId !== undefined) return `: a line of shipment ${shipmentId}`;
  return chargeCode === undefined ? "" : `: ${quantity} of ${chargeCode} in warehouse ${warehouseCode}`;
}

type ShownEvent = RecordedEventOn<"import" | "corrections" | "reversals" | "quote" | "quotes">;

/** Undefined for an event that this version of the service cannot decode. The page still shows the event's type and its recorded data. */
function decodeKnown(stored: StoredEvent): ShownEvent | undefined {
  try {
    return decode(stored) as ShownEvent | undefined;
  } catch {
    return undefined;
  }
}

const maxRawLength = 50_000;

/** An event's recorded data as text, without the hashes of passwords, links and keys. */
export const RawEvent = ({ event }: { event: StoredEvent }) => (
  <pre class="raw-event" tabindex={0}>
    {rawText(event)}
  </pre>
);

function rawText({ stream, revision, id, type, recordedAt, metadata, data }: StoredEvent): string {
  const shown = /^(?:ApiKey|Member)/.test(type) ? withoutHashes(data) : data;
  const text = JSON.stringify({ stream, revision: String(revision), id, type, recordedAt, metadata, data: shown }, undefined, 2);
  return text.length > maxRawLength ? `${text.slice(0, maxRawLength)}\n... (${text.length - maxRawLength} more characters)` : text;
}

const withoutHashes = (data: unknown): unknown =>
  typeof data === "object" && data !== null
    ? Object.fromEntries(Object.entries(data).map(([name, value]) => [name, /(?:sha256|hash)$/i.test(name) ? "(not shown)" : value]))
    : data;
