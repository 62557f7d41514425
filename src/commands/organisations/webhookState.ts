// An organisation's endpoints as its stream tells them, and the decisions about them.
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { RecordedOn } from "../../events/codec.js";
import type { EventOn } from "../../events/registry.js";

export interface WebhookState {
  readonly endpointId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly generation: number;
  readonly paused: boolean;
}

/** Removed endpoints are not in it. */
export type Webhooks = Map<string, WebhookState>;

export type WebhookEvent = Extract<RecordedOn<"organisation">, { readonly type: `Webhook${string}` }>;

/** Fills the state in place, as organisation.ts does. */
export function evolveWebhooks(webhooks: Webhooks, { type, data }: WebhookEvent): void {
  const known = webhooks.get(data.endpointId);
  switch (type) {
    case "WebhookAdded": {
      const { endpointId, url, events } = data;
      webhooks.set(endpointId, { endpointId, url, events, generation: 1, paused: false });
      return;
    }
    case "WebhookChanged":
      if (known) webhooks.set(data.endpointId, { ...known, url: data.url, events: data.events, generation: data.generation });
      return;
    case "WebhookRemoved":
      webhooks.delete(data.endpointId);
      return;
    case "WebhookPaused":
    case "WebhookResumed":
      if (known) webhooks.set(data.endpointId, { ...known, paused: type === "WebhookPaused" });
      return;
  }
  data satisfies never;
}

export type WebhookCommand =
  | { readonly type: "add"; readonly url: string; readonly events: readonly string[] }
  | { readonly type: "change"; readonly url?: string; readonly events?: readonly string[] }
  | { readonly type: "rotate" }
  | { readonly type: "remove"; readonly reason?: string }
  | { readonly type: "pause"; readonly reason?: string }
  | { readonly type: "resume" };

export const mostEndpoints = 1_000;

/** A command that would change nothing leads to no event. All but `add` are rejected for an endpoint that does not exist. */
export function decideWebhook(
  command: WebhookCommand,
  caused: { readonly endpointId: string; readonly by: Principal; readonly at: string },
  webhooks: Webhooks,
): EventOn<"organisation">[] {
  const { endpointId } = caused;
  if (command.type === "add") {
    if (webhooks.size >= mostEndpoints)
      throw new Rejection("conflict", `An organisation has at most ${mostEndpoints} endpoints; remove one first`);
    return [{ type: "WebhookAdded", data: { ...caused, url: command.url, events: [...command.events] } }];
  }
  const known = webhooks.get(endpointId);
  if (!known) throw new Rejection("notFound", "There is no such endpoint in this organisation; webhooks list shows those there are");
  const { url, events, generation } = known;
  switch (command.type) {
    case "change": {
      const wanted = { url: command.url ?? url, events: [...(command.events ?? events)] };
      const isSame = wanted.url === url && wanted.events.join() === events.join();
      return isSame ? [] : [{ type: "WebhookChanged", data: { ...caused, ...wanted, generation } }];
    }
    case "rotate":
      return [{ type: "WebhookChanged", data: { ...caused, url, events: [...events], generation: generation + 1 } }];
    case "remove":
      return [{ type: "WebhookRemoved", data: { ...caused, ...reasonOf(command) } }];
    case "pause":
      return known.paused ? [] : [{ type: "WebhookPaused", data: { ...caused, ...reasonOf(command) } }];
    case "resume":
      return known.paused ? [{ type: "WebhookResumed", data: caused }] : [];
  }
}

const reasonOf = ({ reason }: { readonly reason?: string }) => (reason === undefined ? {} : { reason });
