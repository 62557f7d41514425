// Webhook endpoints of customers on test receivers, and checks of what they must have received in the end.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Pool } from "pg";
import { expect } from "vitest";
import { addWebhook } from "../../../src/commands/organisations/webhooks.js";
import { webhookTypeOf } from "../../../src/domain/webhooks/types.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { oddReceivers } from "../../support/oddReceivers.js";
import { type Machine, until } from "../../support/processes.js";
import { type Received, type Receiver, startReceiver } from "../../support/receiver.js";
import { organisationDeps } from "../../support/service.js";
import { withStoresOf } from "../machines/product.js";
import { long } from "../scale.js";
import type { Customer } from "./customer.js";

export interface Listener {
  readonly customer: Customer;
  readonly receiver: Receiver;
}

interface Stores {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

const open: { close(): Promise<void> }[] = [];

/** For `afterEach`: closes every receiver, also after a failed test. */
export async function stopListening(): Promise<void> {
  await Promise.all(open.splice(0).map((receiver) => receiver.close()));
}

/** Adds an endpoint for the customer. `signingSecret` is the product's, so that the receiver can verify messages. */
export async function listen(stores: Stores, customer: Customer, signingSecret: string): Promise<Listener> {
  const receiver = await startReceiver();
  open.push(receiver);
  receiver.secret = await addEndpoint(stores, customer, receiver.url, signingSecret);
  return { customer, receiver };
}

async function addEndpoint(stores: Stores, { organisationId }: Customer, url: string, signingSecret: string): Promise<string> {
  const deps = { ...organisationDeps(stores.pool, stores.eventStore), rules: { allowPrivate: true }, signingSecret };
  const origin = { by: { kind: "cli" as const, id: "faults" }, correlationId: randomUUID() };
  return (await addWebhook(deps, { organisationId, url }, origin)).secret;
}

/** Endpoints of this customer at which no attempt succeeds. */
export async function addOddEndpoints(stores: Stores, customer: Customer, signingSecret: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const odd = oddReceivers[name];
    if (!odd) throw new Error(`there is no receiver that ${name}`);
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
      odd.treat(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push({
      close: async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((settle) => server.close(settle));
      },
    });
    const url = `${odd.isTls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await addEndpoint(stores, customer, url, signingSecret);
  }
}

/** Receivers that once stopped a worker's deliveries, or hold its places the longest. */
export const worstReceivers = [
  "switches protocols",
  "answers 101 alone",
  "answers 101 and goes on",
  "answers 100 and no more",
  "accepts and is silent",
  "reads nothing",
  "trickles its head",
  "does not shake hands",
];

interface Expected {
  readonly id: string;
  readonly type: string;
}

/** The events that the log says endpoints must get, by organisation and import, in order. */
export async function toldByTheLog(eventStore: EventStore): Promise<Map<string, Map<string, Expected[]>>> {
  const told = new Map<string, Map<string, Expected[]>>();
  await eventStore.replay({ prefixes: ["import-"] }, async ({ events }) => {
    for (const { id, type: recorded, stream, metadata } of events) {
      const type = webhookTypeOf(recorded);
      if (type === undefined) continue;
      const imports = told.get(metadata.organisation) ?? new Map<string, Expected[]>();
      told.set(metadata.organisation, imports);
      const importId = stream.slice("import-".length);
      imports.set(importId, [...(imports.get(importId) ?? []), { id, type }]);
    }
  });
  return told;
}

/** Checks that no event is missing or unknown, and that each import's events came in order. Returns how many came more than once. */
export function checkHeard({ receiver }: Listener, expected: ReadonlyMap<string, readonly Expected[]>): number {
  expect(receiver.forged).toEqual([]);
  const heard = new Map<string, Received[]>();
  for (const got of receiver.got) {
    const { importId = "" } = got.data;
    heard.set(importId, [...(heard.get(importId) ?? []), got]);
  }
  expect(heard.size).toBe(expected.size);
  for (const [importId, events] of expected) {
    const got = heard.get(importId) ?? [];
    const order = got.map(({ id, type }) => events.findIndex((event) => event.id === id && event.type === type));
    expect(new Set(order), importId).toEqual(new Set(events.keys()));
    expect(order, importId).toEqual(order.toSorted((a, b) => a - b));
  }
  return receiver.got.length - new Set(receiver.got.map(({ id }) => id)).size;
}

/**
 * Waits until no delivery waits, and this many events are delivered and imports completed. The short form ends claims of dead workers at once,
 * not after 30 s.
 */
export async function untilAllTold(
  machine: Machine,
  listeners: readonly Listener[],
  { events, completed }: { events: number; completed: number },
): Promise<void> {
  const organisations = listeners.map(({ customer }) => customer.organisationId);
  const ended = () =>
    withStoresOf(machine, async ({ pool }) => {
      if (!long) {
        const commands = await machine.processes();
        const living = [...commands].flatMap(([pid, command]) => (command.includes("cli.js worker") ? [`%-${pid}-%`] : []));
        await pool.query("update webhook_deliveries set due_at = now() where claim is not null and not claim like any($1)", [living]);
      }
      const { rows } = await pool.query(
        `select count(*) filter (where status = 'delivered')::int as delivered, count(*) filter (where status = 'waiting')::int as waiting,
                (select count(*)::int from imports where status = 'completed' and organisation_id = any($1)) as completed
           from webhook_deliveries where organisation_id = any($1)`,
        [organisations],
      );
      return rows[0] as { delivered: number; waiting: number; completed: number };
    });
  let seen = {};
  await until(
    "everything is told",
    async () => {
      const now = await ended().catch(() => undefined);
      seen = now ?? seen;
      return now !== undefined && now.waiting === 0 && now.completed >= completed && now.delivered >= events;
    },
    long ? 3_600_000 : 120_000,
  ).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}: ${JSON.stringify(seen)}`);
  });
}
