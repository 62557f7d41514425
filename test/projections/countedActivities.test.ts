// Random histories of pushes, corrections and reversals of activities, compared with a plain model: which rows count, the totals, the totals
// as of earlier times and what changed since, for any borders of batches.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { add, decimal, subtract, toText } from "../../src/domain/exactDecimal.js";
import { rangesOf } from "../../src/domain/ranges.js";
import { streamOf } from "../../src/events/streams.js";
import type { NewEvent, StoredEvent } from "../../src/ports/eventStore.js";
import { findActivity, listInPushOrder } from "../../src/queries/activities/activitiesInPushOrder.js";
import { listActivities } from "../../src/queries/activities/activityRows.js";
import { readActivityTotals } from "../../src/queries/activities/activityTotals.js";
import { totalChanges } from "../../src/queries/activities/totalChanges.js";
import { type Randomness, seeded } from "../faults/randomness.js";
import { activity, type Row, tell } from "../support/importStory.js";
import { useBatches } from "./batchStage.js";

const { context, apply } = useBatches();
const page = { limit: 500, cursor: undefined, secret: "secret" };

interface ModelRow {
  readonly accepted: boolean;
  readonly values: ReturnType<typeof activity>;
  readonly parent: string | undefined;
  reversedAt: number | undefined;
}

interface ModelImport {
  readonly importId: string;
  readonly rows: ReadonlyMap<number, ModelRow>;
  readonly completes: boolean;
  completedAt: number | undefined;
  wholeAt: number | undefined;
}

const nameOf = (importId: string, row: number) => `${importId} ${row}`;
const timeAt = (second: number) => new Date(Date.UTC(2026, 4, 1, 0, 0, second));

/** Writes a log, one event after the other, and the model beside it. */
function history(random: Randomness, steps: number) {
  const log: StoredEvent[] = [];
  const imports: ModelImport[] = [];
  const running: { readonly of: ModelImport; readonly left: { event: NewEvent; revision: bigint }[] }[] = [];
  const reversals = new Map<string, bigint>();
  const taken = new Set<string>();
  let second = 0;
  const rowOf = (name: string) => {
    const [importId = "", row = ""] = name.split(" ");
    return imports.find((each) => each.importId === importId)?.rows.get(Number(row));
  };
  const put = (stream: string, { json, ...event }: NewEvent, revision: bigint) => {
    const position = BigInt(log.length + 1) * 100n;
    const data = JSON.parse(json) as Record<string, unknown>;
    if ("at" in data) data["at"] = timeAt(second).toISOString();
    log.push({ ...event, data, stream, revision, position: { commit: position, prepare: position }, recordedAt: timeAt(second) });
  };

  function push(corrected?: { parent: ModelImport; rows: number[] }) {
    const count = corrected?.rows.length ?? 1 + random.number(5);
    const made = Array.from({ length: count }, () => ({
      accepted: random.chance(0.75),
      values: activity({
        customerId: random.pick([undefined, "A", "B"]),
        chargeCode: random.pick(["PICK", "PACK"]),
        quantity: random.pick([1, 2, 2.5, 0.125, -3]),
        activityTimestamp: random.pick(["2026-03-01T09:30:00Z", "2026-03-01T09:45:00+02:00", "2026-03-02T10:10:00Z"]),
      }),
    }));
    const rows: Row[] = made.map(({ accepted, values }) => (accepted ? { accept: values } : { reject: "Valid quantity is required" }));
    const completes = random.chance(0.85);
    const accepted = corrected?.rows.filter((row) => corrected.parent.rows.get(row)?.accepted) ?? [];
    const told = tell({
      kind: "activities",
      source: "data",
      rows,
      end: completes ? "completed" : random.pick(["failed", "cancelled"]),
      ...(corrected && {
        corrects: { importId: corrected.parent.importId, rows: corrected.rows, ...(accepted.length > 0 && { accepted }) },
      }),
    });
    const parentOf = (index: number) => corrected && nameOf(corrected.parent.importId, corrected.rows[index] ?? 0);
    const of: ModelImport = {
      importId: told.importId,
      rows: new Map(made.map((row, index) => [index + 1, { ...row, parent: parentOf(index), reversedAt: undefined }])),
      completes,
      completedAt: undefined,
      wholeAt: undefined,
    };
    imports.push(of);
    running.push({ of, left: told.events.map((event, index) => ({ event, revision: BigInt(index) })) });
    for (const row of corrected?.rows ?? []) taken.add(nameOf(corrected?.parent.importId ?? "", row));
    advance(running.length - 1, 1); // ImportRequested
  }

  function advance(index: number, events: number) {
    const track = running[index];
    if (!track) return;
    for (const { event, revision } of track.left.splice(0, events)) put(streamOf.import(track.of.importId), event, revision);
    if (track.left.length > 0) return;
    running.splice(index, 1);
    if (track.of.completes) track.of.completedAt = second;
  }

  function reverse(of: ModelImport) {
    const left = [...of.rows].filter(([, { accepted, reversedAt }]) => accepted && reversedAt === undefined && of.wholeAt === undefined);
    if (of.wholeAt !== undefined) return;
    const all = random.chance(0.4);
    const chosen = all ? left : left.filter(() => random.chance(0.5));
    if (chosen.length === 0 && !all) return;
    const data = {
      importId: of.importId,
      reversalId: randomUUID(),
      rows: all ? "all" : rangesOf(chosen.map(([row]) => row)),
      count: chosen.length,
      reason: "sent twice",
      by: { kind: "member", id: "m-1" },
      at: "",
    };
    const revision = (reversals.get(of.importId) ?? -1n) + 1n;
    reversals.set(of.importId, revision);
    const metadata = { organisation: "acme", actor: "member:m-1", $correlationId: "r", v: 1 };
    put(streamOf.reversals(of.importId), { id: randomUUID(), type: "RowsReversed", json: JSON.stringify(data), metadata }, revision);
    for (const [, row] of chosen) row.reversedAt = second;
    if (all) of.wholeAt = second;
    for (const [, row] of of.rows) if (row.parent && (all || row.reversedAt === second)) taken.delete(row.parent);
  }

  for (let step = 0; step < steps; step += 1) {
    second += 1;
    const completed = imports.filter(({ completedAt }) => completedAt !== undefined);
    const what = random.number(10);
    if (what < 3 || completed.length === 0) push();
    else if (what < 5) {
      const parent = random.pick(completed);
      const rows = [...parent.rows.keys()].filter((row) => !taken.has(nameOf(parent.importId, row)) && random.chance(0.6));
      if (rows.length > 0) push({ parent, rows });
    } else if (what < 7) reverse(random.pick(completed));
    for (const index of running.map((_, at) => at).reverse()) if (random.chance(0.7)) advance(index, random.pick([1, 2, 100]));
  }
  second += 1;
  while (running.length > 0) advance(0, 100);

  /** A row counts unless it is reversed, or something that goes back to it is accepted, completed and not reversed. */
  const isLive = (of: ModelImport, row: ModelRow, at: number): boolean =>
    row.accepted && (of.completedAt ?? Number.POSITIVE_INFINITY) <= at && (row.reversedAt ?? Number.POSITIVE_INFINITY) > at;
  const all = imports.flatMap((of) => [...of.rows].map(([number, row]) => ({ of, number, row, name: nameOf(of.importId, number) })));
  const goesBackTo = (row: ModelRow, name: string): boolean =>
    row.parent === name || (row.parent !== undefined && goesBackTo(rowOf(row.parent) as ModelRow, name));
  const counted = (at: number) =>
    all.filter(
      ({ of, row, name }) => isLive(of, row, at) && !all.some((other) => isLive(other.of, other.row, at) && goesBackTo(other.row, name)),
    );
  return { log, all, counted, last: second };
}

type Counted = ReturnType<ReturnType<typeof history>["counted"]>;

function totalsOf(rows: Counted, from?: Date) {
  const totals = new Map<string, { quantity: ReturnType<typeof decimal>; rows: number }>();
  for (const { row } of rows) {
    const { customerId, warehouseCode, chargeCode, quantity, activityTimestamp } = row.values as unknown as Record<string, string>;
    if (from && new Date(activityTimestamp ?? "") < from) continue;
    const key = JSON.stringify([customerId ?? null, warehouseCode, chargeCode]);
    const known = totals.get(key) ?? { quantity: decimal(0), rows: 0 };
    totals.set(key, { quantity: add(known.quantity, decimal(Number(quantity))), rows: known.rows + 1 });
  }
  return new Map([...totals].map(([key, { quantity, rows: count }]) => [key, `${toText(quantity)} in ${count}`]));
}

/** What imports are compared with, by code and day. */
function codesOf(rows: Counted) {
  const codes = new Map<string, { rows: number; largest: number }>();
  for (const { row } of rows) {
    const { warehouseCode, chargeCode, quantity, activityTimestamp } = row.values as unknown as Record<string, string>;
    const day = Math.floor(Date.parse(activityTimestamp ?? "") / 86_400_000);
    for (const key of [`chargeCode ${chargeCode} ${day}`, `warehouseCode ${warehouseCode} ${day}`]) {
      const known = codes.get(key) ?? { rows: 0, largest: Number.NEGATIVE_INFINITY };
      codes.set(key, { rows: known.rows + 1, largest: Math.max(known.largest, Number(quantity)) });
    }
  }
  return [...codes].map(([key, { rows: count, largest }]) => `${key}: ${count}, ${key.startsWith("charge") ? largest : null}`).sort();
}

async function readCodes() {
  const { rows } = await context().pool.query("select field, code, day, row_count as rows, largest::float8 as largest from activity_codes");
  return rows.map(({ field, code, day, rows: count, largest }) => `${field} ${code} ${day}: ${count}, ${largest}`).sort();
}

async function readTotals(filter: Parameters<typeof readActivityTotals>[1]) {
  const found = await readActivityTotals("acme", filter, context().pool);
  return new Map(
    found.map(({ customerId, warehouseCode, chargeCode, quantity, rows }) => [
      JSON.stringify([customerId, warehouseCode, chargeCode]),
      `${quantity} in ${rows}`,
    ]),
  );
}

const sortedMap = (map: ReadonlyMap<string, string>) => [...map].sort(([one], [other]) => (one < other ? -1 : 1));
const tables = [
  "activity_totals",
  "activity_groups",
  "activity_codes",
  "activity_changes",
  "activity_corrections",
  "uncounted_activities",
  "uncounted_imports",
];
const dump = async () =>
  Promise.all(tables.map(async (table) => (await context().pool.query(`select each::text from ${table} as each order by 1`)).rows));

async function applyAll(log: readonly StoredEvent[], size: () => number) {
  for (let from = 0; from < log.length; ) {
    const until = Math.min(log.length, from + size());
    await apply(log.slice(from, until));
    from = until;
  }
}

test.each([1, 2, 3, 4, 5])(
  "after a random history of pushes, corrections and reversals the ledger is what the model says (seed %d)",
  async (seed) => {
    const random = seeded(seed);
    const { log, all, counted, last } = history(random, 40);
    await applyAll(log, () => 1 + random.number(12));
    const { pool } = context();
    const midway = new Date("2026-03-01T09:40:00Z");

    const now = counted(last);
    expect(sortedMap(await readTotals({}))).toEqual(sortedMap(totalsOf(now)));
    expect(await readCodes()).toEqual(codesOf(now));
    expect(sortedMap(await readTotals({ from: midway }))).toEqual(sortedMap(totalsOf(now, midway)));
    const listed = (await listActivities("acme", {}, page, pool)).items.map(({ importId, row }) => nameOf(String(importId), Number(row)));
    expect(listed.sort()).toEqual(now.map(({ name }) => name).sort());
    const filtered = (await listActivities("acme", { chargeCode: "PICK" }, page, pool)).items;
    expect(filtered).toHaveLength(now.filter(({ row }) => row.values.chargeCode === "PICK").length);

    const completed = all.filter(({ of, row }) => of.completedAt !== undefined && row.accepted);
    const withReversed = (await listInPushOrder("acme", {}, { reversed: "include", unusualOnly: false }, page, pool)).items;
    expect(withReversed.map(({ importId, row }) => nameOf(importId, row)).sort()).toEqual(completed.map(({ name }) => name).sort());
    const only = (await listInPushOrder("acme", {}, { reversed: "only", unusualOnly: false }, page, pool)).items;
    expect(only.map(({ importId, row }) => nameOf(importId, row)).sort()).toEqual(
      completed
        .filter(({ row }) => row.reversedAt !== undefined)
        .map(({ name }) => name)
        .sort(),
    );
    for (const { importId, row, reversed, replacedBy } of withReversed) {
      const model = completed.find(({ name }) => name === nameOf(importId, row));
      expect(reversed?.at).toBe(model?.row.reversedAt === undefined ? undefined : timeAt(model.row.reversedAt).toISOString());
      if (!reversed) expect(replacedBy === null).toBe(now.some(({ name }) => name === nameOf(importId, row)));
      expect(await findActivity("acme", { importId, row }, pool)).toEqual(expect.objectContaining({ reversed, replacedBy }));
    }

    for (const at of [1, Math.floor(last / 3), Math.floor(last / 2), last - 5, last]) {
      for (const from of [undefined, midway]) {
        expect(sortedMap(await readTotals({ from, asOf: timeAt(at) }))).toEqual(sortedMap(totalsOf(counted(at), from)));
        const changes = await totalChanges("acme", { from }, timeAt(at), pool);
        const sums = new Map<string, ReturnType<typeof decimal>>();
        for (const { customerId, chargeCode, quantity } of changes.flatMap(({ amounts }) => amounts)) {
          const key = `${customerId} ${chargeCode}`;
          sums.set(key, add(sums.get(key) ?? decimal(0), decimal(quantity)));
        }
        const difference = new Map<string, ReturnType<typeof decimal>>();
        for (const [sign, rows] of [
          [add, now],
          [subtract, counted(at)],
        ] as const)
          for (const { row } of rows) {
            const { customerId, chargeCode, quantity, activityTimestamp } = row.values as unknown as Record<string, string>;
            if (from && new Date(activityTimestamp ?? "") < from) continue;
            const key = `${customerId ?? null} ${chargeCode}`;
            difference.set(key, sign(difference.get(key) ?? decimal(0), decimal(Number(quantity))));
          }
        const texts = (map: typeof sums) =>
          sortedMap(new Map([...map].map(([key, value]) => [key, toText(value)]))).filter(([, text]) => text !== "0");
        expect(texts(sums)).toEqual(texts(difference));
      }
    }

    const before = await dump();
    await context().pool.query(
      `truncate ${context()
        .projections.flatMap((each) => each.tables)
        .join()}, checkpoints`,
    );
    await applyAll(log, () => log.length);
    expect(await dump()).toEqual(before);
  },
);
