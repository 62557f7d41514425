import { type WebhookEventType, webhookEventTypes } from "../../../../domain/webhooks/endpoint.js";

const meanings: Readonly<Record<WebhookEventType, string>> = {
  "import.started": "An import has begun",
  "import.completed": "An import has ended, and its rows are in the ledger",
  "import.failed": "An import could not run",
  "import.cancelled": "An import was cancelled",
};

/** The events that an endpoint is told of. With none chosen, a new endpoint is told of all; a change of an endpoint is refused. */
export function EventChoice({ chosen }: { readonly chosen: readonly string[] }) {
  return (
    <fieldset class="events">
      <legend>Events</legend>
      {webhookEventTypes.map((type) => (
        <label>
          <input type="checkbox" name="events" value={type} checked={chosen.includes(type)} />
          <span>
            <code>{type}</code> <span class="muted">{meanings[type]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
