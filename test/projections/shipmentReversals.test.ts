// Whatever is pushed, completes and is reversed in whichever order, and wherever a projector's batches end: the ledger shows of each shipment the
// version pushed last among those that are not reversed, and keeps the others hidden.
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import fc from "fast-check";
import type { Pool } from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { verify } from "../../src/cli/audit/verify.js";
import { logStart, type StoredEvent } from "../../src/ports/eventStore.js";
import { imports } from "../../src/projections/models/imports.js";
import { reversals } from "../../src/projections/models/reversals.js";
import { shipments } from "../../src/projections/models/shipments.js";
import { versions } from "../../src/projections/models/versions.js";
import { applyBatch, type BatchContext } from "../../src/projections/running/applyBatch.js";
import { goodsLine, type Row, type Story, stored, tell } from "../support/importStory.js";
import { startReadModel } from "../support/readModel.js";
import { type ReversalStory, tellReversal } from "../support/reversalStory.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";
import { createTestObjectStore } from "../support/stores/stores.js";
import { identical, runRebuild } from "./rebuildStage.js";

let database: TestDatabase;
let context: BatchContext;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => clear());

async function clear(): Promise<void> {
  await database.pool.query(
    "truncate imports, reversals, shipment_lines, shipments, hidden_shipments, shipment_versions, shipment_imports, checkpoints",
  );
  const projections = [imports, reversals, versions, shipments];
  context = { pool: database.pool, projections, knownImports: new Map(), logger: pino({ level: "silent" }) };
}

async function apply(log: readonly StoredEvent[], sizes: Iterator<number>): Promise<void> {
  for (let from = 0; from < log.length; ) {
    const events = log.slice(from, from + (sizes.next().value ?? 1));
    from += events.length;
    const last = events.at(-1);
    if (last) await applyBatch(context, { events, position: last.position, caughtUp: true });
  }
}

async function applyWhole(log: readonly StoredEvent[]): Promise<void> {
  await apply(log, [log.length].values());
}

const versionsIn = async (table: string, pool: Pool): Promise<string[]> => {
  const { rows } = await pool.query<{ text: string }>(
    `select concat_ws(' ', v.organisation_id, shipment_id, i.source_details, fields ->> 'mark', items::text) as text
       from ${table} v join imports i on i.import_id = v.import_id and i.position = v.import_position
                                     and i.source_details = v.source_details and i.finished_at = v.updated_at
      order by 1`,
  );
  return rows.map(({ text }) => text);
};
const ledger = async (pool: Pool = database.pool) => ({
  shown: await versionsIn("shipments", pool),
  hidden: await versionsIn("hidden_shipments", pool),
});

/** One import, and what is reversed of it after it has completed. */
interface Plan {
  readonly organisationId: string;
  /** `apart`: the line begins another shipment with the same id. */
  readonly lines: readonly { readonly id: string; readonly apart: boolean }[];
  readonly end: Story["end"];
  readonly reversals: readonly ("all" | readonly string[])[];
}

const ids = ["S1", "S2", "S3"];
const plans: fc.Arbitrary<Plan> = fc.record({
  organisationId: fc.constantFrom("acme", "acme", "other"),
  lines: fc.array(fc.record({ id: fc.constantFrom(...ids), apart: fc.boolean() }), { minLength: 1, maxLength: 5 }),
  end: fc.constantFrom("completed", "completed", "completed", "completed", "failed", "running"),
  reversals: fc.array(fc.oneof(fc.constant("all" as const), fc.subarray(ids, { minLength: 1 })), { maxLength: 2 }),
});

interface Numbered {
  readonly id: string;
  readonly number: number;
  readonly row: number;
}

function numbered({ lines }: Plan): Numbered[] {
  const numbers = new Map<string, number>();
  let last = 0;
  return lines.map(({ id, apart }, index) => {
    if (apart || !numbers.has(id)) numbers.set(id, ++last);
    return { id, number: numbers.get(id) ?? 0, row: index + 1 };
  });
}

const each = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b).map((n): [number, number] => [n, n]);

/** The import's events and then its reversals, as the command would record them. */
function eventsOf(plan: Plan, index: number): StoredEvent[] {
  const importId = randomUUID();
  const { organisationId, end } = plan;
  const lines = numbered(plan);
  const rows = lines.map(
    ({ id, number, row }): Row => ({
      accept: goodsLine(id, { mark: `${index}.${number}`, item: { line: row } }),
      shipment: number,
    }),
  );
  const at = `2026-03-01T10:00:0${index}.000Z`;
  const told = stored(
    tell({ importId, organisationId, kind: "shipments", source: "data", sourceDetails: `push ${index}`, at, rows, ...(end && { end }) }),
    1,
  );
  if (end !== "completed") return told;
  const left = new Set(lines.map(({ id }) => id));
  const stories = plan.reversals.flatMap((named): ReversalStory[] => {
    const taken = lines.filter(({ id }) => left.has(id) && (named === "all" || named.includes(id)));
    for (const { id } of taken) left.delete(id);
    const numbers = each(taken.map(({ number }) => number));
    if (numbers.length === 0) return [];
    const what = named === "all" ? {} : { rows: each(taken.map(({ row }) => row)), shipments: numbers };
    return [{ importId, organisationId, count: numbers.length, ...what }];
  });
  const reversed = stories.flatMap((story, revision) =>
    stored(tellReversal(story), 1).map((event) => ({ ...event, revision: BigInt(revision) })),
  );
  return [...told, ...reversed];
}

/** What the ledger has to be. Nothing here knows of batches or tables. */
function modelOf(known: readonly Plan[], pushed: readonly number[]): Awaited<ReturnType<typeof ledger>> {
  const alive = new Map<string, string[]>(); // by shipment, in the order of the pushes
  for (const index of pushed) {
    const plan = known[index];
    if (plan?.end !== "completed") continue;
    for (const id of new Set(plan.lines.map((line) => line.id))) {
      if (plan.reversals.some((named) => named === "all" || named.includes(id))) continue;
      const own = numbered(plan).filter((line) => line.id === id);
      const number = Math.max(...own.map((line) => line.number));
      const items = own.filter((line) => line.number === number).map(({ row }) => `{"line": ${row}}`);
      const key = `${plan.organisationId} ${id}`;
      alive.set(key, [...(alive.get(key) ?? []), `${key} push ${index} ${index}.${number} [${items.join(", ")}]`]);
    }
  }
  const all = [...alive.values()];
  return { shown: all.flatMap((each) => each.slice(-1)).sort(), hidden: all.flatMap((each) => each.slice(0, -1)).sort() };
}

const logs = fc.tuple(fc.array(plans, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat())).map(([known, turns]) => {
  const queues = known.map(eventsOf);
  const pushed: number[] = [];
  const log: StoredEvent[] = [];
  while (queues.some((queue) => queue.length > 0)) {
    const left = queues.flatMap((queue, index) => (queue.length > 0 ? [index] : []));
    const index = left[(turns.next().value ?? 0) % left.length] ?? 0;
    const event = queues[index]?.shift();
    if (!event) continue;
    if (event.type === "ImportRequested") pushed.push(index);
    const at = BigInt(log.length + 1) * 100n;
    log.push({ ...event, position: { commit: at, prepare: at } });
  }
  return { log, expected: modelOf(known, pushed) };
});

/** The log of these plans, each import with its reversals after the other. */
const logOf = (...known: readonly Plan[]): StoredEvent[] => known.flatMap(eventsOf).map(placed);

const placed = (event: StoredEvent, index: number): StoredEvent => {
  const at = BigInt(index + 1) * 100n;
  return { ...event, position: { commit: at, prepare: at } };
};

const plan = (id: string, ...reversed: Plan["reversals"]): Plan => ({
  organisationId: "acme",
  lines: [{ id, apart: false }],
  end: "completed",
  reversals: reversed,
});

describe("in one batch", () => {
  test("an import completes and is reversed", async () => {
    await applyWhole(logOf(plan("S1", ["S1"]), plan("S2", "all")));
    expect(await ledger()).toEqual({ shown: [], hidden: [] });
  });

  test("two imports of one shipment complete and the later is reversed", async () => {
    await applyWhole(logOf(plan("S1"), plan("S1", ["S1"])));
    expect(await ledger()).toEqual({ shown: ['acme S1 push 0 0.1 [{"line": 1}]'], hidden: [] });
  });

  test("a reversal finds its shipments also when the table of versions has yet to catch up", async () => {
    const log = logOf(plan("S1"), plan("S1", ["S1"]));
    const first = log.slice(0, 2);
    const without = { ...context, projections: context.projections.filter(({ name }) => name !== "versions") };
    await applyBatch(without, { events: first, position: first.at(-1)?.position ?? logStart, caughtUp: true });
    await applyWhole(log);
    expect(await ledger()).toEqual({ shown: ['acme S1 push 0 0.1 [{"line": 1}]'], hidden: [] });
  });
});

test("a version that was replaced is reversed, and does not come back when the later one is reversed too", async () => {
  const isReversal = ({ type }: StoredEvent) => type === "RowsReversed";
  const told = logOf(plan("S1"), plan("S1", ["S1"]), plan("S1", "all"));
  const log = [...told.filter((event) => !isReversal(event)), ...told.filter(isReversal)].map(placed);
  await applyWhole(log.slice(0, -1));
  expect(await ledger()).toEqual({ shown: ['acme S1 push 2 2.1 [{"line": 1}]'], hidden: ['acme S1 push 0 0.1 [{"line": 1}]'] });
  await applyWhole(log.slice(-1));
  expect(await ledger()).toEqual({ shown: ['acme S1 push 0 0.1 [{"line": 1}]'], hidden: [] });
});

test("the ledger of a random log is what a plain model says, with batches of any size and in one batch", async () => {
  let reversed = 0;
  await fc.assert(
    fc.asyncProperty(logs, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), async ({ log, expected }, sizes) => {
      reversed += log.filter(({ type }) => type === "RowsReversed").length;
      await clear();
      await apply(log, sizes);
      expect(await ledger()).toEqual(expected);
      await clear();
      await applyWhole(log);
      expect(await ledger()).toEqual(expected);
    }),
    { numRuns: 10 },
  );
  expect(reversed).toBeGreaterThan(0);
});

test("a projector that follows the log and rebuilds of it have the same ledger, and an audit finds nothing", async () => {
  const model = await startReadModel();
  onTestFinished(model.close);
  const { pool, eventStore } = model;
  const [sample] = fc.sample(
    logs.filter(({ log, expected: { hidden } }) => hidden.length > 1 && log.filter(({ type }) => type === "RowsReversed").length > 2),
    { numRuns: 1, seed: 7 },
  );
  for (const { stream, revision, data, id, type, metadata } of sample?.log ?? [])
    await eventStore.append(stream, [{ id, type, metadata, json: JSON.stringify(data) }], revision - 1n);
  await model.project();
  expect(await ledger(pool)).toEqual(sample?.expected);
  for (const options of [{}, { projections: [shipments] }]) {
    expect(identical(await runRebuild(model, options))).toBe(true);
    expect(await ledger(pool)).toEqual(sample?.expected);
  }
  const objects = await createTestObjectStore();
  onTestFinished(objects.close);
  const stores = { pool, eventStore, objectStore: objects.store, tempDir: tmpdir() };
  const { findings } = await verify({ ...stores, signal: new AbortController().signal, organisationId: undefined, files: false });
  expect(findings.first).toEqual([]);
});
