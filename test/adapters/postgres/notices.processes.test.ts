import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openNotices } from "../../../src/adapters/postgres/notices.js";
import { channels } from "../../../src/ports/notices.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
});
afterAll(() => database.close());

function open(applicationName: string) {
  const stop = new AbortController();
  const notices = openNotices({
    ...{ url: database.url, applicationName, signal: stop.signal },
    channels: [channels.importQueued, channels.importCancelled],
  });
  onTestFinished(async () => {
    stop.abort();
    await notices.closed;
  });
  return { notices, stop };
}

const notify = (channel: string, text: string) => database.pool.query("select pg_notify($1, $2)", [channel, text]);
const cut = (applicationName: string) =>
  database.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [applicationName]);

test("notices are heard by channel, also after the connection was cut; what may have been missed is told without a text", async () => {
  const { notices } = open("cut");
  const heard: (string | undefined)[] = [];
  const states: boolean[] = [];
  notices.on(channels.importCancelled, (text) => {
    heard.push(text);
    if (text === undefined) states.push(notices.areArriving());
  });
  expect(notices.areArriving()).toBe(false);
  await expect.poll(() => states).toEqual([true]);
  await notify(channels.importQueued, "of another channel");
  await notify(channels.importCancelled, "first");
  await expect.poll(() => heard).toEqual([undefined, "first"]);
  await cut("cut");
  await expect.poll(() => states).toEqual([true, false, true]);
  expect(notices.areArriving()).toBe(true);
  await notify(channels.importCancelled, "second");
  await expect.poll(() => heard).toEqual([undefined, "first", undefined, undefined, "second"]);
});

test("several hear the same notice, until each ends it; nothing arrives after the end", async () => {
  const { notices, stop } = open("several");
  await expect.poll(notices.areArriving).toBe(true);
  const heard: string[] = [];
  const hear = (text?: string) => heard.push(text ?? "-");
  const ends = [notices.on(channels.importQueued, hear), notices.on(channels.importQueued, (text) => hear(text))];
  await notify(channels.importQueued, "both");
  await expect.poll(() => heard).toEqual(["both", "both"]);
  ends[0]?.();
  await notify(channels.importQueued, "one");
  await expect.poll(() => heard).toEqual(["both", "both", "one"]);
  stop.abort();
  await notices.closed;
  expect(notices.areArriving()).toBe(false);
  expect(() => notices.on(channels.deliveriesDue, hear)).toThrow("does not listen");
});
