import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BACKWARDS, binaryEvent, END, EventStoreDBClient, START } from "@eventstore/db-client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type EventStoreNode, startEventStoreNode } from "../../../src/embedded/eventstore/node.js";
import { startEmbeddedEventStore } from "../../support/stores/eventStore.js";
import { collect, ownMemoryOf } from "./events.js";

const MEBIBYTE = 1024 * 1024;
const EVENT_BYTES = 32 * 1024;
const PER_APPEND = 24;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-map-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const large = (n: number) => {
  const data = Buffer.alloc(EVENT_BYTES, n % 251);
  data.writeUInt32BE(n, 0);
  return binaryEvent({ type: "Large", data });
};

const numberIn = (data: unknown): number => Buffer.from(data as Uint8Array).readUInt32BE(0);

async function fill(client: EventStoreDBClient, stream: string, appends: number): Promise<void> {
  for (let at = 0; at < appends * PER_APPEND; at += PER_APPEND) {
    const events = Array.from({ length: PER_APPEND }, (_, index) => large(at + index));
    await client.appendToStream(stream, events, { expectedRevision: at === 0 ? "no_stream" : BigInt(at - 1) });
  }
}

/** Reads every event's number by a subscription, and subscribes again whenever the node ends it for being slow. */
async function follow(client: EventStoreDBClient, stream: string, wanted: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < wanted) {
    const subscription = client.subscribeToStream(stream, { fromRevision: seen.length === 0 ? START : BigInt(seen.length - 1) });
    try {
      for await (const { event } of subscription) {
        if (event) seen.push(numberIn(event.data));
        if (seen.length === wanted) break;
      }
    } catch (error) {
      if (!String(error).includes("too slow")) throw error;
    } finally {
      await subscription.unsubscribe().catch(() => undefined);
    }
  }
  return seen;
}

test("with writers, readers and subscribers at once the node loses no large event, and a second node is refused the folder", async () => {
  const appends = 10;
  const all = Array.from({ length: appends * PER_APPEND }, (_, index) => index);
  const node: EventStoreNode = await startEventStoreNode({ port: 0, dataDir: folder });
  const client = EventStoreDBClient.connectionString(node.address);
  try {
    await fill(client, "first", appends);
    const streams = ["a", "b"];
    const writers = streams.map((stream) => fill(client, stream, appends));
    const followers = streams.map(async (stream) => expect(await follow(client, stream, all.length)).toEqual(all));
    const readers = [0, 50, 150].map(async (from) => {
      const forwards = await collect(client.readStream("first", { fromRevision: BigInt(from) }));
      expect(forwards.map(({ data }) => numberIn(data))).toEqual(all.slice(from));
      const backwards = await collect(client.readStream("first", { fromRevision: END, direction: BACKWARDS }));
      expect(backwards.map(({ data }) => numberIn(data))).toEqual(all.toReversed());
    });
    const second = refusedSecond().then((said) => expect(said).toContain(`is in use by process ${process.pid}`));
    await Promise.all([...writers, ...readers, ...followers, second]);
    const everything = await collect(client.readAll());
    expect(everything.filter(({ type }) => type === "Large")).toHaveLength(3 * all.length);
    const positions = everything.map(({ position }) => position?.commit ?? 0n);
    expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? -1 : 1)));
  } finally {
    await client.dispose();
    await node.stop();
  }
}, 600_000);

/** The error output of a second node on the folder, which is refused. */
async function refusedSecond(): Promise<string> {
  const entry = fileURLToPath(new URL("../../support/stores/eventStoreProcess.mjs", import.meta.url));
  const child = spawn(process.execPath, [entry, "0", folder], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  await once(child, "close");
  return said;
}

test("while 210 MiB are written and read, the node's own memory grows by less than 100 MiB", async () => {
  const store = await startEmbeddedEventStore();
  const client = EventStoreDBClient.connectionString(store.address);
  try {
    const before = ownMemoryOf(store.pid);
    if (before === undefined) return; // not the embedded node, or a system that does not tell
    const streams = Array.from({ length: 4 }, () => randomUUID());
    let most = 0;
    const look = (): void => {
      most = Math.max(most, (ownMemoryOf(store.pid) ?? 0) - before);
    };
    for (const stream of streams) await fill(client, stream, 70); // 52 MiB each
    look();
    const readAll = async (): Promise<void> => {
      for await (const { event } of client.readAll()) if (event && Number(event.revision) % 64 === 0) look();
    };
    const readStream = async (stream: string): Promise<void> => {
      let seen = 0;
      for await (const { event } of client.readStream(stream)) if (event && ++seen % 64 === 0) look();
      expect(seen).toBe(70 * PER_APPEND);
    };
    await Promise.all([readAll(), ...streams.slice(2).map(readStream)]);
    expect(most).toBeLessThan(100 * MEBIBYTE); // the whole log has 210 MiB
  } finally {
    await client.dispose();
    await store.stop();
  }
}, 600_000);
