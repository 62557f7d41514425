// Commands about an organisation's webhook endpoints. A secret is answered once, by the command that makes it, and kept nowhere.
import { Rejection } from "../../domain/rejection.js";
import { type AddressRules, checkUrl } from "../../domain/webhooks/address.js";
import { webhookSecret } from "../../domain/webhooks/endpoint.js";
import { isWebhookEventType, type WebhookEventType, webhookEventTypes } from "../../domain/webhooks/types.js";
import { changeOrganisation, type OrganisationDeps, type Origin } from "./organisationStream.js";
import { decide, type Endpoint, type WebhookAction, webhooksAggregate } from "./webhookDecider.js";

export interface WebhookDeps extends OrganisationDeps {
  readonly rules: AddressRules;
  readonly signingSecret: string;
}

export interface NewWebhookSecret {
  readonly endpointId: string;
  /** Returned once and stored nowhere. */
  readonly secret: string;
}

export async function addWebhook(
  deps: WebhookDeps,
  { organisationId, url, events }: { organisationId: string; url: string; events?: readonly string[] | undefined },
  origin: Origin,
): Promise<NewWebhookSecret> {
  const endpointId = deps.newId();
  const action: WebhookAction = { type: "add", url: soundUrl(url, deps.rules), events: soundEvents(events) };
  await changeEndpoint({ organisationId, endpointId }, action, origin, deps);
  return { endpointId, secret: webhookSecret(deps.signingSecret, endpointId, 1) };
}

export async function changeWebhook(
  deps: WebhookDeps,
  endpoint: Endpoint,
  change: { url?: string | undefined; events?: readonly string[] | undefined },
  origin: Origin,
): Promise<void> {
  const url = change.url === undefined ? {} : { url: soundUrl(change.url, deps.rules) };
  const events = change.events === undefined ? {} : { events: soundEvents(change.events) };
  await changeEndpoint(endpoint, { type: "change", ...url, ...events }, origin, deps);
}

/** A new secret. For a day the old one signs beside it. */
export async function rotateWebhook(deps: WebhookDeps, endpoint: Endpoint, origin: Origin): Promise<NewWebhookSecret> {
  const { decided } = await changeEndpoint(endpoint, { type: "rotate" }, origin, deps);
  const [changed] = decided;
  if (changed?.type !== "WebhookChanged") throw new Error("a rotation decides one change");
  const { endpointId } = endpoint;
  return { endpointId, secret: webhookSecret(deps.signingSecret, endpointId, changed.data.generation) };
}

export async function removeWebhook(deps: OrganisationDeps, endpoint: Endpoint, origin: Origin, reason?: string): Promise<void> {
  await changeEndpoint(endpoint, { type: "remove", reason }, origin, deps);
}

/** Sends nothing to the endpoint until it is resumed. Events wait meanwhile. */
export async function pauseWebhook(deps: OrganisationDeps, endpoint: Endpoint, origin: Origin, reason?: string): Promise<void> {
  await changeEndpoint(endpoint, { type: "pause", reason }, origin, deps);
}

/** What has waited is sent; call `releaseDeliveries` afterwards, so that it goes at once. */
export async function resumeWebhook(deps: OrganisationDeps, endpoint: Endpoint, origin: Origin): Promise<void> {
  await changeEndpoint(endpoint, { type: "resume" }, origin, deps);
}

const changeEndpoint = (endpoint: Endpoint, action: WebhookAction, origin: Origin, deps: OrganisationDeps) =>
  changeOrganisation(
    endpoint.organisationId,
    webhooksAggregate,
    (state, { by, now }) => decide({ ...action, ...endpoint, by, now }, state),
    origin,
    deps,
  );

function soundUrl(text: string, rules: AddressRules): string {
  const judged = checkUrl(text.trim(), rules);
  if ("fault" in judged) throw new Rejection("invalid", judged.fault);
  return judged.url;
}

/** All types where none is named. Always in the same order, so that the same choice gives the same event. */
function soundEvents(wanted: readonly string[] | undefined): WebhookEventType[] {
  const named = (wanted ?? []).map((text) => text.trim()).filter((text) => text !== "");
  const unknown = named.find((text) => !isWebhookEventType(text));
  if (unknown !== undefined)
    throw new Rejection("invalid", `There is no event ${unknown.slice(0, 50)}; there are ${webhookEventTypes.join(", ")}`);
  return named.length === 0 ? [...webhookEventTypes] : webhookEventTypes.filter((type) => named.includes(type));
}
