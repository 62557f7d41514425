import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { logIdOf } from "../../../src/commands/logIdentity.js";
import { logStream } from "../../../src/events/streams.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import { type EventStore, noStream } from "../../../src/ports/eventStore.js";
import { catchUpImport } from "../../../src/projections/importRow.js";
import { sweepRefusedUploads } from "../../../src/workers/imports/upkeep/sweeps.js";
import { all, connect } from "../../adapters/eventStore/support.js";
import { until } from "../../support/readModel.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";
import { activities, openStage, type Stage } from "./stage.js";

let stage: Stage;
let organisation: string;
let logId: string;
beforeAll(async () => {
  stage = await openStage();
  organisation = await stage.organisation("sweeping");
  logId = await logIdOf(stage.eventStore);
});
beforeEach(() => stage.pool.query("truncate import_queue, imports, refused_uploads"));
afterAll(() => stage?.close());

const sweep = (eventStore: EventStore = stage.eventStore) => sweepRefusedUploads(stage.deps({ eventStore }), -60_000);
const push = (into: EventStore = stage.eventStore, more: object = {}) =>
  stage.push(organisation, "activities", activities(1), { into, ...more });

async function keys(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of stage.objectStore.list(prefix)) found.push(key);
  return found.sort();
}

async function put(...under: string[]): Promise<void> {
  const path = join(stage.tempDir, randomUUID());
  await writeFile(path, "x");
  for (const key of under) await stage.objectStore.put(key, path, { contentType: "text/csv" });
}

/** The table has the import. Returns the key of its file. */
async function projected(importId: string, eventStore: EventStore = stage.eventStore): Promise<string> {
  await catchUpImport(stage.pool, eventStore, importId);
  const { rows } = await stage.pool.query<{ key: string }>("select file_key as key from imports where import_id = $1", [importId]);
  if (!rows[0]) throw new Error(`there is no import ${importId}`);
  return rows[0].key;
}

/** An event store that does not answer the append of a push. The append never lands. */
const deaf: () => EventStore = () => ({
  ...stage.eventStore,
  append: (stream, ...rest) =>
    stream.startsWith("import-")
      ? Promise.reject(new StoreUnavailable("event store", "silent", { outcomeUnknown: true }))
      : stage.eventStore.append(stream, ...rest),
});

/** Makes a push whose append does not land. Returns the key of its file, once refused_uploads has it. */
async function refusedPush(): Promise<string> {
  const before = await keys("uploads/");
  await expect(push(deaf())).rejects.toThrow(StoreUnavailable);
  const noted = () => stage.pool.query<{ key: string }>("select key from refused_uploads");
  await until(async () => (await noted()).rowCount === 1);
  const [key] = (await keys("uploads/")).filter((each) => !before.includes(each));
  expect((await noted()).rows).toEqual([{ key }]);
  return key ?? "";
}

test("uploads of a later state of this log, of another log and of an earlier version stay, whatever the tables say", async () => {
  const acknowledged = await push();
  const key = await projected(acknowledged);
  // The event store is put back as it was before that push, and gets other events. It has the same log id.
  const node = await startHostedEventStore();
  const putBack = connect(node.address);
  try {
    const [created] = await all(stage.eventStore.read(logStream, { max: 1 }));
    if (!created) throw new Error("the log has no LogCreated");
    await putBack.append(logStream, [{ ...created, json: JSON.stringify(created.data) }], noStream);
    expect(await logIdOf(putBack)).toBe(logId);
    await stage.pool.query("truncate imports, import_queue");
    await projected(await push(putBack), putBack);
    const others = [`uploads/x/${randomUUID()}/1`, "uploads/sweeping/of-an-earlier-version", "reports/unknown.xlsx", "reports/x/1.xlsx"];
    await put(...others);
    const before = [...(await keys("uploads/")), ...(await keys("reports/"))];
    expect(before).toEqual(expect.arrayContaining([key, ...others]));
    expect(await sweep(putBack)).toBe(0);
    expect([...(await keys("uploads/")), ...(await keys("reports/"))]).toEqual(before);
  } finally {
    await putBack.close();
    await node.stop();
  }
});

test("an upload that this log has refused is removed 30 days later, once the log has a later event", async () => {
  await projected(await push());
  const key = await refusedPush();
  expect(await sweep()).toBe(0); // the upload is newer than the last event: an older log may have been put back
  await projected(await push());
  const noted = (days: number) =>
    stage.pool.query("update refused_uploads set refused_at = now() - make_interval(days => $1) + interval '1 minute'", [days]);
  await noted(30);
  expect(await sweepRefusedUploads(stage.deps())).toBe(0);
  expect(await stage.objectStore.exists(key)).toBe(true);
  await noted(31);
  expect(await sweepRefusedUploads(stage.deps())).toBe(1);
  expect(await stage.objectStore.exists(key)).toBe(false);
  expect((await stage.pool.query("select from refused_uploads")).rowCount).toBe(0);
});

test("a refused upload whose append landed after all stays", async () => {
  const importId = await push();
  const key = await projected(importId);
  await stage.pool.query("insert into refused_uploads (key, import_id, log_id) values ($1, $2, $3)", [key, importId, logId]);
  await projected(await push());
  expect(await sweep()).toBe(0);
  expect(await stage.objectStore.exists(key)).toBe(true);
  expect((await stage.pool.query("select from refused_uploads")).rowCount).toBe(0);
});

test("an upload that another log has refused stays", async () => {
  const another = randomUUID();
  const key = `uploads/${organisation}/${another}/${randomUUID()}`;
  await put(key);
  await projected(await push());
  await stage.pool.query("insert into refused_uploads (key, import_id, log_id) values ($1, $2, $3)", [key, randomUUID(), another]);
  expect(await sweep()).toBe(0);
  expect(await stage.objectStore.exists(key)).toBe(true);
});

test("with an Idempotency-Key, the file of a push of unknown outcome is removed after the push was sent again and landed", async () => {
  const idempotencyKey = randomUUID();
  const before = await keys("uploads/");
  await expect(push(deaf(), { idempotencyKey })).rejects.toThrow(StoreUnavailable);
  const [key] = (await keys("uploads/")).filter((each) => !before.includes(each));
  await projected(await push(stage.eventStore, { idempotencyKey }));
  // The import's event names the file of the second attempt: no event names the first one's.
  await until(async () => (await stage.pool.query("select from refused_uploads where key = $1", [key])).rowCount === 1);
  await projected(await push());
  expect(await sweep()).toBe(1);
});
