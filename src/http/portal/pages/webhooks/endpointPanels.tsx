// What the pages of webhooks have in common, and the parts of an endpoint's page.
import { Rejection } from "../../../../domain/rejection.js";
import { webhookEvents } from "../../../../domain/webhooks/types.js";
import { listWebhooks, type WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { AskButton, AskForm, Field, Form } from "../../shell/form.js";
import { Panel } from "../../shell/panel.js";
import { Time } from "../../shell/values.js";
import { today } from "../days.js";

export const webhooksPath = "/portal/settings/webhooks";

export const endpointPath = (endpointId: string): string => `${webhooksPath}/${endpointId}`;

export const deliveryPath = (endpointId: string, deliveryId: string): string => `${endpointPath(endpointId)}/deliveries/${deliveryId}`;

/** The events for open pages. */
export const livePath = (endpointId = "{endpointId}"): string => `${endpointPath(endpointId)}/live`;

/** Another organisation's endpoint and an unknown id get the same answer. */
export async function requireEndpoint({ params, person }: SignedInVisit, { pool }: PortalDeps): Promise<WebhookSummary> {
  const endpoints = await listWebhooks(person.organisationId, pool);
  const found = endpoints.find(({ endpointId }) => endpointId === params["endpointId"]);
  if (!found) throw new Rejection("notFound", "There is no endpoint with this id");
  return found;
}

export interface EndpointView {
  readonly visit: SignedInVisit;
  readonly endpoint: WebhookSummary;
}

export function EndpointActions({ visit, endpoint: { endpointId, url, pausedAt } }: EndpointView) {
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
    <div class="button-row">
      {button("ping", "Send a ping")}
      {pausedAt ? button("resume", "Resume") : button("pause", "Pause")}
      {ask("rotate", "Rotate secret")}
      {ask("remove", "Remove")}
    </div>
  );
}

/** Asks first: it may be thousands of requests. Without a choice it begins with today. */
export function ReplayPanel({ visit, endpoint: { endpointId } }: EndpointView) {
  const { timezone } = visit.person;
  const from = visit.submitted.get("from") || visit.query["from"] || `${today(timezone, new Date())}T00:00`;
  return (
    <Panel id="replay" title="Replay">
      <AskForm visit={visit} at={endpointPath(endpointId)} question={{ ask: "replay" }} class="in-line">
        <Field label="From" name="from" type="datetime-local" value={from} />
        <button type="submit" class="quiet">
          Replay from then
        </button>
      </AskForm>
      <p class="hint">
        Sends every event since that time again, including those that were delivered before. Each keeps its id, so your receiver can tell
        which it has had. The time is your organisation's ({timezone}).
      </p>
    </Panel>
  );
}

export function ChangePanel({ visit, endpoint: { endpointId, url, events } }: EndpointView) {
  const again = visit.submitted.get("url");
  return (
    <Panel id="change" title="Change">
      <Form visit={visit} to={endpointPath(endpointId)}>
        <Field label="URL" name="url" maxlength={2_000} value={again || url} autocomplete="off" />
        <EventChoice chosen={again ? visit.submitted.all("events") : events} />
        <div>
          <button type="submit">Save changes</button>
        </div>
      </Form>
    </Panel>
  );
}

/** Whether it is sent to, and if not, since when and why. */
export function EndpointState({ visit, endpoint: { pausedAt, pausedBecause, failures, failingSince } }: EndpointView) {
  if (!pausedAt && failures === 0) return <span class="badge good">Active</span>;
  return (
    <span class="endpoint-state">
      {pausedAt ? <span class="badge warn">Paused</span> : <span class="badge bad">Failing</span>}
      <span class="muted">
        since <Time visit={visit} at={pausedAt ?? failingSince} />
        {pausedAt ? `. ${pausedBecause ?? "Somebody paused it."}` : ". Retried for up to three days"}
      </span>
    </span>
  );
}

/** The events that an endpoint is told of. With none chosen, a new endpoint is told of all; a change of an endpoint is refused. */
export const EventChoice = ({ chosen }: { chosen: readonly string[] }) => (
  <fieldset class="events">
    <legend>Events</legend>
    {Object.entries(webhookEvents).map(([type, { meaning }]) => (
      <label class="check">
        <input type="checkbox" name="events" value={type} checked={chosen.includes(type)} />
        <span>
          <code>{type}</code> <span class="muted">{meaning}</span>
        </span>
      </label>
    ))}
  </fieldset>
);
