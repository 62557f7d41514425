import { randomUUID } from "node:crypto";
import { changeWebhook, pauseWebhook, removeWebhook, resumeWebhook, rotateWebhook } from "../../../../commands/organisations/webhooks.js";
import { enqueuePing, releaseDeliveries, resendDelivery } from "../../../../commands/webhooks/deliveries.js";
import { countImportsToReplay, maxCountedImports, replayEvents } from "../../../../commands/webhooks/replay.js";
import { Rejection } from "../../../../domain/rejection.js";
import { secretOverlapHours } from "../../../../domain/webhooks/endpoint.js";
import { type DeliverySummary, listDeliveries, type WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import { watchedName } from "../../../../queries/pageVersions.js";
import type { Fields } from "../../fields.js";
import { Live, liveAnswer, liveVersionOf } from "../../live/live.js";
import { defineAnswer, defineForm, oncePerVisit, originOf, type PortalDeps, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { Button, ButtonForm, Field, Form, tickedValues } from "../../shell/form.js";
import { countInWords } from "../../shell/formats.js";
import { listPage } from "../../shell/listPage.js";
import { Amount, EmptyState, Panel, ShortId, Time } from "../../shell/markup.js";
import { AskButton, AskForm, Question } from "../../shell/question.js";
import { parseTime, today } from "../days.js";
import { deliveryColumns } from "./deliveryPage.js";
import { EndpointState, EventChoice, endpointLivePath, endpointPath, newSecret, requireEndpoint, webhooksPath } from "./webhooksPage.js";

const readEndpoint = oncePerVisit(async (visit, deps: PortalDeps) => {
  const version = await liveVersionOf(watchedName.endpoint(visit.params["endpointId"] ?? ""), deps);
  return { version, endpoint: await requireEndpoint(visit, deps) };
});

export const liveEndpoint = defineAnswer(endpointLivePath(), "webhooks", async (visit, deps) => {
  const { endpointId } = await requireEndpoint(visit, deps);
  return liveAnswer(visit, deps, watchedName.endpoint(endpointId));
});

export const endpointList = listPage<DeliverySummary>({
  path: `${webhooksPath}/{endpointId}`,
  access: "webhooks",
  title: "Webhook",
  crumbs: [["Webhooks", webhooksPath]],
  noun: ["delivery", "deliveries"],
  caption: "Deliveries of the last 30 days, newest first",
  heading: "Deliveries",
  scripts: ["live.js"],
  head: async (visit, deps) => ({ title: (await readEndpoint(visit, deps)).endpoint.url }),
  readRows: async (visit, { limit, cursor = "" }, deps) => {
    const { endpointId } = (await readEndpoint(visit, deps)).endpoint;
    const before = /^\d{1,18}$/.test(cursor) ? { before: cursor } : {};
    const found = await listDeliveries(visit.person.organisationId, endpointId, { limit: limit + 1, ...before }, deps.pool);
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? String(items.at(-1)?.deliveryId) : null };
  },
  columns: (visit) => deliveryColumns(visit.params["endpointId"] ?? ""),
  panelAttributes: () => ({ id: "deliveries", "data-refetch": "" }),
  question: async (visit, deps) => questionOf(visit, deps, (await readEndpoint(visit, deps)).endpoint),
  aboveTable: async (visit, deps) => {
    const { endpoint, version } = await readEndpoint(visit, deps);
    const { endpointId, url } = endpoint;
    const path = endpointPath(endpointId);
    const button = (what: string, label: string) => <ButtonForm to={`${path}/${what}`} label={label} />;
    const ask = (what: string, label: string) => <AskButton path={path} question={{ ask: what }} label={label} about={url} />;
    return (
      <>
        <Live eventsPath={endpointLivePath(endpointId)} version={version} />
        <div id="endpoint-now" data-refetch>
          <Panel id="state" title="State">
            <p>
              <EndpointState {...endpoint} />
            </p>
            <RotationNote {...endpoint} />
            <p class="muted">
              Endpoint <ShortId id={endpointId} about="the id of this endpoint" />
            </p>
            <div class="button-row">
              {button("ping", "Send a ping")}
              {endpoint.pausedAt ? button("resume", "Resume") : button("pause", "Pause")}
              {ask("rotate", "Rotate secret")}
              {ask("remove", "Remove")}
            </div>
          </Panel>
        </div>
      </>
    );
  },
  belowTable: async (visit, deps) => {
    const { endpointId, url, events } = (await readEndpoint(visit, deps)).endpoint;
    const { timezone } = visit.person;
    const from = visit.query["from"] || `${today(timezone, new Date())}T00:00`;
    return (
      <>
        <Panel id="replay" title="Replay">
          {/* Asks for a confirmation first, because a replay may send thousands of requests. */}
          <AskForm path={endpointPath(endpointId)} question={{ ask: "replay" }} class="in-line">
            <Field label="From" name="from" type="datetime-local" value={from} />
            <Button class="quiet" label="Replay from then" />
          </AskForm>
          <p class="hint">
            Sends every event since that time again, including those that were delivered before. Each keeps its id, so your receiver can
            tell which it has had. The time is your organisation's ({timezone}).
          </p>
        </Panel>
        <Panel id="change" title="Change">
          <Form to={endpointPath(endpointId)} submit="Save changes">
            <Field label="URL" name="url" maxlength={2_000} value={url} autocomplete="off" />
            <EventChoice ticked={events} />
          </Form>
        </Panel>
      </>
    );
  },
  empty: () => (
    <EmptyState title="Nothing was sent in the last 30 days">
      The next import's events appear here. Send a ping to test the endpoint now.
    </EmptyState>
  ),
});

function RotationNote({ rotatedAt }: WebhookSummary) {
  if (!rotatedAt) return null;
  const until = new Date(rotatedAt.getTime() + secretOverlapHours * 3_600_000);
  if (until.getTime() <= Date.now())
    return (
      <p class="muted">
        Secret created on <Time at={rotatedAt} />.
      </p>
    );
  return (
    <p>
      Secret rotated on <Time at={rotatedAt} />. Until <Time at={until} /> requests are signed with both the old and the new secret.
    </p>
  );
}

/** The confirmation before an endpoint is removed, gets a new secret, or is sent earlier events again. */
async function questionOf({ query, person }: SignedInVisit, { pool }: PortalDeps, endpoint: WebhookSummary) {
  const { endpointId, url, waiting, pausedAt } = endpoint;
  const path = endpointPath(endpointId);
  if (query["ask"] === "remove")
    return (
      <Question title="Remove this endpoint?" to={`${path}/remove`} back={path} label="Remove">
        No more events are sent to <strong>{url}</strong>
        {waiting > 0 ? `, and ${waiting === 1 ? "the waiting one is" : `the ${waiting} waiting ones are`} dropped` : ""}. This cannot be
        undone. You can add the endpoint again, with a new secret.
      </Question>
    );
  if (query["ask"] === "rotate")
    return (
      <Question title="Rotate the secret?" to={`${path}/rotate`} back={path} label="Rotate">
        You get a new secret, shown once. For {secretOverlapHours} hours, requests to <strong>{url}</strong> are signed with both secrets.
        Switch your receiver to the new one before then.
      </Question>
    );
  if (query["ask"] !== "replay") return null;
  const { from = "" } = query;
  const since = parseTime("From", from, person.timezone);
  const imports = await countImportsToReplay(pool, { organisationId: person.organisationId, endpointId }, since);
  return (
    <Question title="Send these events again?" to={`${path}/replay`} back={path} label="Replay" fields={{ from }}>
      All events since <Time at={since} /> are sent to <strong>{url}</strong> again, for{" "}
      {imports > maxCountedImports ? "more than " : "at most "}
      <Amount value={Math.min(imports, maxCountedImports)} /> {imports === 1 ? "import" : "imports"}. Each event keeps its id.
      {pausedAt ? " They are sent when the endpoint is resumed." : ""}
    </Question>
  );
}

type EndpointRef = { organisationId: string; endpointId: string };
type Action = (ref: EndpointRef, visit: SignedInVisit, deps: PortalDeps, fields: Fields) => Promise<ReturnType<typeof withNotice> | string>;

/** A form about one endpoint. If the action returns a sentence, the form leads back to the endpoint's page and shows it. */
const endpointForm = (subPath: string, action: Action) =>
  defineForm(endpointList.page, subPath, async (visit, fields, deps) => {
    const { endpointId } = await requireEndpoint(visit, deps);
    const outcome = await action({ organisationId: visit.person.organisationId, endpointId }, visit, deps, fields);
    return typeof outcome === "string" ? withNotice(endpointPath(endpointId), outcome) : outcome;
  });

export const endpointForms = [
  endpointForm("", async (ref, visit, { webhooks }, fields) => {
    const events = tickedValues(fields, "events");
    if (events.length === 0) throw new Rejection("invalid", "Choose at least one event");
    await changeWebhook(webhooks, ref, { url: fields.get("url"), events }, originOf(visit));
    return "Saved.";
  }),
  endpointForm("/rotate", async (ref, visit, { webhooks }) => {
    const { secret } = await rotateWebhook(webhooks, ref, originOf(visit));
    const line = `Secret rotated. Copy the new one now: you cannot see it again. For ${secretOverlapHours} hours, requests are signed with both secrets.`;
    return withNotice(endpointPath(ref.endpointId), line, newSecret(secret));
  }),
  endpointForm("/ping", async (ref, _, { pool }) => {
    await enqueuePing(pool, ref, randomUUID());
    return "Ping sent. The response appears below in a few seconds.";
  }),
  endpointForm("/pause", async (ref, visit, { webhooks }) => {
    await pauseWebhook(webhooks, ref, originOf(visit));
    return "Paused. Events are kept, and sent when you resume.";
  }),
  endpointForm("/resume", async (ref, visit, { webhooks, pool }) => {
    await resumeWebhook(webhooks, ref, originOf(visit));
    await releaseDeliveries(pool, ref);
    return "Resumed. Waiting events are sent now.";
  }),
  endpointForm("/remove", async (ref, visit, { webhooks }) => {
    await removeWebhook(webhooks, ref, originOf(visit));
    return withNotice(webhooksPath, "Endpoint removed.");
  }),
  endpointForm("/deliveries/{deliveryId}/send-again", async (ref, visit, { pool }) => {
    await resendDelivery(pool, ref, visit.params["deliveryId"] ?? "");
    return "The event is sent again with the same id, after those already waiting.";
  }),
  endpointForm("/replay", async (ref, visit, { pool, eventStore, stopped }, fields) => {
    const from = parseTime("From", fields.get("from"), visit.person.timezone);
    const sources = { pool, eventStore, ...(stopped ? { signal: stopped } : {}) };
    const events = await replayEvents(sources, ref, from);
    return `${countInWords(events, "event is", "events are")} sent again.`;
  }),
];
