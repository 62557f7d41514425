import type { Child } from "hono/jsx";
import type { NameOf } from "../../../../domain/principal.js";
import { decode, type RecordedEvent } from "../../../../events/codec.js";
import type { StoredEvent } from "../../../../ports/eventStore.js";
import { EmptyState } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { inWords as stepInWords } from "../imports/timeline.js";

interface EventsProps {
  readonly visit: SignedInVisit;
  readonly events: readonly StoredEvent[];
  readonly nameOf: NameOf;
}

/** Each event in words. Opened, it shows the event as it was recorded. */
export function Events({ visit, events, nameOf }: EventsProps) {
  if (events.length === 0) return <EmptyState title="Nothing is recorded here" />;
  return (
    <ol class="timeline">
      {events.map((event) => (
        <li>
          <Time visit={visit} at={event.recordedAt} exact />
          <div>
            {inWords(event, visit, nameOf)}
            <details>
              <summary>
                Event <span class="unseen">{String(event.revision)} </span>as recorded
              </summary>
              <pre class="raw-event" tabindex={0}>
                {raw(event)}
              </pre>
            </details>
          </div>
        </li>
      ))}
    </ol>
  );
}

function inWords(stored: StoredEvent, visit: SignedInVisit, nameOf: NameOf): Child {
  const event = readable(stored);
  switch (event?.type) {
    case "RowAccepted":
      return `Row ${event.data.row} accepted${rowInWords(event.data.values)}`;
    case "RowRejected":
      return `Row ${event.data.row} rejected: ${event.data.error}`;
    case "QuotesGenerated":
      return `Priced for ${event.data.results.length === 1 ? "one customer" : `${event.data.results.length} customers`} by ${nameOf(event.data.by)}`;
    case "QuoteGenerated":
      return `Priced by ${nameOf(event.data.by)}`;
    case "ImportRequested":
    case "ImportStarted":
    case "ImportCompleted":
    case "ImportFailed":
    case "ImportCancelled":
    case "RowsClaimed":
    case "RowsDismissed":
    case "RowsReopened":
      return stepInWords(event, visit, nameOf);
  }
  return stored.type;
}

/** A goods line by its shipment, an activity by what is charged. */
function rowInWords({ shipmentId, quantity, chargeCode, warehouseCode }: Readonly<Record<string, unknown>>): string {
  if (shipmentId !== undefined) return `: a line of shipment ${shipmentId}`;
  return chargeCode === undefined ? "" : `: ${quantity} of ${chargeCode} in warehouse ${warehouseCode}`;
}

/** Undefined for an event of a later version of the service: its name and its text are shown all the same. */
function readable(stored: StoredEvent): RecordedEvent | undefined {
  try {
    return decode(stored);
  } catch {
    return undefined;
  }
}

const longestRaw = 50_000;

function raw({ stream, revision, id, type, recordedAt, metadata, data }: StoredEvent): string {
  const text = JSON.stringify({ stream, revision: String(revision), id, type, recordedAt, metadata, data }, undefined, 2);
  return text.length > longestRaw ? `${text.slice(0, longestRaw)}\n... (${text.length - longestRaw} more characters)` : text;
}
