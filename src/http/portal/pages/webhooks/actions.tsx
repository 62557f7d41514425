import type { WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import { AskButton } from "../../shell/dialog.js";
import { Field, Form } from "../../shell/form.js";
import type { SignedInVisit } from "../../visit.js";
import { today } from "../activities/period.js";
import { EventChoice } from "./eventChoice.js";
import { endpointPath } from "./paths.js";

interface OfEndpoint {
  readonly visit: SignedInVisit;
  readonly endpoint: WebhookSummary;
}

export function Actions({ visit, endpoint: { endpointId, url, pausedAt } }: OfEndpoint) {
  const path = endpointPath(endpointId);
  const button = (what: string, label: string) => (
    <Form visit={visit} to={`${path}/${what}`} class="one">
      <button type="submit" class="quiet">
        {label}
      </button>
    </Form>
  );
  const ask = (what: string, label: string) => <AskButton visit={visit} at={path} question={{ ask: what }} label={label} about={url} />;
  return (
    <div class="endpoint-actions">
      {button("ping", "Send a ping")}
      {pausedAt ? button("resume", "Resume") : button("pause", "Pause")}
      {ask("rotate", "Rotate secret")}
      {ask("remove", "Remove")}
    </div>
  );
}

/** Asks first: it may be thousands of requests. Without a choice it begins with today. */
export function ReplayPanel({ visit, endpoint: { endpointId } }: OfEndpoint) {
  const { timezone } = visit.person;
  const action = visit.links.to(endpointPath(endpointId));
  const from = visit.submitted.get("from") || visit.query["from"] || `${today(timezone, new Date())}T00:00`;
  return (
    <section class="panel" aria-labelledby="replay">
      <h2 id="replay">Replay</h2>
      <form method="get" action={action} class="in-line" hx-get={action} hx-select="#question" hx-target="#question" hx-swap="outerHTML">
        <input type="hidden" name="ask" value="replay" />
        <Field label="From" name="from" type="datetime-local" value={from} />
        <button type="submit" class="quiet">
          Replay from then
        </button>
      </form>
      <p class="hint">
        Sends everything since then again, from the log, also what the endpoint has had. Each event keeps its id, so a receiver that
        remembers ids takes nothing twice. The time is your organisation's ({timezone}).
      </p>
    </section>
  );
}

export function ChangePanel({ visit, endpoint: { endpointId, url, events } }: OfEndpoint) {
  const again = visit.submitted.get("url");
  return (
    <section class="panel" aria-labelledby="change">
      <h2 id="change">Change</h2>
      <Form visit={visit} to={endpointPath(endpointId)}>
        <Field label="URL" name="url" maxlength={2_000} value={again || url} autocomplete="off" />
        <EventChoice chosen={again ? visit.submitted.all("events") : events} />
        <div>
          <button type="submit">Save changes</button>
        </div>
      </Form>
    </section>
  );
}
