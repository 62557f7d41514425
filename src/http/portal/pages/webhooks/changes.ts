import { randomUUID } from "node:crypto";
import { changeWebhook, pauseWebhook, removeWebhook, resumeWebhook, rotateWebhook } from "../../../../commands/organisations/webhooks.js";
import { ping, releaseDeliveries, sendAgain } from "../../../../commands/webhooks/deliveries.js";
import { replay } from "../../../../commands/webhooks/replay.js";
import { Rejection } from "../../../../domain/rejection.js";
import { overlapHours } from "../../../../domain/webhooks/endpoint.js";
import type { Fields } from "../../fields.js";
import type { Done, FormOf, PortalDeps } from "../../page.js";
import { originOf, type SignedInVisit } from "../../visit.js";
import { backTo, endpointPage, replayFrom, requireEndpoint } from "./endpointPage.js";
import { webhooksPath } from "./paths.js";

interface Meant {
  readonly organisationId: string;
  readonly endpointId: string;
}

type Work = (meant: Meant, visit: SignedInVisit, deps: PortalDeps, fields: Fields) => Promise<Done | string>;

/** A form about one endpoint; a line for the notice leads back to its page. */
const form = (what: string, work: Work): FormOf<SignedInVisit> => ({
  path: `${webhooksPath}/{endpointId}${what}`,
  access: "webhooks",
  page: endpointPage,
  submit: async (visit, fields, deps) => {
    const { endpointId } = await requireEndpoint(visit, deps);
    const done = await work({ organisationId: visit.person.organisationId, endpointId }, visit, deps, fields);
    return typeof done === "string" ? { goTo: backTo(visit), notice: { kind: "done", lines: [done] } } : done;
  },
});

const changeForm = form("", async (meant, visit, { webhooks }, fields) => {
  const events = fields.all("events");
  if (events.length === 0) throw new Rejection("invalid", "Choose at least one event");
  await changeWebhook(webhooks, meant, { url: fields.get("url"), events }, originOf(visit));
  return "Saved.";
});

const rotateForm = form("/rotate", async (meant, visit, { webhooks }) => {
  const { secret } = await rotateWebhook(webhooks, meant, originOf(visit));
  const lines = [`The secret is rotated. Copy the new one now: it is kept nowhere. For ${overlapHours} hours the old one signs too.`];
  return { goTo: backTo(visit), notice: { kind: "done", lines, once: secret } };
});

const pingForm = form("/ping", async (meant, _, { pool }) => {
  await ping(pool, meant, randomUUID());
  return "A ping is on its way. Its answer appears below within seconds: reload the page.";
});

const pauseForm = form("/pause", async (meant, visit, { webhooks }) => {
  await pauseWebhook(webhooks, meant, originOf(visit));
  return "Paused. What happens meanwhile waits, and goes when you resume.";
});

const resumeForm = form("/resume", async (meant, visit, { webhooks, pool }) => {
  await resumeWebhook(webhooks, meant, originOf(visit));
  await releaseDeliveries(pool, meant);
  return "Resumed. What has waited is sent now.";
});

const removeForm = form("/remove", async (meant, visit, { webhooks }) => {
  await removeWebhook(webhooks, meant, originOf(visit));
  return { goTo: webhooksPath, notice: { kind: "done", lines: ["The endpoint is removed."] } };
});

const sendAgainForm = form("/deliveries/{deliveryId}/send-again", async (meant, visit, { pool }) => {
  await sendAgain(pool, meant, visit.params["deliveryId"] ?? "");
  return "It is sent again under the same id, after what waits before it.";
});

const replayForm = form("/replay", async (meant, visit, { pool, eventStore, stopping }, fields) => {
  const from = replayFrom(fields.get("from"), visit.person.timezone);
  const sources = { pool, eventStore, ...(stopping ? { signal: stopping } : {}) };
  const events = await replay(sources, meant, from);
  return events === 1 ? "1 event is sent again." : `${events} events are sent again.`;
});

export const endpointForms = [changeForm, rotateForm, pingForm, pauseForm, resumeForm, removeForm, sendAgainForm, replayForm];
