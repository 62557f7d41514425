import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { removePlace } from "../../../src/commands/imports/queue/places.js";
import { claimTurn, postponeTurn, renewTurn, type Turn } from "../../../src/commands/imports/queue/turns.js";
import { streamOf } from "../../../src/events/streams.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { noNotices } from "../../../src/ports/notices.js";
import { holdTurn } from "../../../src/workers/imports/turns/holdTurn.js";
import { beforeChunks } from "../../support/stores/chunkAppends.js";
import { activities, openStage, type Stage, until } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.pool.query("delete from import_queue"));
afterAll(() => stage.close());

/** An event store that holds back appends of row outcomes until `open` is called. */
function gated(eventStore: EventStore) {
  let open = false;
  let waiting: (() => void)[] = [];
  return {
    get held() {
      return waiting.length;
    },
    open() {
      open = true;
      for (const go of waiting) go();
      waiting = [];
    },
    eventStore: beforeChunks(eventStore, () => (open ? undefined : new Promise<void>((go) => waiting.push(go)))),
  };
}

describe("the queue", () => {
  const queued = async (organisation: string, importId: string, position: number | null, seconds = 100) =>
    stage.pool.query(
      "insert into import_queue (import_id, organisation_id, position, reserved_at) values ($1, $2, $3, now() - make_interval(secs => $4))",
      [importId, await stage.organisation(organisation), position, seconds],
    );
  const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const claim = async (holder = "w") => (await claimTurn(stage.pool, holder))?.importId;

  test("an organisation's oldest import comes first, and only one of them at a time", async () => {
    await queued("q1", id(2), 20);
    await queued("q1", id(1), 10);
    const turn = await claimTurn(stage.pool, "w");
    expect(turn).toMatchObject({ organisationId: "q1", importId: id(1), attempts: 1, cancelRequested: false });
    expect(await claim()).toBeUndefined();
    if (turn) await removePlace(stage.pool, { importId: turn.importId, rows: 0 }, turn);
    expect(await claim()).toBe(id(2));
  });

  test("an organisation that the tables do not have yet waits, and its import is not blamed for it", async () => {
    const insert = "insert into import_queue (import_id, organisation_id, position) values ($1, 'unknown', 1)";
    await stage.pool.query(insert, [id(3)]);
    expect(await claim()).toBeUndefined();
    await stage.organisation("unknown");
    expect(await claimTurn(stage.pool, "w")).toMatchObject({ importId: id(3), catalogueVersion: 1, attempts: 1 });
  });

  test("a turn's clock is never ahead of the database's, however long the claim took", async () => {
    await queued("t1", id(90), 1);
    const turn = (await claimTurn(stage.pool, "w")) as Turn;
    const claimStartedAt = performance.now() - 3_000;
    const { signal: stop } = new AbortController();
    const held = holdTurn({ pool: stage.pool, turn, notices: noNotices, stop, logger: pino({ level: "silent" }), claimStartedAt });
    const told = held.now().getTime();
    const { rows } = await stage.pool.query<{ now: Date }>("select clock_timestamp() as now");
    await held.stopHeartbeats();
    await removePlace(stage.pool, { importId: turn.importId, rows: 0 }, turn);
    expect(told).toBeGreaterThanOrEqual(turn.claimedAt.getTime());
    expect(told).toBeLessThanOrEqual((rows[0]?.now.getTime() ?? 0) + 1); // dates have whole milliseconds
  });

  test("a queue place that is freed while the turn is held means that the import was cancelled", async () => {
    const importId = await stage.push(await stage.organisation("g1"), "activities", activities(1));
    const turn = (await claimTurn(stage.pool, "w")) as Turn;
    expect(await renewTurn(stage.pool, turn, { progress: 1, hasAppended: true })).toEqual({ kept: true, cancelRequested: false });
    await removePlace(stage.pool, { importId, rows: 0 });
    expect(await renewTurn(stage.pool, turn, { progress: 1, hasAppended: true })).toEqual({ kept: true, cancelRequested: true });
    await removePlace(stage.pool, { importId: turn.importId, rows: 0 }, turn);
  });

  test("a queue place that is lost while the turn is held is written again, and the turn is kept", async () => {
    await queued("g2", id(96), 7);
    const turn = (await claimTurn(stage.pool, "w")) as Turn;
    await stage.pool.query("truncate import_queue");
    expect(await renewTurn(stage.pool, turn, { progress: 30, hasAppended: true })).toEqual({ kept: true, cancelRequested: false });
    const { rows } = await stage.pool.query("select organisation_id, position, progress, started from import_queue");
    expect(rows).toEqual([{ organisation_id: "g2", position: "7", progress: 30, started: true }]);
    await removePlace(stage.pool, { importId: turn.importId, rows: 0 }, turn);
  });

  test("organisations take turns: twenty queued files do not starve a single push", async () => {
    for (let number = 1; number <= 20; number += 1) await queued("f1", id(100 + number), number);
    await queued("f2", id(200), 50);
    const served: (string | undefined)[] = [];
    for (let round = 0; round < 3; round += 1) {
      const turn = await claimTurn(stage.pool, "w");
      served.push(turn?.importId);
      if (turn) await removePlace(stage.pool, { importId: turn.importId, rows: 0 }, turn);
    }
    expect(served).toEqual([id(101), id(200), id(102)]);
  });

  test("claims that are made at once never hand out one organisation twice", async () => {
    for (let number = 0; number < 10; number += 1) await queued(`c${number % 5}`, id(300 + number), number);
    const claims = await Promise.all(Array.from({ length: 20 }, (_, index) => claimTurn(stage.pool, `w${index}`)));
    const organisations = claims.flatMap((turn) => turn?.organisationId ?? []);
    expect(new Set(organisations).size).toBe(organisations.length);
    for (let extra = await claimTurn(stage.pool, "w"); extra; extra = await claimTurn(stage.pool, "w"))
      organisations.push(extra.organisationId);
    expect(organisations.toSorted()).toEqual(["c0", "c1", "c2", "c3", "c4"]);
  });

  test("an import whose queue place is only reserved is not claimed", async () => {
    await queued("r1", id(401), null, 2);
    expect(await claim()).toBeUndefined();
    await queued("r1", id(402), 10, 1);
    expect(await claim()).toBe(id(402));
  });

  test("an import that was begun is claimed before an older one that was queued since", async () => {
    await queued("h1", id(411), 20);
    await stage.pool.query("update import_queue set started = true where import_id = $1", [id(411)]);
    await queued("h1", id(412), 10);
    expect(await claimTurn(stage.pool, "w")).toMatchObject({ importId: id(411), position: "20", isMarkedStarted: true });
  });

  test("a turn is kept by its holder, lost once another has it, and given back with a delay", async () => {
    await queued("k1", id(501), 10);
    const turn = await claimTurn(stage.pool, "w#1");
    if (!turn) throw new Error("no turn");
    expect(await renewTurn(stage.pool, turn, { progress: 40, hasAppended: false })).toEqual({ kept: true, cancelRequested: false });
    expect(await renewTurn(stage.pool, turn, { progress: 30, hasAppended: false })).toEqual({ kept: true, cancelRequested: false });
    expect((await stage.pool.query("select progress from import_queue where import_id = $1", [id(501)])).rows).toEqual([{ progress: 40 }]);
    await stage.pool.query("update organisation_turns set expires_at = now() - interval '1 second' where organisation_id = 'k1'");
    const next = await claimTurn(stage.pool, "w#2");
    expect(next).toMatchObject({ importId: id(501), attempts: 2, progress: 40 });
    expect(await renewTurn(stage.pool, turn, { progress: 50, hasAppended: false })).toMatchObject({ kept: false });
    await postponeTurn(stage.pool, turn, 60_000, true); // this turn is lost: nothing changes
    if (next) await postponeTurn(stage.pool, next, 60_000, true);
    expect(
      (await stage.pool.query("select attempts, not_before > now() as later from import_queue where import_id = $1", [id(501)])).rows,
    ).toEqual([{ attempts: 1, later: true }]);
    expect(await claim()).toBeUndefined();
  });
});

test("two workers, one organisation: never two imports at once, oldest first", async () => {
  const organisation = await stage.organisation("pair");
  const importIds: string[] = [];
  for (let index = 0; index < 6; index += 1) importIds.push(await stage.push(organisation, "activities", activities(20)));
  for (const worker of [stage.start(), stage.start()]) onTestFinished(worker.stop);
  const spans: { from: bigint; to: bigint }[] = [];
  for (const importId of importIds) {
    await stage.ended(importId);
    const positions: bigint[] = [];
    for await (const event of stage.eventStore.read(streamOf.import(importId), { from: 1n })) positions.push(event.position.commit);
    spans.push({ from: positions[0] ?? 0n, to: positions.at(-1) ?? 0n });
  }
  for (const [index, span] of spans.entries()) expect(span.from > (spans[index - 1]?.to ?? 0n)).toBe(true);
});

test("a worker that is frozen past its lease loses its import to another worker, and writes nothing once it thaws", async () => {
  const organisation = await stage.organisation("frozen");
  const importId = await stage.push(organisation, "activities", activities(2_400));
  const gate = gated(stage.eventStore);
  const frozen = stage.start({ eventStore: gate.eventStore, concurrency: 1 });
  onTestFinished(frozen.stop);
  onTestFinished(gate.open); // before the stop, which waits for the append that is held back
  await until(() => gate.held > 0);
  await stage.pool.query(
    "update organisation_turns set expires_at = now() - interval '1 second', worker = 'nobody' where organisation_id = $1",
    [organisation],
  );
  const healthy = stage.start();
  onTestFinished(healthy.stop);
  const events = await stage.ended(importId);
  expect(events).toHaveLength(2_403);
  expect(events.at(-1)?.data).toMatchObject({ counts: { received: 2_400, processed: 2_400, failed: 0 } });
  gate.open();
  await Promise.all([frozen.stop(), healthy.stop()]);
  expect(await stage.events(importId)).toEqual(events);
});

test("the next worker continues a dead worker's import from the head of its stream, and the report is complete", async () => {
  const organisation = await stage.organisation("resumed");
  const rejectSome = (index: number) => (index % 800 === 0 ? `W1,,1,2026-03-01,${index}` : `W1,PICK,1,2026-03-01,${index}`);
  const importId = await stage.push(organisation, "activities", activities(3_600, rejectSome));
  let appends = 0;
  let bury: () => void = () => undefined;
  const gone = new Promise<void>((settle) => {
    bury = settle;
  });
  const dying = beforeChunks(stage.eventStore, async () => {
    if (++appends === 1) return;
    await gone; // as if the process had died during this append
    throw new StoreUnavailable("event store", "gone");
  });
  // It has one slot, which stays taken: this worker stands for a dead process and must not claim the turn again.
  const dead = stage.start({ eventStore: dying, concurrency: 1 });
  onTestFinished(dead.stop);
  onTestFinished(bury); // before the stop, which waits for the append
  await until(() => appends > 1);
  await stage.pool.query(
    "update organisation_turns set expires_at = now() - interval '1 second', worker = 'gone' where organisation_id = $1",
    [organisation],
  );
  const before = await stage.events(importId);
  expect(before).toHaveLength(2_002);
  const next = stage.start();
  onTestFinished(next.stop);
  const events = await stage.ended(importId);
  expect(events.slice(0, before.length)).toEqual(before);
  expect(events.at(-1)?.data).toMatchObject({ counts: { received: 3_600, processed: 3_595, failed: 5 } });
  expect((await stage.report(importId)).map(([row]) => row)).toEqual(["Row number", "2", "802", "1602", "2402", "3202"]);
  bury();
  await Promise.all([dead.stop(), next.stop()]);
  expect(await stage.events(importId)).toEqual(events);
});
