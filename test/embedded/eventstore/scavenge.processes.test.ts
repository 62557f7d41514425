import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventStoreDBClient, jsonEvent, type Position } from "@eventstore/db-client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTables } from "../../../src/embedded/eventstore/log/storage.js";
import { type EventStoreNode, startEventStoreNode } from "../../../src/embedded/eventstore/node.js";
import { collect } from "./events.js";

const secret = "ada@harbour.example";
let folder: string;
let node: EventStoreNode;
let client: EventStoreDBClient;
let warnings: string[];

async function start(): Promise<void> {
  node = await startEventStoreNode({ port: 0, dataDir: folder, report: (message) => warnings.push(message) });
  client = EventStoreDBClient.connectionString(node.address);
}
async function stop(): Promise<void> {
  await client?.dispose();
  await node?.stop();
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "waybill-scavenge-"));
  warnings = [];
  await start();
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

const personal = (type: string) => jsonEvent({ type, data: { email: secret, hash: "x".repeat(700) } });
const other = (n: number) => jsonEvent({ type: "other", data: { n, text: "y".repeat(n % 7 === 0 ? 20_000 : 400) } });

/** Writes a stream of personal events between events of other streams, so that they share pages. Its last append has two events. */
async function writePerson(stream: string): Promise<Position[]> {
  const places: Position[] = [];
  for (let n = 0; n < 60; n += 1) {
    await client.appendToStream(`other-${n % 5}`, other(n));
    if (n % 4 !== 0) continue;
    const { position } = await client.appendToStream(stream, personal(`p${n}`));
    if (position) places.push(position);
  }
  await client.appendToStream(stream, [personal("last but one"), jsonEvent({ type: "Erased", data: {} })]);
  return places;
}

const occurrences = (): number =>
  readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name), "latin1").split(secret).length - 1, 0);

const listed = async () =>
  (await collect(client.readAll())).map(({ streamId, type, revision, position }) => [streamId, type, revision, position?.commit]);

test("after the next start no file holds a tombstoned stream's data, and all other events are at their old positions", async () => {
  await writePerson("member-1");
  await client.tombstoneStream("member-1");
  const before = await listed();
  // Until the next start $all still has these events, as on a real server.
  expect(before.filter(([stream]) => stream === "member-1")).toHaveLength(18);
  await stop();
  expect(occurrences()).toBeGreaterThan(0);
  await start();
  expect(occurrences()).toBe(0);
  const kept = before.filter(([stream, type]) => stream !== "member-1" || type === "Erased" || type === "$streamDeleted");
  expect(await listed()).toEqual(kept);
  const backwards = await collect(client.readAll({ direction: "backwards", fromPosition: "end" }));
  expect(backwards.map(({ position }) => position?.commit).reverse()).toEqual(kept.map((each) => each[3]));
  await expect(collect(client.readStream("member-1"))).rejects.toMatchObject({ type: "stream-deleted" });
  await expect(client.appendToStream("member-1", personal("again"))).rejects.toMatchObject({ type: "stream-deleted" });
  for (let n = 0; n < 5; n += 1) expect(await collect(client.readStream(`other-${n}`))).toHaveLength(12);
  expect(warnings).toEqual([]);
});

test("a reader whose position is that of a removed event goes on with the next event", async () => {
  const places = await writePerson("member-1");
  await client.tombstoneStream("member-1");
  await stop();
  await start();
  const all = await listed();
  for (const fromPosition of places) {
    const rest = all.filter((each) => (each[3] as bigint) > fromPosition.commit).length;
    expect(await collect(client.readAll({ fromPosition }))).toHaveLength(rest);
    const subscription = client.subscribeToAll({ fromPosition });
    for await (const { event } of subscription) {
      expect(event?.position?.commit).toBeGreaterThan(fromPosition.commit);
      break;
    }
    await subscription.unsubscribe();
  }
});

test("streams that an earlier version tombstoned are found and removed at the next start", async () => {
  await writePerson("member-1");
  await client.tombstoneStream("member-1");
  await stop();
  const { root, index } = openTables(folder);
  for (const name of ["noted", "tombstone"]) {
    for (const key of [...index.getKeys({ start: [name, 0], end: [name, Number.MAX_VALUE] })]) index.removeSync(key);
  }
  await root.close();
  await start();
  expect(occurrences()).toBe(0);
});

test("an interrupted copy does not prevent a start, and soft-deleted streams are kept", async () => {
  await writePerson("member-1");
  await client.appendToStream("hidden", jsonEvent({ type: "kept", data: {} }));
  await client.deleteStream("hidden");
  await client.tombstoneStream("member-1");
  await stop();
  writeFileSync(join(folder, "events.mdb.copy"), "half a copy");
  await start();
  expect(occurrences()).toBe(0);
  expect((await listed()).filter(([stream]) => stream === "hidden")).toHaveLength(1);
  expect(readdirSync(folder)).not.toContain("events.mdb.copy");
});

test("if the file cannot be copied, the node warns and serves it all the same, and a later start copies it", async () => {
  await writePerson("member-1");
  await client.tombstoneStream("member-1");
  await stop();
  mkdirSync(join(folder, "events.mdb.copy"));
  await start();
  expect(warnings).toEqual([expect.stringContaining("could not be copied")]);
  expect((await listed()).filter(([stream]) => stream === "member-1")).toHaveLength(2);
  await client.appendToStream("other-1", other(1));
  await stop();
  rmdirSync(join(folder, "events.mdb.copy"));
  await start();
  expect(occurrences()).toBe(0);
  expect(await collect(client.readStream("other-1"))).toHaveLength(13);
});
