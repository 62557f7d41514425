import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { EventStoreDBClient } from "@eventstore/db-client";
import { expect, test } from "vitest";
import { batchSender } from "../../../src/adapters/eventStore/sendBatch.js";

/** A client whose calls stay under way until they are released. */
function slowClient() {
  const releases: (() => void)[] = [];
  const execute = () => new Promise<void>((resolve) => releases.push(resolve));
  return { client: { execute } as unknown as EventStoreDBClient, releases };
}

const request = (n: number) => ({ correlationId: String(n), bytes: Buffer.alloc(10) });

test("two calls are under way at most; what comes meanwhile shares the next one", async () => {
  const { client, releases } = slowClient();
  const send = batchSender(5_000);
  for (let n = 0; n < 12; n += 1) {
    void send(client, request(n), `quote-${n}`);
    await nextTurn();
  }
  expect(releases).toHaveLength(2);
  releases[0]?.();
  await nextTurn();
  expect(releases).toHaveLength(3);
  releases[1]?.();
  await nextTurn();
  expect(releases).toHaveLength(3); // the third took all that waited
});

test("what has waited for longer than a call may take is given up, never sent behind its caller's back", async () => {
  const { client, releases } = slowClient();
  const send = batchSender(20);
  for (let n = 0; n < 2; n += 1) {
    void send(client, request(n), `quote-${n}`);
    await nextTurn();
  }
  const late = send(client, request(2), "quote-2").then(
    () => "sent",
    (error: Error) => error.message,
  );
  await pause(40); // past the deadline
  releases[0]?.();
  expect(await late).toMatch(/No connection established/);
  expect(releases).toHaveLength(2);
});
