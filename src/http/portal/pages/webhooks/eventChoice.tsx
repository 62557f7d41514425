import { type WebhookEventType, webhookEventTypes } from "../../../../domain/webhooks/eventTypes.js";

const meanings: Readonly<Record<WebhookEventType, string>> = {
  "import.started": "An import has begun",
  "import.completed": "An import has ended, and its rows are in the ledger",
  "import.failed": "An import could not run",
  "import.cancelled": "An import was cancelled",
};

/** What an endpoint is told; with none of them chosen it is told all. */
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
