// A reversal and a correction of the same rows: one of them is carried out whole at some call that the other makes to the event store.
import { pino } from "pino";
import { expect } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { verify } from "../../src/cli/audit/verify.js";
import type { ReversalSelection } from "../../src/commands/reversals/reversalUnits.js";
import { type ReversalOutcome, reverseRows } from "../../src/commands/reversals/reverseRows.js";
import { Rejection } from "../../src/domain/rejection.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { seeded } from "../faults/randomness.js";
import { until } from "../support/processes.js";
import { startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { base, projected } from "./reversalSteps.js";

type Json = Record<string, unknown>;

const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };
const shipment = (shipmentId: string) => ({
  ...{ shipmentId, originPostCode: "2000", destinationPostCode: "3000" },
  items: [{ itemType: "Carton", itemQuantity: 1 }],
});
const unknown = { customerId: "CUST-999" };

interface Subject {
  readonly kind: keyof typeof base;
  readonly path: string;
  readonly pushed: readonly Json[];
  readonly what: ReversalSelection;
  readonly correction: Json;
}

/** Of each: what is pushed, and how its second row is corrected. */
const subjects: Record<string, Subject> = {
  "a rejected activity": {
    ...{ kind: "activities", path: "/v1/org/fulfilment/activities", pushed: [activity, { ...activity, ...unknown }], what: { all: true } },
    correction: { rows: [{ row: 2, values: { customerId: "" } }] },
  },
  "an accepted activity": {
    ...{ kind: "activities", path: "/v1/org/fulfilment/activities", pushed: [activity, activity], what: { rows: [1, 2] } },
    correction: { rows: [{ row: 2, values: { quantity: "3" } }], reason: "three" },
  },
  "a rejected shipment": {
    ...{ kind: "shipments", path: base.shipments, pushed: [shipment("A"), { ...shipment("B"), ...unknown }], what: { all: true } },
    correction: { rows: [{ row: 2, values: { customerId: "" } }] },
  },
};

interface Interruptions {
  readonly eventStore: EventStore;
  /** Calls `meanwhile` once, before the `nth` call to a stream whose name has this text in it. */
  at(text: string, nth: number, meanwhile: () => Promise<unknown>): void;
}

function interruptions(store: EventStore): Interruptions {
  const planned = new Map<string, { left: number; meanwhile: () => Promise<unknown> }>();
  const before = async (stream: string) => {
    for (const [text, plan] of planned) {
      if (!stream.includes(text)) continue;
      plan.left -= 1;
      if (plan.left > 0) continue;
      planned.delete(text);
      await plan.meanwhile();
    }
  };
  const eventStore: EventStore = {
    ...store,
    append: async (stream, ...rest) => {
      await before(stream);
      return store.append(stream, ...rest);
    },
    last: async (stream) => {
      await before(stream);
      return store.last(stream);
    },
    async *read(stream, ...rest) {
      await before(stream);
      yield* store.read(stream, ...rest);
    },
  };
  return { eventStore, at: (text, nth, meanwhile) => void planned.set(text, { left: nth, meanwhile }) };
}

interface Round {
  readonly service: TestService;
  readonly organisation: TestOrganisation;
  readonly subject: Subject;
}

const answered = async (sent: Promise<Response>) => ({ status: (await sent).status, body: (await (await sent).json()) as Json });

async function completed({ service, organisation, subject }: Round, importId: unknown): Promise<string> {
  await until("the import has completed", async () => {
    const { body } = await answered(organisation.get(`${base[subject.kind]}/${importId}`));
    return body["status"] === "completed";
  });
  await projected(service);
  return String(importId);
}

async function pushed(round: Round): Promise<string> {
  const { organisation, subject } = round;
  const { body } = await answered(organisation.post(subject.path, { [subject.kind]: subject.pushed }));
  return completed(round, body["importId"]);
}

const correct = ({ organisation, subject }: Round, importId: string) =>
  answered(organisation.post(`${base[subject.kind]}/${importId}/corrections`, subject.correction));

/** Undefined where a correction is under way. */
async function reverse(
  { service, organisation, subject }: Round,
  importId: string,
  includeCorrections: boolean,
  eventStore = service.eventStore,
): Promise<ReversalOutcome | undefined> {
  const request = { organisationId: organisation.id, importId, selection: subject.what, reason: "sent twice", includeCorrections };
  const late = () => new Date(Date.now() - 60_000);
  try {
    const by = { kind: "cli", id: "test" } as const;
    return await reverseRows({ pool: service.pool, eventStore }, { ...request, preview: false, by, now: late });
  } catch (error) {
    if (error instanceof Rejection && error.code === "conflict") return undefined;
    throw error;
  }
}

/** The imports of which something counts. */
async function counting({ organisation, subject }: Round): Promise<string[]> {
  const { body } = await answered(organisation.get(`/v1/org/ledger/${subject.kind}?limit=500`));
  return [...new Set((body["items"] as Json[]).map(({ importId }) => String(importId)))].sort();
}

async function expectDecided(
  round: Round,
  importId: string,
  {
    reversal,
    correction,
    includeCorrections,
  }: { reversal: ReversalOutcome | undefined; correction: string | undefined; includeCorrections: boolean },
): Promise<"conflict" | "correction named" | "correction refused"> {
  await projected(round.service);
  const counted = await counting(round);
  if (!reversal) {
    expect(counted).toEqual([importId, correction].sort());
    return "conflict";
  }
  const named = reversal.corrections.map((each) => each.importId);
  expect(counted).toEqual(includeCorrections ? [] : named); // what goes on counting is named
  if (named.length > 0) {
    expect(named).toEqual([correction]);
    return "correction named";
  }
  return "correction refused";
}

/** The reversal is under way when the correction is pushed and, in every other round, has its whole life. */
async function reversalFirst(service: TestService, seed: number, subject: Subject) {
  const random = seeded(seed);
  const round = { service, organisation: await service.organisation(), subject };
  const importId = await pushed(round);
  const includeCorrections = random.chance(0.3);
  const isCompleted = random.chance(0.6);
  let correction: string | undefined;
  const meanwhile = async () => {
    const { status, body } = await correct(round, importId);
    expect([202, 409]).toContain(status);
    if (status === 202) correction = String(body["importId"]);
    if (correction && isCompleted) await completed(round, correction);
  };
  const own = interruptions(service.eventStore);
  own.at("", 1 + random.number(12), meanwhile);
  const reversal = await reverse(round, importId, includeCorrections, own.eventStore);
  if (correction) await completed(round, correction);
  return expectDecided(round, importId, { reversal, correction, includeCorrections });
}

/** The correction's worker is at some point of its claim when the import is reversed. */
async function correctionFirst(service: TestService, seed: number, subject: Subject, worker: Interruptions) {
  const random = seeded(seed);
  const round = { service, organisation: await service.organisation(), subject };
  const importId = await pushed(round);
  const includeCorrections = random.chance(0.3);
  let reversal: ReversalOutcome | undefined;
  worker.at(importId, 1 + random.number(9), async () => {
    reversal = await reverse(round, importId, includeCorrections);
  });
  const { body } = await correct(round, importId);
  const correction = await completed(round, body["importId"]);
  return expectDecided(round, importId, { reversal, correction, includeCorrections });
}

/** Rounds of both orders and every subject, a few at a time. Returns what came of them, once the audit and a rebuild find nothing. */
export async function raceClaims({ firstSeed, rounds }: { readonly firstSeed: number; readonly rounds: number }): Promise<string[]> {
  const service = await startTestService({ maxQueuedImports: 100 });
  const worker = interruptions(service.eventStore);
  const roles = [startWorker(service, worker.eventStore), startProjector(service)];
  try {
    const left = Array.from({ length: rounds }, (_, index) => firstSeed + index).flatMap((seed) =>
      Object.entries(subjects).flatMap(([name, subject]) => [
        { seed, name, run: () => reversalFirst(service, seed, subject) },
        { seed, name, run: () => correctionFirst(service, seed, subject, worker) },
      ]),
    );
    const seen: string[] = [];
    const work = async () => {
      for (let round = left.shift(); round; round = left.shift()) {
        const { seed, name } = round;
        seen.push(
          await round.run().catch((cause: unknown) => {
            throw new Error(`seed ${seed}, ${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
          }),
        );
      }
    };
    await Promise.all([work(), work(), work()]);
    await expectAuditClean(service);
    return seen;
  } finally {
    await Promise.all(roles.map((role) => role.stop()));
    await service.close();
  }
}

async function expectAuditClean(service: TestService): Promise<void> {
  const { pool, eventStore, objectStore, deps } = service;
  const signal = new AbortController().signal;
  await projected(service);
  const { findings } = await verify({
    ...{ pool, eventStore, objectStore, tempDir: deps.tempDir, signal },
    organisationId: undefined,
    files: false,
  });
  expect(findings.first).toEqual([]);
  const logger = pino({ level: "silent" });
  const built = await rebuild({ pool, eventStore, logger, signal, migrations: migrationStatements(), projections: allProjections });
  const changed = built.comparisons.filter(({ live, rebuilt }) => live?.digest !== rebuilt.digest || live.rows !== rebuilt.rows);
  expect(changed.map(({ projection }) => projection)).toEqual([]);
}
