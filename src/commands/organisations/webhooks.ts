// Commands about an organisation's webhook endpoints, and their decider. A secret is answered once, by the command that makes it, and kept nowhere.

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
  /** Returned once and stored nowhere. */
  readonly secret: string;
}

export async function addWebhook(
  deps: WebhookDeps,
  { organisationId, url, events }: { organisationId: string; url: string; events?: readonly string[] | undefined },
  origin: Origin,
): Promise<NewWebhookSecret> {
  const endpointId = randomUUID();
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
  const url = change.url === undefined ? undefined : soundUrl(change.url, deps.rules);
  const events = change.events && soundEvents(change.events);
  await changeEndpoint(endpoint, { type: "change", url, events }, origin, deps);
}

/** A new secret. For a day the old one signs beside it. */
export async function rotateWebhook(deps: WebhookDeps, endpoint: Endpoint, origin: Origin): Promise<NewWebhookSecret> {
  const { decided } = await changeEndpoint(endpoint, { type: "rotate" }, origin, deps);
  const [changed] = decided;
  if (changed?.type !== "WebhookChanged") throw new Error("a rotation decides one change");
  const { endpointId } = endpoint;
  return { endpointId, secret: webhookSecret(deps.signingSecret, endpointId, changed.data.generation) };
}

const stateCommand =
  (type: "remove" | "pause" | "resume") =>
  async (deps: OrganisationDeps, endpoint: Endpoint, origin: Origin, reason?: string): Promise<void> =>
    void (await changeEndpoint(endpoint, { type, reason }, origin, deps));

export const removeWebhook = stateCommand("remove");

/** Sends nothing to the endpoint until it is resumed. Events wait meanwhile. */
export const pauseWebhook = stateCommand("pause");

/** What has waited is sent; call `releaseDeliveries` afterwards, so that it goes at once. */
export const resumeWebhook = stateCommand("resume");

const changeEndpoint = (endpoint: Endpoint, action: WebhookAction, origin: Origin, deps: OrganisationDeps) =>
  changeOrganisation(
    endpoint.organisationId,
    webhooksAggregate,
    (state, given) => decide({ ...action, ...endpoint, ...given }, state),
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
  const known = endpoints.get(endpointId);
  if (known) endpoints.set(endpointId, { ...known, ...change });
}

/** Organisations that had more before there was this limit keep them. */
const mostEndpoints = 20;

/** All commands but `add` are rejected for an endpoint that does not exist. */
export function decide(command: WebhookCommand, { organisationExists, endpoints }: WebhooksState): EventOn<"organisation">[] {
  const { organisationId, endpointId, by } = command;
  const caused = { endpointId, by, at: command.now.toISOString() };
  if (!organisationExists) throw noOrganisation(organisationId);
  const known = endpoints.get(endpointId);
  if (command.type === "add") {
    if (known) return [];
    if (endpoints.size >= mostEndpoints)
      throw new Rejection("conflict", `An organisation has at most ${mostEndpoints} endpoints; remove one first`);
    return [{ type: "WebhookAdded", data: { ...caused, url: command.url, events: [...command.events] } }];
  }
  if (!known) throw noEndpoint();
  const { url, generation, paused } = known;
  const events = [...known.events];
  switch (command.type) {
    case "change": {
      const wanted = { url: command.url ?? url, events: [...(command.events ?? events)] };
      const isSame = wanted.url === url && wanted.events.join() === events.join();
      return isSame ? [] : [{ type: "WebhookChanged", data: { ...caused, ...wanted, generation } }];
    }
    case "rotate":
      return [{ type: "WebhookChanged", data: { ...caused, url, events, generation: generation + 1 } }];
    case "remove":
      return [{ type: "WebhookRemoved", data: { ...caused, reason: command.reason } }];
    case "pause":
      return paused ? [] : [{ type: "WebhookPaused", data: { ...caused, reason: command.reason } }];
    case "resume":
      return paused ? [{ type: "WebhookResumed", data: caused }] : [];
  }
}

export const noEndpoint = () =>
  new Rejection("notFound", "There is no such endpoint in this organisation; webhooks list shows those there are");
