// Endpoints of customers on receivers of our own, and what they must have got in the end.
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { expect } from "vitest";
import { addWebhook } from "../../src/commands/organisations/webhooks.js";
import { isTold, toldOf } from "../../src/domain/webhooks/eventTypes.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import { type Received, type Receiver, startReceiver } from "../support/receiver.js";
import { organisationDeps } from "../support/service.js";
import type { Customer } from "./customer.js";

export interface Listener {
  readonly customer: Customer;
  readonly receiver: Receiver;
}

/** `signingSecret` is the product's own: what comes is verified. */
export async function listen(stores: { pool: Pool; eventStore: EventStore }, customer: Customer, signingSecret: string): Promise<Listener> {
  const receiver = await startReceiver();
  const deps = { ...organisationDeps(stores.pool, stores.eventStore), rules: { allowPrivate: true }, signingSecret };
  const { organisationId } = customer;
  const origin = { by: { kind: "cli" as const, id: "faults" }, correlationId: randomUUID() };
  const { secret } = await addWebhook(deps, { organisationId, url: receiver.url }, origin);
  receiver.secret = secret;
  return { customer, receiver };
}

interface Expected {
  readonly id: string;
  readonly type: string;
}

/** What the log says each import was to tell, by organisation and import, in order. */
export async function toldByTheLog(eventStore: EventStore): Promise<Map<string, Map<string, Expected[]>>> {
  const told = new Map<string, Map<string, Expected[]>>();
  await eventStore.replay({ prefixes: ["import-"] }, async ({ events }) => {
    for (const { id, type, stream, metadata } of events) {
      if (!isTold(type)) continue;
      const imports = told.get(metadata.organisation) ?? new Map<string, Expected[]>();
      told.set(metadata.organisation, imports);
      const importId = stream.slice("import-".length);
      imports.set(importId, [...(imports.get(importId) ?? []), { id, type: toldOf[type] }]);
    }
  });
  return told;
}

/** None missing, nothing made up, and of each import never an earlier event after a later one. Answers how many came more than once. */
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
