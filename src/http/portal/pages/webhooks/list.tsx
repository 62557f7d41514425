import { addWebhook } from "../../../../commands/organisations/webhooks.js";
import { webhookEventTypes } from "../../../../domain/webhooks/types.js";
import { listWebhooks, type WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import { done, type FormOf, originOf, type PageOf, type SignedInVisit } from "../../page.js";
import { Field, Form } from "../../shell/form.js";
import { EmptyState, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Amount, Time } from "../../shell/values.js";
import { EventChoice, endpointPath, State, webhooksPath } from "./parts.js";

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
          <Panel id="endpoints" title="Endpoints">
            <Table
              caption="Endpoints, oldest first"
              columns={columns(visit)}
              rows={endpoints}
              empty={
                <EmptyState title="No endpoints yet">
                  Waybill sends a request to your address when an import starts or ends, so that your systems do not have to keep asking.{" "}
                  <a href={visit.links.to("/docs")}>The API reference</a> says what is sent and how to verify it.
                </EmptyState>
              }
            />
          </Panel>
          <Panel id="add" title="Add an endpoint">
            <Form visit={visit} to={webhooksPath}>
              <Field
                label="URL"
                name="url"
                maxlength={2_000}
                value={visit.submitted.get("url")}
                autocomplete="off"
                hint="The address to send to, starting with https://"
              />
              <EventChoice chosen={again.length > 0 ? again : webhookEventTypes} />
              <div>
                <button type="submit">Add endpoint</button>
              </div>
            </Form>
          </Panel>
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
    const line = "Endpoint added. Copy its secret now: you cannot see it again. Then send a ping to test it.";
    return done(endpointPath(endpointId), line, secret);
  },
};
