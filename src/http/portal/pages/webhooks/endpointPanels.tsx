// What the pages of webhooks have in common, and the parts of an endpoint's page.

import { Rejection } from "../../../../domain/rejection.js";
import { webhookEvents } from "../../../../domain/webhooks/types.js";
import { listWebhooks, type WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { AskButton, AskForm, Button, ButtonForm, Field, Form, Ticks } from "../../shell/form.js";
import { Badge, Panel, Time } from "../../shell/parts.js";
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

export const secretOnce = (text: string) => ({ title: "The secret, shown only this once", text, copyLabel: "Copy secret" });

export function EndpointActions({ endpointId, url, pausedAt }: WebhookSummary) {
  const path = endpointPath(endpointId);
  const button = (what: string, label: string) => <ButtonForm to={`${path}/${what}`} label={label} />;
  const ask = (what: string, label: string) => <AskButton at={path} question={{ ask: what }} label={label} about={url} />;
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
export function ReplayPanel({ visit, endpointId }: { visit: SignedInVisit; endpointId: string }) {
  const { timezone } = visit.person;
  const from = visit.query["from"] || `${today(timezone, new Date())}T00:00`;
  return (
    <Panel id="replay" title="Replay">
      <AskForm at={endpointPath(endpointId)} question={{ ask: "replay" }} class="in-line">
        <Field label="From" name="from" type="datetime-local" value={from} />
        <Button class="quiet" label="Replay from then" />
      </AskForm>
      <p class="hint">
        Sends every event since that time again, including those that were delivered before. Each keeps its id, so your receiver can tell
        which it has had. The time is your organisation's ({timezone}).
      </p>
    </Panel>
  );
}

export const ChangePanel = ({ endpointId, url, events }: WebhookSummary) => (
  <Panel id="change" title="Change">
    <Form to={endpointPath(endpointId)} submit="Save changes">
      <Field label="URL" name="url" maxlength={2_000} value={url} autocomplete="off" />
      <EventChoice ticked={events} />
    </Form>
  </Panel>
);

/** Whether it is sent to, and if not, since when and why. */
export function EndpointState({ pausedAt, pausedBecause, failures, failingSince }: WebhookSummary) {
  if (!pausedAt && failures === 0) return <Badge state={{ label: "Active", badge: "good" }} />;
  return (
    <span class="endpoint-state">
      <Badge state={pausedAt ? { label: "Paused", badge: "warn" } : { label: "Failing", badge: "bad" }} />
      <span class="muted">
        since <Time at={pausedAt ?? failingSince} />
        {pausedAt ? `. ${pausedBecause ?? "Somebody paused it."}` : ". Retried for up to three days"}
      </span>
    </span>
  );
}

/** The events that an endpoint is told of. With none chosen, a new endpoint is told of all; a change of an endpoint is refused. */
export const EventChoice = ({ ticked }: { ticked: readonly string[] }) => (
  <Ticks class="events" legend="Events" name="events" options={eventOptions} ticked={ticked} />
);

const eventOptions = Object.entries(webhookEvents).map(([value, { meaning }]) => ({ value, label: value, about: meaning }));
