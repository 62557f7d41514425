import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { addWebhook, pauseWebhook, removeWebhook, resumeWebhook, rotateWebhook } from "../commands/organisations/webhooks.js";
import { enqueuePing, releaseDeliveries } from "../commands/webhooks/deliveries.js";
import { replayEvents } from "../commands/webhooks/replay.js";
import { instantOf } from "../domain/imports/timestamp.js";
import { isUuid } from "../domain/uuid.js";
import { isKnownEndpoint, listDeliveries, listWebhooks } from "../queries/organisations/webhooks.js";
import { lookUntilFound } from "../timeLimit.js";
import { CommandFault, command, organisationCommands, parseLimit, print, printList, printToStderr } from "./outcome.js";
import { type CommandContext, withOrganisation, withStores } from "./withStores.js";

export function addCommands(webhooks: Command): void {
  const addCommand = organisationCommands(webhooks);
  const addForEndpoint = (name: string, description: string) =>
    addCommand(name, description).argument("<endpoint>", "its id, as `webhooks list` shows it");
  addCommand("add", "add an endpoint and print only its secret, this once: it is not stored")
    .requiredOption("--url <url>", "where to send; https, or http to loopback where WEBHOOK_PRIVATE is on")
    .option("--events <types>", "separated by commas; all of them if left out")
    .action(command(add));
  addCommand("list", "the organisation's endpoints").option("--json", "as JSON").action(command(list));
  addForEndpoint("remove", "send nothing more to an endpoint").action(command(remove));
  addForEndpoint("rotate", "make a new secret and print it, alone and once; the old one signs for 24 hours more").action(command(rotate));
  addForEndpoint("pause", "send nothing to an endpoint until it is resumed; what happens meanwhile waits").action(command(pauseSending));
  addForEndpoint("resume", "send to a paused endpoint again, beginning with what has waited").action(command(resume));
  addForEndpoint("ping", "send a ping now and say what came of it").action(command(sendPing));
  addForEndpoint("replay", "send everything since a time again, from the log, under the same ids")
    .requiredOption("--from <time>", "ISO 8601, such as 2026-03-01T00:00:00Z; without a zone in UTC")
    .action(command(replaySince));
  addForEndpoint("deliveries", "what was sent and what was answered, newest first; 30 days are kept")
    .option("--limit <number>", "how many, at most 1000", "50")
    .option("--json", "as JSON, with every attempt's answer")
    .action(command(deliveries));
}

async function add({ org: organisationId, url, events }: { org: string; url: string; events?: string }): Promise<void> {
  const added = await withStores(({ webhooks, origin }) =>
    addWebhook(webhooks, { organisationId, url, events: events?.split(",") }, origin),
  );
  print(added.secret);
  printToStderr(`endpoint ${added.endpointId} added; the line on stdout is its secret, shown this once`);
}

async function list({ org, json }: { org: string; json?: boolean }): Promise<void> {
  const found = await withOrganisation(org, ({ pool }) => listWebhooks(org, pool));
  const header = ["ENDPOINT", "URL", "EVENTS", "STATE", "WAITING", "ADDED", "PAUSED BECAUSE"];
  printList(found, json, header, ({ endpointId, url, events, pausedAt, pausedBecause, failures, waiting, addedAt }) => {
    const state = pausedAt ? "paused" : failures > 0 ? "failing" : "active";
    return [endpointId, url, events.join(","), state, waiting, addedAt, pausedBecause ?? ""];
  });
}

type EndpointOptions = { readonly org: string };

const endpointOf = (endpointId: string, { org: organisationId }: EndpointOptions) => {
  const id = endpointId.toLowerCase();
  if (!isUuid(id)) throw new CommandFault("That is not the id of an endpoint; webhooks list shows them");
  return { organisationId, endpointId: id };
};

type ChangeEndpoint = (context: CommandContext, endpoint: ReturnType<typeof endpointOf>) => Promise<unknown>;

const endpointCommand = (done: string, change: ChangeEndpoint) => async (id: string, options: EndpointOptions) => {
  const endpoint = endpointOf(id, options);
  await withStores((context) => change(context, endpoint));
  print(`${endpoint.endpointId} ${done}`);
};

const remove = endpointCommand("removed", ({ webhooks, origin }, endpoint) => removeWebhook(webhooks, endpoint, origin));
const pauseSending = endpointCommand("paused", ({ webhooks, origin }, endpoint) => pauseWebhook(webhooks, endpoint, origin));
const resume = endpointCommand("resumed", async ({ webhooks, origin, pool }, endpoint) => {
  await resumeWebhook(webhooks, endpoint, origin);
  await releaseDeliveries(pool, endpoint);
});

async function rotate(id: string, options: EndpointOptions): Promise<void> {
  const endpoint = endpointOf(id, options);
  const { secret } = await withStores(({ webhooks, origin }) => rotateWebhook(webhooks, endpoint, origin));
  print(secret);
}

const maxPingWaitMs = 20_000;

async function sendPing(id: string, options: EndpointOptions): Promise<void> {
  const endpoint = endpointOf(id, options);
  const delivery = await withStores(async ({ pool, signal }) => {
    const deliveryId = await enqueuePing(pool, endpoint, randomUUID());
    const findEndedDelivery = async () => {
      signal.throwIfAborted();
      const found = await listDeliveries(endpoint.organisationId, endpoint.endpointId, { limit: 20 }, pool);
      return found.find((each) => each.deliveryId === deliveryId && each.status !== "waiting");
    };
    return lookUntilFound(maxPingWaitMs, findEndedDelivery, 100);
  });
  if (!delivery) return print("The ping is queued: a running worker sends it, and webhooks deliveries shows what comes of it.");
  if (delivery.status !== "delivered") throw new CommandFault(`The ping failed: ${delivery.reason ?? "no reason is known"}`);
  const last = delivery.attempts.at(-1);
  print(`It answered ${last?.status} in ${last?.milliseconds} ms`);
}

async function replaySince(id: string, { from, ...options }: EndpointOptions & { from: string }): Promise<void> {
  const endpoint = endpointOf(id, options);
  const instant = instantOf(from, "UTC");
  if (instant === undefined) throw new CommandFault("--from must be a time such as 2026-03-01T00:00:00Z");
  const time = new Date(instant);
  const events = await withStores((context) => replayEvents(context, endpoint, time));
  const since = time.toISOString();
  print(events === 1 ? `1 event since ${since} is sent again` : `${events} events since ${since} are sent again`);
}

async function deliveries(id: string, { limit, json, ...options }: EndpointOptions & { limit: string; json?: boolean }): Promise<void> {
  const endpoint = endpointOf(id, options);
  const count = parseLimit(limit, 1_000);
  const found = await withStores(async ({ pool }) => {
    const { organisationId, endpointId } = endpoint;
    if (!(await isKnownEndpoint(organisationId, endpointId, pool)))
      throw new CommandFault("There is no such endpoint in this organisation; webhooks list shows those there are");
    return listDeliveries(organisationId, endpointId, { limit: count }, pool);
  });
  const header = ["DELIVERY", "EVENT", "TYPE", "IMPORT", "STATUS", "ATTEMPTS", "LAST", "NEXT", "REASON"];
  printList(found, json, header, ({ deliveryId, eventId, type, importId, status, attempts, dueAt, reason }) => {
    const last = attempts.at(-1);
    return [deliveryId, eventId, type, importId, status, last?.attempt ?? 0, last?.at, dueAt, reason ?? ""];
  });
}
