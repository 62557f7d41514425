import { addWebhook } from "../../../../commands/organisations/webhooks.js";
import { webhookEventTypes } from "../../../../domain/webhooks/endpoint.js";
import { listWebhooks, type WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import type { FormOf, PageOf } from "../../page.js";
import { Field, Form } from "../../shell/form.js";
import { type Column, EmptyState, Table } from "../../shell/table.js";
import { Amount, Time } from "../../shell/values.js";
import { originOf, type SignedInVisit } from "../../visit.js";
import { EventChoice } from "./eventChoice.js";
import { endpointPath, webhooksPath } from "./paths.js";
import { State } from "./state.js";

export const webhooksPage: PageOf<SignedInVisit> = {
  path: webhooksPath,
  access: "webhooks",
  show: async (visit, { pool }) => {
    const endpoints = await listWebhooks(pool, visit.person.organisationId);
    const again = visit.submitted.all("events");
    return {
      title: "Webhooks",
      body: (
        <>
          <section class="panel" aria-labelledby="endpoints">
            <h2 id="endpoints">Endpoints</h2>
            {endpoints.length === 0 ? (
              <EmptyState title="No endpoints yet">
                A webhook is a request that Waybill sends to an address of yours the moment an import begins or ends, so that your systems
                need not ask every few seconds. <a href={visit.links.to("/docs")}>The API reference</a> says what is sent and how to verify
                it.
              </EmptyState>
            ) : (
              <Table caption="Endpoints, the oldest first" columns={columns(visit)} rows={endpoints} />
            )}
          </section>
          <section class="panel" aria-labelledby="add">
            <h2 id="add">Add an endpoint</h2>
            <Form visit={visit} to={webhooksPath}>
              <Field
                label="URL"
                name="url"
                maxlength={2_000}
                value={visit.submitted.get("url")}
                autocomplete="off"
                hint="Where to send, beginning with https://"
              />
              <EventChoice chosen={again.length > 0 ? again : webhookEventTypes} />
              <div>
                <button type="submit">Add endpoint</button>
              </div>
            </Form>
          </section>
        </>
      ),
    };
  },
};

const columns = (visit: SignedInVisit): readonly Column<WebhookSummary>[] => [
  { heading: "URL", names: true, cell: ({ endpointId, url }) => <a href={visit.links.to(endpointPath(endpointId))}>{url}</a> },
  { heading: "State", cell: (endpoint) => <State visit={visit} endpoint={endpoint} /> },
  { heading: "Events", cell: ({ events }) => (events.length === webhookEventTypes.length ? "All" : events.join(", ")) },
  { heading: "Added", cell: ({ addedAt }) => <Time visit={visit} at={addedAt} /> },
  { heading: "Waiting", number: true, cell: ({ waiting }) => <Amount value={waiting} /> },
];

export const addForm: FormOf<SignedInVisit> = {
  path: webhooksPath,
  access: "webhooks",
  page: webhooksPage,
  submit: async (visit, fields, { webhooks }) => {
    const { organisationId } = visit.person;
    const wanted = { organisationId, url: fields.get("url"), events: fields.all("events") };
    const { endpointId, secret } = await addWebhook(webhooks, wanted, originOf(visit));
    const lines = ["Endpoint added. Copy its secret now: it is kept nowhere. Then send a ping to try it."];
    return { goTo: endpointPath(endpointId), notice: { kind: "done", lines, once: secret } };
  },
};
