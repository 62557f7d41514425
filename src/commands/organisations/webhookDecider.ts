// The decider of an organisation's webhook endpoints, which are on the organisation's stream.
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { EventOn } from "../../events/registry.js";
import { noOrganisation, organisationAggregate } from "./organisationStream.js";

export interface Endpoint {
  readonly organisationId: string;
  readonly endpointId: string;
}

export type WebhookAction =
  | { readonly type: "add"; readonly url: string; readonly events: readonly string[] }
  | { readonly type: "change"; readonly url?: string; readonly events?: readonly string[] }
  | { readonly type: "rotate" }
  | { readonly type: "remove"; readonly reason?: string | undefined }
  | { readonly type: "pause"; readonly reason?: string | undefined }
  | { readonly type: "resume" };

export type WebhookCommand = Endpoint & { readonly by: Principal; readonly now: Date } & WebhookAction;

interface EndpointState {
  readonly url: string;
  readonly events: readonly string[];
  readonly generation: number;
  readonly paused: boolean;
}

export interface WebhooksState {
  organisationExists: boolean;
  /** By endpoint id. Removed endpoints are not in it. */
  readonly endpoints: Map<string, EndpointState>;
}

export const webhooksAggregate = organisationAggregate<WebhooksState>(() => ({ organisationExists: false, endpoints: new Map() }), {
  CatalogueApplied(state) {
    state.organisationExists = true;
  },
  WebhookAdded({ endpoints }, { data: { endpointId, url, events } }) {
    endpoints.set(endpointId, { url, events, generation: 1, paused: false });
  },
  WebhookChanged: (state, { data: { endpointId, url, events, generation } }) =>
    changeEndpoint(state, endpointId, { url, events, generation }),
  WebhookRemoved: ({ endpoints }, { data: { endpointId } }) => void endpoints.delete(endpointId),
  WebhookPaused: (state, { data: { endpointId } }) => changeEndpoint(state, endpointId, { paused: true }),
  WebhookResumed: (state, { data: { endpointId } }) => changeEndpoint(state, endpointId, { paused: false }),
});

function changeEndpoint({ endpoints }: WebhooksState, endpointId: string, change: Partial<EndpointState>): void {
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
      return [{ type: "WebhookRemoved", data: { ...caused, ...reasonOf(command) } }];
    case "pause":
      return paused ? [] : [{ type: "WebhookPaused", data: { ...caused, ...reasonOf(command) } }];
    case "resume":
      return paused ? [{ type: "WebhookResumed", data: caused }] : [];
  }
}

export const noEndpoint = () =>
  new Rejection("notFound", "There is no such endpoint in this organisation; webhooks list shows those there are");

const reasonOf = ({ reason }: { readonly reason?: string | undefined }) => (reason === undefined ? {} : { reason });
