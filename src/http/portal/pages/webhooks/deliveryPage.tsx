import { Rejection } from "../../../../domain/rejection.js";
import { type AttemptSummary, type Delivery, findDelivery } from "../../../../queries/organisations/webhooks.js";
import { EventGone, webhookMessageOf } from "../../../../queries/webhooks/message.js";
import type { PageDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { EmptyState, Facts, Panel } from "../../shell/panel.js";
import { CopyButton, ShortId, Time } from "../../shell/values.js";
import { importPath } from "../imports/importStatus.js";
import { DeliveryOutcome, SendAgain } from "./deliveries.js";
import { deliveryPath, endpointPath, webhooksPath } from "./endpointPanels.js";
import { LiveEndpoint, readEndpointVersion } from "./endpointStream.js";
import { requireEndpoint } from "./requireEndpoint.js";

/** How much of an answer is shown; `webhooks deliveries` has more of it in its JSON. */
const shownCharacters = 2_000;

/** One delivery: what was sent, and what came back. */
export const deliveryPage: PageDefinition<SignedInVisit> = {
  path: deliveryPath("{endpointId}", "{deliveryId}"),
  access: "webhooks",
  show: async (visit, deps) => {
    const { endpointId, url } = await requireEndpoint(visit, deps);
    const version = await readEndpointVersion(deps, endpointId);
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
              <a href={visit.links.to(importPath(importId))}>The import</a>
            </p>
          ) : null}
          <LiveEndpoint visit={visit} endpointId={endpointId} version={version} />
          <div id="delivery-now" data-refetch>
            <Panel id="outcome" title="Delivery">
              <Facts
                facts={[
                  ["Outcome", <DeliveryOutcome visit={visit} delivery={delivery} />],
                  ["Happened", <Time visit={visit} at={occurredAt} exact />],
                  ["webhook-id", <ShortId id={eventId} about="the webhook-id" />],
                ]}
              />
              <SendAgain visit={visit} endpointId={endpointId} deliveryId={deliveryId} about={type} />
            </Panel>
            <Panel id="attempts" title="Attempts">
              <Attempts visit={visit} attempts={attempts} />
            </Panel>
          </div>
          <Payload payload={payload} />
        </>
      ),
    };
  },
};

/** The body as it is sent, which is built from the log each time. Undefined where the log no longer has the event. */
async function payloadOf(delivery: Delivery & { endpointId: string }, { person }: SignedInVisit, deps: PortalDeps) {
  const { organisationId } = person;
  const body = await webhookMessageOf({ ...delivery, organisationId }, deps).catch((error: unknown) => {
    if (error instanceof EventGone) return undefined;
    throw error;
  });
  return body === undefined ? undefined : JSON.stringify(JSON.parse(body), null, 2);
}

const Payload = ({ payload }: { payload: string | undefined }) => (
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
);

function Attempts({ visit, attempts }: { visit: SignedInVisit; attempts: readonly AttemptSummary[] }) {
  if (attempts.length === 0) return <p class="muted">None yet.</p>;
  return (
    <ol class="attempts">
      {attempts.map(({ attempt, at, milliseconds, status, reason, answer }) => (
        <li value={attempt}>
          <Time visit={visit} at={at} exact />: {status === null ? (reason ?? "no answer") : `answered ${status}`} after {milliseconds} ms
          {answer ? <pre class="raw-event">{answer.slice(0, shownCharacters)}</pre> : null}
        </li>
      ))}
    </ol>
  );
}
