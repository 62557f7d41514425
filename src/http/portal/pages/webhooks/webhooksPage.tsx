// The list of webhooks, and what the pages of one webhook share.
import { addWebhook } from "../../../../commands/organisations/webhooks.js";
import { Rejection } from "../../../../domain/rejection.js";
import { webhookEventsByType, webhookEventTypes } from "../../../../domain/webhooks/types.js";
import { listWebhooks, type WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import { defineForm, originOf, type PortalDeps, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { CheckBoxGroup, Field, Form, tickedValues } from "../../shell/form.js";
import { listPage } from "../../shell/listPage.js";
import { Badge, ButtonLink, EmptyState, Link, Panel, Time, withQuery } from "../../shell/markup.js";
import { type Column, column } from "../../shell/table.js";

export const webhooksPath = "/portal/settings/webhooks";
export const endpointPath = (endpointId: string): string => `${webhooksPath}/${endpointId}`;
export const deliveryPath = (endpointId: string, deliveryId: string): string => `${endpointPath(endpointId)}/deliveries/${deliveryId}`;

/** The path of the live events that keep open pages up to date. */
export const endpointLivePath = (endpointId = "{endpointId}"): string => `${endpointPath(endpointId)}/live`;

/** Finds the endpoint in the path. Another organisation's endpoint gets the same answer as an unknown id. */
export async function requireEndpoint({ params, person }: SignedInVisit, { pool }: PortalDeps): Promise<WebhookSummary> {
  const endpoints = await listWebhooks(person.organisationId, pool);
  const found = endpoints.find(({ endpointId }) => endpointId === params["endpointId"]);
  if (!found) throw new Rejection("notFound", "There is no endpoint with this id");
  return found;
}

export const newSecret = (text: string) => ({ title: "The secret, shown only this once", text, copyLabel: "Copy secret" });

/** Whether events are sent to the endpoint, and if not, since when and why. */
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

/** The events that an endpoint receives. If none is ticked, a new endpoint receives all, and a change of an endpoint is refused. */
export const EventChoice = ({ ticked }: { ticked: readonly string[] }) => (
  <CheckBoxGroup class="events" legend="Events" name="events" options={eventOptions} ticked={ticked} />
);

const eventOptions = Object.entries(webhookEventsByType).map(([value, { meaning }]) => ({ value, label: value, about: meaning }));

const isAdding = ({ query, submitted }: SignedInVisit) => query["add"] !== undefined || submitted.get("url") !== "";

export const webhooksList = listPage<WebhookSummary>({
  path: webhooksPath,
  access: "webhooks",
  title: "Webhooks",
  noun: ["endpoint", "endpoints"],
  caption: "Endpoints, oldest first",
  action: (visit) => (isAdding(visit) ? null : <ButtonLink to={withQuery(webhooksPath, { add: "endpoint" })} label="Add endpoint" />),
  readRows: async (visit, _, { pool }) => ({ items: await listWebhooks(visit.person.organisationId, pool), nextCursor: null }),
  columns: () => endpointColumns,
  aboveTable: (visit) =>
    isAdding(visit) ? (
      <Panel id="add" title="Add an endpoint">
        <Form to={webhooksPath} submit="Add endpoint" cancel={webhooksPath}>
          <Field label="URL" name="url" maxlength={2_000} autocomplete="off" hint="The address to send to, starting with https://" />
          <EventChoice ticked={webhookEventTypes} />
        </Form>
      </Panel>
    ) : null,
  empty: () => (
    <EmptyState title="No endpoints yet">
      Waybill sends a request to your address when an import starts or ends, so that your systems do not have to keep asking.{" "}
      <Link to="/docs">The API reference</Link> says what is sent and how to verify it.
    </EmptyState>
  ),
});

const stateOf = ({ pausedAt, failures }: WebhookSummary) => (pausedAt ? "Paused" : failures > 0 ? "Failing" : "Active");

const endpointColumns: readonly Column<WebhookSummary>[] = [
  column("url", "URL", ({ url }) => url, { isRowHeader: true, link: ({ endpointId }) => endpointPath(endpointId) }),
  column("state", "State", stateOf, { cell: EndpointState }),
  column("events", "Events", ({ events }) => (events.length === webhookEventTypes.length ? "All" : events.join(", "))),
  column("added", "Added", ({ addedAt }) => addedAt),
  column("waiting", "Waiting", ({ waiting }) => waiting, { number: true }),
];

const faults = { url: /URL|https?|address|host/i };

export const addForm = defineForm(webhooksList.page, { subPath: "", faults }, async (visit, fields, { webhooks }) => {
  const { organisationId } = visit.person;
  const newEndpoint = { organisationId, url: fields.get("url"), events: tickedValues(fields, "events") };
  const { endpointId, secret } = await addWebhook(webhooks, newEndpoint, originOf(visit));
  const line = "Endpoint added. Copy its secret now: you cannot see it again. Then send a ping to test it.";
  return withNotice(endpointPath(endpointId), line, newSecret(secret));
});
