// Deliveries: the columns of their list, and the page of one delivery with its payload and the answers to its attempts.
import { Rejection } from "../../../../domain/rejection.js";
import { type AttemptSummary, type Delivery, type DeliverySummary, findDelivery } from "../../../../queries/organisations/webhooks.js";
import { watchedName } from "../../../../queries/pageVersions.js";
import { EventGone, webhookMessageOf } from "../../../../queries/webhooks/message.js";
import { Live, liveVersionOf } from "../../live/live.js";
import { definePage, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { ButtonForm } from "../../shell/form.js";
import { Badge, CopyButton, EmptyState, Facts, Link, Panel, ShortId, type State, Time } from "../../shell/markup.js";
import { actionColumn, type Column, column } from "../../shell/table.js";
import { importPath } from "../imports/importStatus.js";
import { deliveryPath, endpointLivePath, endpointPath, requireEndpoint, webhooksPath } from "./webhooksPage.js";

/** How much of an answer the page shows. The command `webhooks deliveries` prints more as JSON. */
const maxShownCharacters = 2_000;

export const deliveryPage = definePage(deliveryPath("{endpointId}", "{deliveryId}"), "webhooks", async (visit, deps) => {
  const version = await liveVersionOf(watchedName.endpoint(visit.params["endpointId"] ?? ""), deps);
  const { endpointId, url } = await requireEndpoint(visit, deps);
  const delivery = await findDelivery(visit.person.organisationId, endpointId, visit.params["deliveryId"] ?? "", deps.pool);
  if (!delivery) throw new Rejection("notFound", "There is no such delivery. Deliveries are kept for 30 days");
  const { deliveryId, type, eventId, importId, occurredAt, attempts } = delivery;
  const payload = await payloadOf({ ...delivery, endpointId }, visit, deps);
  return {
    title: type,
    crumbs: [
      ["Webhooks", webhooksPath],
      [url, endpointPath(endpointId)],
    ],
    scripts: ["live.js"],
    body: (
      <>
        {importId ? (
          <p class="under-heading">
            <Link to={importPath(importId)}>The import</Link>
          </p>
        ) : null}
        <Live eventsPath={endpointLivePath(endpointId)} version={version} />
        <div id="delivery-now" data-refetch>
          <Panel id="outcome" title="Delivery">
            <Facts
              facts={[
                ["Outcome", <DeliveryOutcome delivery={delivery} />],
                ["Happened", <Time at={occurredAt} exact />],
                ["webhook-id", <ShortId id={eventId} about="the webhook-id" />],
              ]}
            />
            <SendAgainButton path={deliveryPath(endpointId, deliveryId)} about={type} />
          </Panel>
          <Panel id="attempts" title="Attempts">
            {attempts.length === 0 ? (
              <p class="muted">None yet.</p>
            ) : (
              <ol class="attempts">
                {attempts.map(({ attempt, at, milliseconds, status, reason, answer }) => (
                  <li value={attempt}>
                    <Time at={at} exact />: {status === null ? (reason ?? "no answer") : `answered ${status}`} after {milliseconds} ms
                    {answer ? <pre class="raw-event">{answer.slice(0, maxShownCharacters)}</pre> : null}
                  </li>
                ))}
              </ol>
            )}
          </Panel>
        </div>
        <Panel id="payload" title="Payload">
          {payload === undefined ? (
            <EmptyState title="This event is no longer stored and cannot be sent again" />
          ) : (
            <>
              <p class="hint">The body of each attempt. Links to error reports expire, so every attempt has a new one.</p>
              <pre class="raw-event" tabindex={0}>
                <code>{payload}</code>
              </pre>
              <CopyButton text={payload} label="Copy payload" />
            </>
          )}
        </Panel>
      </>
    ),
  };
});

/** The body as it is sent, built from the event log for each visit. Undefined if the log no longer has the event. */
async function payloadOf(delivery: Delivery & { endpointId: string }, { person }: SignedInVisit, deps: PortalDeps) {
  const { organisationId } = person;
  const body = await webhookMessageOf({ ...delivery, organisationId }, deps).catch((error: unknown) => {
    if (error instanceof EventGone) return undefined;
    throw error;
  });
  return body === undefined ? undefined : JSON.stringify(JSON.parse(body), null, 2);
}

const badges: Readonly<Record<DeliverySummary["status"], State>> = {
  waiting: { label: "Waiting", badge: "busy" },
  delivered: { label: "Delivered", badge: "good" },
  failed: { label: "Failed", badge: "bad" },
  dropped: { label: "Not sent", badge: "" },
};

export const deliveryColumns = (endpointId: string): readonly Column<DeliverySummary>[] => [
  column("event", "Event", ({ type }) => type, { isRowHeader: true, link: ({ deliveryId }) => deliveryPath(endpointId, deliveryId) }),
  column("happened", "Happened", ({ occurredAt }) => occurredAt),
  column("outcome", "Outcome", ({ status }) => badges[status].label, { cell: (delivery) => <DeliveryOutcome delivery={delivery} /> }),
  column("attempts", "Attempts", ({ attempts }) => attemptsInBrief(attempts)),
  actionColumn(({ deliveryId, type, occurredAt }) => (
    <SendAgainButton path={deliveryPath(endpointId, deliveryId)} about={`${type} of ${occurredAt.toISOString()}`} />
  )),
];

function DeliveryOutcome({ delivery }: { delivery: DeliverySummary }) {
  const { status, reason, dueAt, attempts } = delivery;
  return (
    <span class="endpoint-state">
      <Badge state={badges[status]} />
      {reason ? <span class="muted">{reason}.</span> : null}
      {status === "waiting" && attempts.length > 0 ? (
        <span class="muted">
          Next attempt <Time at={dueAt} />
        </span>
      ) : null}
    </span>
  );
}

const SendAgainButton = ({ path, about }: { path: string; about: string }) => (
  <ButtonForm to={`${path}/send-again`} about={about} label="Send again" />
);

function attemptsInBrief(attempts: readonly AttemptSummary[]): string {
  const last = attempts.at(-1);
  if (!last) return "None yet";
  return `${last.attempt === 1 ? "1 attempt" : `${last.attempt} attempts`}, ${last.status ?? "no answer"}`;
}
