// An import says which earlier import had the same file. The earlier ones are told as events, so that they can be of any age and state.
import { createHash, randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Pool } from "pg";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { migrationStatements } from "../../../../src/adapters/postgres/migrate.js";
import { deadlineIn } from "../../../../src/commands/deadline.js";
import { cancelImport } from "../../../../src/commands/imports/endImport.js";
import { importOfKey } from "../../../../src/commands/imports/importStream.js";
import {
  cancelPlace,
  confirmPlace,
  removePlace,
  removeUnconfirmedPlace,
  reservePlace,
} from "../../../../src/commands/imports/queue/places.js";
import { type RequestImportDeps, requestImport, type Submission } from "../../../../src/commands/imports/requestImport.js";
import { importWithSameFile } from "../../../../src/commands/imports/sameFile.js";
import { limits } from "../../../../src/domain/imports/limits.js";
import type { RowsReversed } from "../../../../src/events/correctionEvents.js";
import type { ImportRequested } from "../../../../src/events/importEvents.js";
import { streamOf } from "../../../../src/events/streams.js";
import { StoreUnavailable } from "../../../../src/portErrors.js";
import { allProjections } from "../../../../src/projections/allProjections.js";
import { rebuild } from "../../../../src/projections/rebuild/rebuild.js";
import { eventually } from "../../../support/eventually.js";
import { append, goodsLine, activity as row, type Story, tell } from "../../../support/importStory.js";
import { projectLog } from "../../../support/projectLog.js";
import { gateAppends } from "../../../support/stores/gatedAppends.js";
import { activitiesPath, activity, activityCsv, csv, shipment, shipmentsPath, usePushes } from "./stage.js";

const stage = usePushes();
const { fresh } = stage;

const importsPath = "/v1/org/fulfilment/imports";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const idOf = async (answer: Response) => {
  const { importId } = (await answer.json()) as { importId?: string };
  if (importId === undefined) throw new Error(`the push was answered ${answer.status}`);
  return importId;
};
/** A file that nobody has pushed before. */
const newFile = () => activityCsv.replace("PICK", `PICK-${randomUUID()}`);
const push = async (text: string, headers = {}) => idOf(await stage.org.upload(`${activitiesPath}/file`, csv(text), {}, headers));
const shown = async (importId: string, path = importsPath) =>
  ((await (await stage.org.get(`${path}/${importId}`)).json()) as { sameFileAs: string | null }).sameFileAs;
const pushed = async (text: string) => shown(await push(text));
const project = () => projectLog(stage.service);
const recordedIn = async (importId: string) => (await stage.eventsOf(importId))[0]?.data as ImportRequested;

async function told(text: string, story: Partial<Story> = {}) {
  const file = { key: `uploads/${randomUUID()}`, name: "rows.csv", format: "csv" as const, size: text.length, sha256: sha256(text) };
  const made = tell({ kind: "activities", organisationId: stage.org.id, rows: [{ accept: row() }, { accept: row() }], file, ...story });
  await append(stage.service.eventStore, made);
  const request = JSON.parse(made.events[0]?.json ?? "") as ImportRequested;
  const position = (await stage.service.eventStore.last(made.stream))?.position.commit ?? 0n;
  return { ...made, request, position };
}

/** An import that the tables have. */
async function inTables(text: string, story: Partial<Story>): Promise<string> {
  const { importId } = await told(text, story);
  await project();
  return importId;
}

/** An import that ended while no projector was running. */
async function ended(text: string, story: Partial<Story>): Promise<string> {
  const { importId, request, position } = await told(text, story);
  await confirmPlace(stage.service.pool, request, position, { started: true });
  await removePlace(stage.service.pool, { importId, rows: 1 });
  return importId;
}

async function reversed(importId: string, rows: RowsReversed["rows"], count: number): Promise<void> {
  const { eventStore } = stage.service;
  const stream = streamOf.reversals(importId);
  const by = { kind: "cli" as const, id: "test" };
  const data: RowsReversed = { importId, reversalId: randomUUID(), rows, count, reason: "twice", by, at: new Date().toISOString() };
  const metadata = { organisation: stage.org.id, actor: "cli:test", $correlationId: "test", v: 1 };
  const event = { id: randomUUID(), type: "RowsReversed", json: JSON.stringify(data), metadata };
  await eventStore.append(stream, [event], (await eventStore.last(stream))?.revision ?? -1n);
}

const daysAgo = async (days: number, ms = 0): Promise<string> => {
  const { rows } = await stage.service.pool.query<{ now: Date }>("select now()");
  return new Date((rows[0]?.now.getTime() ?? 0) - days * 86_400_000 + ms).toISOString();
};

describe("an import", () => {
  it("says which import had the same file, and records it with the push", async () => {
    await fresh();
    const first = await push(activityCsv);
    const second = await push(activityCsv);
    expect([await shown(first), await shown(second)]).toEqual([null, first]);
    expect((await recordedIn(first)).sameFileAs).toBeUndefined();
    expect((await recordedIn(second)).sameFileAs).toBe(first);
    const third = await push(activityCsv);
    expect(await shown(third)).toBe(second); // the last one that counts
    const list = (await (await stage.org.get(importsPath)).json()) as { items: { importId: string; sameFileAs: unknown }[] };
    expect(list.items.map(({ importId, sameFileAs }) => [importId, sameFileAs])).toEqual([
      [third, second],
      [second, first],
      [first, null],
    ]);
    await project();
    expect([await shown(first), await shown(second), await shown(third)]).toEqual([null, first, second]);
  });

  it("is compared by its content alone: not by the file's name, the reference or the way it came", async () => {
    await fresh();
    const first = await push(activityCsv);
    const named = await idOf(await stage.org.upload(`${activitiesPath}/file`, csv(activityCsv, "other.csv"), { sourceDetails: "May" }));
    expect(await shown(named)).toBe(first);
    expect(await pushed(`${activityCsv}SYD1,PICK,2,2026-03-01T09:30:00Z\n`)).toBeNull();
  });

  it("is compared by the file that is made of it, where it comes as JSON", async () => {
    await fresh();
    const send = async (body: unknown) => idOf(await stage.org.post(activitiesPath, body));
    const first = await send({ activities: [activity] });
    expect(await shown(await send({ sourceDetails: "again", activities: [Object.fromEntries(Object.entries(activity).reverse())] }))).toBe(
      first,
    );
    expect(await shown(await send({ activities: [{ ...activity, quantity: 3 }] }))).toBeNull();
    const shipments = async () => idOf(await stage.org.post(shipmentsPath, { shipments: [shipment("A")] }));
    const one = await shipments();
    expect(await shown(await shipments(), shipmentsPath)).toBe(one);
  });

  it("is compared with those of its own organisation", async () => {
    const mine = await fresh();
    await push(activityCsv);
    await fresh();
    expect(await pushed(activityCsv)).toBeNull();
    stage.org = mine;
    expect(await pushed(activityCsv)).not.toBeNull();
  });

  it("sent again with its Idempotency-Key is the same import and not the same file", async () => {
    await fresh();
    const key = { "idempotency-key": randomUUID() };
    const first = await push(activityCsv, key);
    expect(await push(activityCsv, key)).toBe(first);
    expect(await shown(first)).toBeNull();
    const other = { "idempotency-key": randomUUID() };
    const second = await push(activityCsv, other);
    expect(await push(activityCsv, other)).toBe(second);
    expect(await shown(second)).toBe(first);
  });
});

describe.each([
  ["the tables have", inTables],
  ["ended before a projector saw it", ended],
])("an earlier import that %s", (_, earlier) => {
  it("counts when it is completed, also when all of its rows were rejected", async () => {
    await fresh();
    const [some, none] = [newFile(), newFile()];
    const accepted = await earlier(some, { at: await daysAgo(1) });
    const rejected = await earlier(none, { at: await daysAgo(1), rows: [{ reject: "no" }] });
    expect([await pushed(some), await pushed(none)]).toEqual([accepted, rejected]);
  });

  it.each(["failed", "cancelled"] as const)("does not count when it has %s, but an older one does", async (end) => {
    await fresh();
    const file = newFile();
    await earlier(file, { at: await daysAgo(1), end });
    expect(await pushed(file)).toBeNull();
    const another = newFile();
    const older = await earlier(another, { at: await daysAgo(2) });
    await earlier(another, { at: await daysAgo(1), end });
    expect(await pushed(another)).toBe(older);
  });

  it("counts for 400 days", async () => {
    await fresh();
    expect(limits.sameFileDays).toBe(400);
    const found = async (days: number, ms = 0) => {
      const file = newFile();
      const importId = await earlier(file, { at: await daysAgo(days, ms) });
      const same = await pushed(file);
      if (same !== null) expect(same).toBe(importId);
      await stage.service.pool.query("delete from import_queue where organisation_id = $1", [stage.org.id]);
      return same !== null;
    };
    expect([await found(399), await found(400, 60_000), await found(400), await found(401)]).toEqual([true, true, false, false]);
  });

  it("counts on its last day to the millisecond", async () => {
    await fresh();
    const file = newFile();
    const importId = await earlier(file, { at: "2026-03-01T10:00:00.000Z" });
    const afterDays = (ms: number) => {
      const now = new Date(Date.parse("2026-03-01T10:00:00.000Z") + 400 * 86_400_000 + ms);
      const sought = { organisationId: stage.org.id, kind: "activities" as const, sha256: sha256(file), now };
      return importWithSameFile(stage.service, sought, deadlineIn(5_000));
    };
    expect([await afterDays(0), await afterDays(1)]).toEqual([importId, undefined]);
  });

  it("does not count when it is a correction, or of the other kind", async () => {
    await fresh();
    const file = newFile();
    await earlier(file, { at: await daysAgo(1), corrects: { importId: randomUUID(), rows: [2, 3] } });
    await earlier(file, { at: await daysAgo(1), kind: "shipments", rows: [{ accept: goodsLine("S1") }] });
    expect(await pushed(file)).toBeNull();
  });

  it.each([
    ["is reversed as a whole", [["all", 2]], null],
    [
      "has every row reversed, one by one",
      [
        [[[2, 2]], 1],
        [[[3, 3]], 1],
      ],
      null,
    ], // prettier-ignore
    ["has one row reversed", [[[[2, 2]], 1]], "counts"],
    [
      "has one row reversed, and then the rest",
      [
        [[[2, 2]], 1],
        ["all", 1],
      ],
      null,
    ], // prettier-ignore
  ] as const)("and %s counts only if something of it is left", async (_what, steps, expected) => {
    await fresh();
    const file = newFile();
    const importId = await earlier(file, { at: await daysAgo(1) });
    for (const [index, [rows, count]] of steps.entries()) {
      await reversed(importId, rows as RowsReversed["rows"], count);
      if (earlier === inTables && index === 0) await project(); // the last of several reversals is not in the tables
    }
    expect(await pushed(file)).toBe(expected === null ? null : importId);
    await project();
    const { rows } = await stage.service.pool.query(
      "select same_file_as from imports where organisation_id = $1 order by position desc limit 1",
      [stage.org.id],
    );
    expect(rows).toEqual([{ same_file_as: expected === null ? null : importId }]);
  });
});

describe("an earlier import that runs", () => {
  it("counts, until its stream says that it has failed", async () => {
    await fresh();
    const [unseen, seen] = [newFile(), newFile()];
    const waiting = await told(unseen, { end: "running" });
    await confirmPlace(stage.service.pool, waiting.request, waiting.position, { started: true });
    expect(await pushed(unseen)).toBe(waiting.importId);
    const running = await told(seen, { end: "running" });
    await project();
    expect(await pushed(seen)).toBe(running.importId);
    const { organisationId } = running.request;
    await cancelImport(stage.service, { organisationId, importId: running.importId, by: { kind: "cli", id: "test" }, now: new Date() });
    const last = await push(seen);
    expect(await shown(last)).not.toBe(running.importId); // but the one that was pushed in between
    expect(await shown(last)).not.toBeNull();
  });

  it("does not count once somebody has asked to cancel it", async () => {
    await fresh();
    const [file, first] = [newFile(), newFile()];
    const importId = await push(file);
    await push(first);
    await cancelPlace(stage.service.pool, importId);
    expect(await pushed(file)).toBeNull();
  });

  it("is found although the queue was lost", async () => {
    await fresh();
    const file = newFile();
    const importId = await push(file);
    await stage.service.pool.query("delete from import_queue where import_id = $1", [importId]);
    expect([await pushed(newFile()), await pushed(file)]).toEqual([null, importId]);
  });
});

it("is the same after the tables were rebuilt, and for a process that has just started", async () => {
  await fresh();
  const file = newFile();
  const first = await push(file);
  const second = await push(file);
  await project();
  const rebuilding = { ...stage.service, logger: pino({ level: "silent" }), signal: new AbortController().signal };
  await rebuild({ ...rebuilding, migrations: migrationStatements(), projections: allProjections });
  expect([await shown(first), await shown(second)]).toEqual([null, first]);
  const url = await stage.service.startAnotherApi();
  const third = await idOf(await stage.org.upload(`${url}${activitiesPath}/file`, csv(file)));
  expect(await shown(third)).toBe(second);
});

describe("pushes of the same file at the same moment", () => {
  it("name each other in the order of the log, and only the first has none before it", async () => {
    await fresh();
    const other = await stage.service.startAnotherApi();
    const file = newFile();
    const send = (url: string) => stage.org.upload(`${url}${activitiesPath}/file`, csv(file));
    const answers = await Promise.all(Array.from({ length: 5 }, (_, index) => send(index % 2 ? other : stage.service.url)));
    const ids = await Promise.all(answers.map(idOf));
    const events = await Promise.all(ids.map(async (importId) => (await stage.eventsOf(importId))[0]));
    const inOrder = events
      .flatMap((event) => (event ? [event] : []))
      .toSorted((one, next) => Number(one.position.commit - next.position.commit))
      .map(({ data }) => data as ImportRequested);
    expect(inOrder).toHaveLength(5);
    for (const [index, { sameFileAs }] of inOrder.entries()) {
      const before = inOrder.slice(0, index).map(({ importId }) => importId);
      if (before.length === 0) expect(sameFileAs).toBeUndefined();
      else expect(before).toContain(sameFileAs);
    }
  });

  const requested = (file: string, more: Partial<Submission> = {}, deps: Partial<RequestImportDeps> = {}) =>
    requestImport(
      { ...stage.service.deps, maxQueuedImports: 20, ...deps },
      {
        ...{ organisationId: stage.org.id, kind: "activities", source: "file", sourceDetails: "", requestId: "r", now: new Date() },
        by: { kind: "cli", id: "test" },
        file: { path: fileURLToPath(import.meta.url), name: "rows.csv", format: "csv", size: 1, sha256: sha256(file) },
        idempotencyKey: undefined,
        ...more,
      },
    );
  const places = async (importId?: string) => {
    const { rows } = await stage.service.pool.query<{ importId: string }>(
      'select import_id as "importId" from import_queue where organisation_id = $1 and import_id is distinct from $2',
      [stage.org.id, importId],
    );
    return rows.map((place) => place.importId);
  };
  const place = async (file: string) => {
    const importId = randomUUID();
    await reservePlace(
      stage.service.pool,
      { organisationId: stage.org.id, importId, kind: "activities", file: { sha256: sha256(file) } },
      20,
    );
    return importId;
  };

  it("wait for the one whose place was reserved first, until it is in the log", async () => {
    await fresh();
    const file = newFile();
    const gate = gateAppends(stage.service.eventStore);
    gate.close();
    const first = requested(file, {}, { eventStore: gate.eventStore });
    await eventually(async () => (await places()).length === 1);
    const looks = countQueries(stage.service.pool, /position is null and not cancel_requested/);
    const second = requested(file, {}, { pool: looks.pool });
    await eventually(() => looks.count() > 2, "the second push to look at the first one");
    gate.open();
    const [one, two] = await Promise.all([first, second]);
    expect([one.sameFileAs, two.sameFileAs]).toEqual([undefined, one.importId]);
  });

  it("do not count one that was given up", async () => {
    await fresh();
    const file = newFile();
    const givenUp = await place(file);
    const looks = countQueries(stage.service.pool, /position is null and not cancel_requested/);
    const second = requested(file, {}, { pool: looks.pool });
    await eventually(() => looks.count() > 2, "the second push to look at the first one");
    await removeUnconfirmedPlace(stage.service.pool, givenUp);
    expect((await second).sameFileAs).toBeUndefined();
  });

  it("do not wait for one whose process is gone, nor for one that came later", async () => {
    await fresh();
    const [file, another] = [newFile(), newFile()];
    await place(file);
    await stage.service.pool.query("update import_queue set reserved_at = reserved_at - interval '6 seconds' where organisation_id = $1", [
      stage.org.id,
    ]);
    const looks = countQueries(stage.service.pool, /position is null and not cancel_requested/);
    expect((await requested(file, {}, { pool: looks.pool })).sameFileAs).toBeUndefined();
    expect(looks.count()).toBe(1);
    const idempotencyKey = randomUUID();
    const { importId } = await importOfKey(stage.service.eventStore, { organisationId: stage.org.id, idempotencyKey, now: new Date() });
    const pushedFirst = { organisationId: stage.org.id, importId, kind: "activities" as const, file: { sha256: sha256(another) } };
    await reservePlace(stage.service.pool, pushedFirst, 20);
    await place(another);
    expect((await requested(another, { idempotencyKey }, { pool: looks.pool })).sameFileAs).toBeUndefined();
    expect(looks.count()).toBe(1);
  });

  it.each([
    ["fails", () => Promise.reject(new StoreUnavailable("database", "away")), "away"],
    ["does not answer", () => new Promise(() => undefined), "The database did not answer in time"],
  ])("are refused when the database %s, and take no place", async (_, query, message) => {
    await fresh();
    const sick = proxied(stage.service.pool, /with reserved as/, query);
    const stopped = AbortSignal.abort();
    await expect(requested(newFile(), { withinMs: 500 }, { pool: sick, stopped })).rejects.toThrow(message);
    expect(await places()).toEqual([]);
  });

  it("are compared with imports and never with corrections, and a correction is compared with nothing", async () => {
    await fresh();
    const file = newFile();
    const corrects = { importId: randomUUID(), rows: [2] };
    expect((await requested(file, { corrects })).sameFileAs).toBeUndefined();
    const first = await requested(file);
    expect(first.sameFileAs).toBeUndefined();
    expect((await requested(file, { corrects })).sameFileAs).toBeUndefined();
    expect((await requested(file)).sameFileAs).toBe(first.importId);
  });
});

/** A pool that answers the statements which match in its own way. */
const proxied = (pool: Pool, which: RegExp, query: (...asked: Parameters<Pool["query"]>) => unknown): Pool =>
  new Proxy(pool, {
    get: (target, name) =>
      name === "query"
        ? (...asked: Parameters<Pool["query"]>) => (which.test(String(asked[0])) ? query(...asked) : target.query(...asked))
        : Reflect.get(target, name, target),
  });

function countQueries(pool: Pool, which: RegExp) {
  let count = 0;
  const counting = proxied(pool, which, (...asked) => {
    count += 1;
    return pool.query(...asked);
  });
  return { pool: counting, count: () => count };
}
