import { addWebhook } from "../../../../commands/organisations/webhooks.js";
import { webhookEventTypes } from "../../../../domain/webhooks/types.js";
import { listWebhooks, type WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import { defineForm, originOf, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { Field, Form, tickedIn } from "../../shell/form.js";
import { listPage } from "../../shell/listPage.js";
import { ButtonLink, EmptyState, Link, Panel, withQuery } from "../../shell/parts.js";
import type { Column } from "../../shell/table.js";
import { EndpointState, EventChoice, endpointPath, secretOnce, webhooksPath } from "./endpointPanels.js";

const isAdding = ({ query, submitted }: SignedInVisit) => query["add"] !== undefined || submitted.get("url") !== "";

const webhooksList = listPage<WebhookSummary>({
  path: webhooksPath,
  access: "webhooks",
  title: "Webhooks",
  of: ["endpoint", "endpoints"],
  caption: "Endpoints, oldest first",
  action: (visit) => (isAdding(visit) ? null : <ButtonLink to={withQuery(webhooksPath, { add: "endpoint" })} label="Add endpoint" />),
  readRows: async (visit, _, { pool }) => ({ items: await listWebhooks(visit.person.organisationId, pool), nextCursor: null }),
  columns: () => columns,
  above: (visit) =>
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
export const webhooksPage = webhooksList.page;
export const webhookDownloads = webhooksList.answers;

const stateOf = ({ pausedAt, failures }: WebhookSummary) => (pausedAt ? "Paused" : failures > 0 ? "Failing" : "Active");

const columns: readonly Column<WebhookSummary>[] = [
  {
    key: "url",
    heading: "URL",
    names: true,
    value: ({ url }) => url,
    link: ({ endpointId }) => endpointPath(endpointId),
  },
  { key: "state", heading: "State", value: stateOf, cell: EndpointState },
  { key: "events", heading: "Events", value: ({ events }) => (events.length === webhookEventTypes.length ? "All" : events.join(", ")) },
  { key: "added", heading: "Added", value: ({ addedAt }) => addedAt },
  { key: "waiting", heading: "Waiting", number: true, value: ({ waiting }) => waiting },
];

const faults = { url: /URL|https?|address|host/i };

export const addForm = defineForm(webhooksPage, { below: "", faults }, async (visit, fields, { webhooks }) => {
  const { organisationId } = visit.person;
  const wanted = { organisationId, url: fields.get("url"), events: tickedIn(fields, "events") };
  const { endpointId, secret } = await addWebhook(webhooks, wanted, originOf(visit));
  const line = "Endpoint added. Copy its secret now: you cannot see it again. Then send a ping to test it.";
  return withNotice(endpointPath(endpointId), line, secretOnce(secret));
});
