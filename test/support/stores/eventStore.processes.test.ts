import { fileURLToPath } from "node:url";
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { afterEach, expect, test, vi } from "vitest";
import { startTestEventStore } from "./eventStore.js";

afterEach(() => vi.unstubAllEnvs());

const slow = fileURLToPath(new URL("./slowEventStore.mjs", import.meta.url));

test.each(["restart", "kill"])("an event store that is slow to start and to stop has its events after a %s", async (way) => {
  vi.stubEnv("TEST_EVENTSTORE_URL", "");
  vi.stubEnv("EVENTSTORE_URL", "esdb://127.0.0.1:1?tls=false");
  // Two commands, so that a shell stays between the test and the server. On SIGTERM the shell ends at once, before the server.
  vi.stubEnv("TEST_EVENTSTORE_COMMAND", `true; '${process.execPath}' '${slow}'`);
  const store = await startTestEventStore();
  const client = EventStoreDBClient.connectionString(store.address);
  try {
    await client.appendToStream("notes", jsonEvent({ type: "Noted", data: {} }));
    const before = store.pid;
    if (way === "kill") await store.kill();
    await store.restart();
    expect(store.pid).not.toBe(before);
    const fresh = EventStoreDBClient.connectionString(store.address);
    const found: unknown[] = [];
    for await (const { event } of fresh.readStream("notes")) found.push(event?.type);
    expect(found).toEqual(["Noted"]);
    await fresh.dispose();
  } finally {
    await client.dispose();
    await store.stop();
  }
});
