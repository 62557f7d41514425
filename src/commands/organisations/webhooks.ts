// Commands about an organisation's webhook endpoints, and their decider. A command that makes a secret returns it and does not store it.
import { randomUUID } from "node:crypto";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import { type AddressRules, checkUrl } from "../../domain/webhooks/address.js";
import { webhookSecret } from "../../domain/webhooks/endpoint.js";
import { isWebhookEventType, type WebhookEventType, webhookEventTypes } from "../../domain/webhooks/types.js";
import type { EventOn } from "../../events/registry.js";
import {
  changeOrganisation,
  noOrganisation,
  type OrganisationDeps,
  type OrganisationExistence,
  type Origin,
  organisationAggregate,
} from "./organisationStream.js";

export interface WebhookDeps extends OrganisationDeps {
  readonly rules: AddressRules;
  readonly signingSecret: string;
}

interface NewWebhookSecret {
  readonly endpointId: string;
  readonly secret: string;
}

export async function addWebhook(
  deps: WebhookDeps,
  { organisationId, url, events }: { organisationId: string; url: string; events?: readonly string[] | undefined },
  origin: Origin,
): Promise<NewWebhookSecret> {
  const endpointId = randomUUID();
  const action: WebhookAction = { type: "add", url: checkedUrl(url, deps.rules), events: checkedEvents(events) };
  await changeEndpoint({ organisationId, endpointId }, action, origin, deps);
  return { endpointId, secret: webhookSecret(deps.signingSecret, endpointId, 1) };
}

export async function changeWebhook(
  deps: WebhookDeps,
  endpoint: Endpoint,
  change: { url?: string | undefined; events?: readonly string[] | undefined },
  origin: Origin,
): Promise<void> {
  const url = change.url === undefined ? undefined : checkedUrl(change.url, deps.rules);
  const events = change.events && checkedEvents(change.events);
  await changeEndpoint(endpoint, { type: "change", url, events }, origin, deps);
}

/** Makes a new secret. For a day deliveries are also signed with the old one. */
export async function rotateWebhook(deps: WebhookDeps, endpoint: Endpoint, origin: Origin): Promise<NewWebhookSecret> {
  const { newEvents } = await changeEndpoint(endpoint, { type: "rotate" }, origin, deps);
  const [changed] = newEvents;
  if (changed?.type !== "WebhookChanged") throw new Error("a rotation decides one change");
  const { endpointId } = endpoint;
  return { endpointId, secret: webhookSecret(deps.signingSecret, endpointId, changed.data.generation) };
}

const stateCommand =
  (type: "remove" | "pause" | "resume") =>
  async (deps: OrganisationDeps, endpoint: Endpoint, origin: Origin, reason?: string): Promise<void> =>
    void (await changeEndpoint(endpoint, { type, reason }, origin, deps));

export const removeWebhook = stateCommand("remove");

/** Events wait until the endpoint is resumed. Only pings are still sent. */
export const pauseWebhook = stateCommand("pause");

/** Call `releaseDeliveries` afterwards, so that the waiting events are sent now and not at their next retry. */
export const resumeWebhook = stateCommand("resume");

const changeEndpoint = (endpoint: Endpoint, action: WebhookAction, origin: Origin, deps: OrganisationDeps) =>
  changeOrganisation(
    endpoint.organisationId,
    webhooksAggregate,
    (state, base) => decide({ ...action, ...endpoint, ...base }, state),
    origin,
    deps,
  );

function checkedUrl(text: string, rules: AddressRules): string {
  const check = checkUrl(text.trim(), rules);
  if ("fault" in check) throw new Rejection("invalid", check.fault);
  return check.url;
}

/** All types if none is named. The order is always the same, so that the same choice gives the same event. */
function checkedEvents(wanted: readonly string[] | undefined): WebhookEventType[] {
  const names = (wanted ?? []).map((text) => text.trim()).filter((text) => text !== "");
  const unknown = names.find((text) => !isWebhookEventType(text));
  if (unknown !== undefined)
    throw new Rejection("invalid", `There is no event ${unknown.slice(0, 50)}; there are ${webhookEventTypes.join(", ")}`);
  return names.length === 0 ? [...webhookEventTypes] : webhookEventTypes.filter((type) => names.includes(type));
}

export interface Endpoint {
  readonly organisationId: string;
  readonly endpointId: string;
}

export type WebhookAction =
  | { readonly type: "add"; readonly url: string; readonly events: readonly string[] }
  | { readonly type: "change"; readonly url?: string | undefined; readonly events?: readonly string[] | undefined }
  | { readonly type: "rotate" }
  | { readonly type: "remove" | "pause" | "resume"; readonly reason?: string | undefined };

type WebhookCommand = Endpoint & { readonly by: Principal; readonly now: Date } & WebhookAction;

interface EndpointState {
  readonly url: string;
  readonly events: readonly string[];
  /** 1 for the first secret, and one more after each rotation. The secret is derived from it. */
  readonly generation: number;
  readonly paused: boolean;
}

interface WebhooksState extends OrganisationExistence {
  /** By endpoint id. Removed endpoints are not in it. */
  readonly endpoints: Map<string, EndpointState>;
}

export const webhooksAggregate = organisationAggregate<Omit<WebhooksState, keyof OrganisationExistence>>(() => ({ endpoints: new Map() }), {
  WebhookAdded({ endpoints }, { data: { endpointId, url, events } }) {
    endpoints.set(endpointId, { url, events, generation: 1, paused: false });
  },
  WebhookChanged: (state, { data: { endpointId, url, events, generation } }) => setEndpoint(state, endpointId, { url, events, generation }),
  WebhookRemoved: ({ endpoints }, { data: { endpointId } }) => void endpoints.delete(endpointId),
  WebhookPaused: (state, { data: { endpointId } }) => setEndpoint(state, endpointId, { paused: true }),
  WebhookResumed: (state, { data: { endpointId } }) => setEndpoint(state, endpointId, { paused: false }),
});

function setEndpoint({ endpoints }: Pick<WebhooksState, "endpoints">, endpointId: string, change: Partial<EndpointState>): void {
  const endpoint = endpoints.get(endpointId);
  if (endpoint) endpoints.set(endpointId, { ...endpoint, ...change });
}

/** Organisations that had more endpoints before this limit was introduced keep them. */
const maxEndpoints = 20;

/** All commands but `add` are rejected for an endpoint that does not exist. */
export function decide(command: WebhookCommand, { organisationExists, endpoints }: WebhooksState): EventOn<"organisation">[] {
  const { organisationId, endpointId, by } = command;
  const stamp = { endpointId, by, at: command.now.toISOString() };
  if (!organisationExists) throw noOrganisation(organisationId);
  const endpoint = endpoints.get(endpointId);
  if (command.type === "add") {
    if (endpoint) return [];
    if (endpoints.size >= maxEndpoints)
      throw new Rejection("conflict", `An organisation has at most ${maxEndpoints} endpoints; remove one first`);
    return [{ type: "WebhookAdded", data: { ...stamp, url: command.url, events: [...command.events] } }];
  }
  if (!endpoint) throw noEndpoint();
  const { url, generation, paused } = endpoint;
  const events = [...endpoint.events];
  switch (command.type) {
    case "change": {
      const wanted = { url: command.url ?? url, events: [...(command.events ?? events)] };
      const isSame = wanted.url === url && wanted.events.join() === events.join();
      return isSame ? [] : [{ type: "WebhookChanged", data: { ...stamp, ...wanted, generation } }];
    }
    case "rotate":
      return [{ type: "WebhookChanged", data: { ...stamp, url, events, generation: generation + 1 } }];
    case "remove":
      return [{ type: "WebhookRemoved", data: { ...stamp, reason: command.reason } }];
    case "pause":
      return paused ? [] : [{ type: "WebhookPaused", data: { ...stamp, reason: command.reason } }];
    case "resume":
      return paused ? [{ type: "WebhookResumed", data: stamp }] : [];
  }
}

export const noEndpoint = () =>
  new Rejection("notFound", "There is no such endpoint in this organisation; webhooks list shows those there are");
