import { importsToReplay } from "../../../../commands/webhooks/replay.js";
import { instantOf } from "../../../../domain/imports/timestamp.js";
import { Rejection } from "../../../../domain/rejection.js";
import { overlapHours } from "../../../../domain/webhooks/endpoint.js";
import { listDeliveries, listWebhooks, type WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import type { PageOf, PortalDeps } from "../../page.js";
import { OnlyOnce, ShortId, Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { Actions, ChangePanel, ReplayPanel } from "./actions.js";
import { Deliveries, pageSize } from "./deliveries.js";
import { endpointPath, webhooksPath } from "./paths.js";
import { type AskedReplay, EndpointQuestion } from "./question.js";
import { State } from "./state.js";

export const endpointPage: PageOf<SignedInVisit> = {
  path: `${webhooksPath}/{endpointId}`,
  access: "webhooks",
  show: async (visit, deps) => {
    const endpoint = await requireEndpoint(visit, deps);
    const { endpointId, url } = endpoint;
    const before = visit.query["before"];
    const found = await listDeliveries(deps.pool, visit.person.organisationId, endpointId, {
      limit: pageSize + 1,
      ...(before !== undefined && /^\d{1,18}$/.test(before) ? { before } : {}),
    });
    return {
      title: url,
      body: (
        <>
          {visit.notice?.once ? (
            <OnlyOnce title="The secret, shown only this once" text={visit.notice.once} copyLabel="Copy secret" />
          ) : null}
          <EndpointQuestion
            visit={visit}
            endpoint={endpoint}
            asked={visit.query["ask"]}
            replay={await askedReplay(visit, deps, endpointId)}
          />
          <p class="under-heading">
            <a href={visit.links.to(webhooksPath)}>All endpoints</a>
            <span class="muted">
              Endpoint <ShortId id={endpointId} about="the id of this endpoint" />
            </span>
          </p>
          <section class="panel" aria-labelledby="state">
            <h2 id="state">State</h2>
            <p>
              <State visit={visit} endpoint={endpoint} />
            </p>
            <Rotated visit={visit} endpoint={endpoint} />
            <Actions visit={visit} endpoint={endpoint} />
          </section>
          <Deliveries visit={visit} endpointId={endpointId} deliveries={found} before={before} />
          <ReplayPanel visit={visit} endpoint={endpoint} />
          <ChangePanel visit={visit} endpoint={endpoint} />
        </>
      ),
    };
  },
};

async function askedReplay({ query, person }: SignedInVisit, { pool }: PortalDeps, endpointId: string): Promise<AskedReplay | undefined> {
  const { ask, from = "" } = query;
  if (ask !== "replay") return undefined;
  const since = replayFrom(from, person.timezone);
  const imports = await importsToReplay(pool, { organisationId: person.organisationId, endpointId }, since);
  return { from, since, imports: imports.length };
}

/** A time as the form has it, in the organisation's own zone. */
export function replayFrom(text: string, timezone: string): Date {
  const from = instantOf(text, timezone);
  if (from === undefined) throw new Rejection("invalid", "From must be a date and a time");
  return new Date(from);
}

function Rotated({ visit, endpoint: { rotatedAt } }: { readonly visit: SignedInVisit; readonly endpoint: WebhookSummary }) {
  if (!rotatedAt) return null;
  const until = new Date(rotatedAt.getTime() + overlapHours * 3_600_000);
  if (until.getTime() <= Date.now())
    return (
      <p class="muted">
        Its secret was made on <Time visit={visit} at={rotatedAt} />.
      </p>
    );
  return (
    <p>
      The secret was rotated on <Time visit={visit} at={rotatedAt} />. Until <Time visit={visit} at={until} /> the old one signs beside the
      new one.
    </p>
  );
}

/** Another organisation's endpoint and an unknown id get the same answer. */
export async function requireEndpoint({ params, person }: SignedInVisit, { pool }: PortalDeps): Promise<WebhookSummary> {
  const endpoints = await listWebhooks(pool, person.organisationId);
  const found = endpoints.find(({ endpointId }) => endpointId === params["endpointId"]);
  if (!found) throw new Rejection("notFound", "There is no endpoint with this id");
  return found;
}

export const backTo = ({ params }: SignedInVisit): string => endpointPath(params["endpointId"] ?? "");
