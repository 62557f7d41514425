// How much a worker asks of the database while there is nothing to do.
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openNotices } from "../../src/adapters/postgres/notices.js";
import { channels } from "../../src/ports/notices.js";
import { eventually } from "../support/eventually.js";
import { type Stage as Imports, openStage as openImports } from "./imports/stage.js";
import { openStage as openWebhooks, type Stage as Webhooks } from "./webhooks/stage.js";

const asked: string[] = [];
const stop = new AbortController();
let imports: Imports;
let webhooks: Webhooks;
let closed: Promise<void>;
beforeAll(async () => {
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first] = args as [string | { text?: string }];
    asked.push(typeof first === "string" ? first : (first.text ?? ""));
    return (query as (...values: unknown[]) => never).apply(this, args);
  });
  imports = await openImports();
  webhooks = await openWebhooks();
});
afterAll(async () => {
  stop.abort();
  await imports?.close();
  await webhooks?.close();
  await closed;
  vi.restoreAllMocks();
});

const seconds = 6;

test("an idle worker and an idle sender that are told of their work make two queries a second together", async () => {
  const url = webhooks.environment["DATABASE_URL"] ?? "";
  const notices = openNotices({ url, applicationName: "idle", channels: Object.values(channels), signal: stop.signal });
  closed = notices.closed;
  webhooks.work({ notices });
  imports.start();
  const rests = (question: RegExp) => () => asked.some((text) => question.test(text));
  await eventually(rests(/^select from import_queue where position is not null limit 1/), "the worker's rest");
  await eventually(rests(/as due \(at\)/), "the sender's rest");
  await eventually(notices.areArriving, "notices");
  const before = asked.length;
  await pause(seconds * 1_000);
  const made = asked.slice(before);
  // Reconciling the queue and the upkeep of deliveries may fall into the window: up to ten statements.
  expect(made.length, made.join("\n")).toBeLessThanOrEqual(2 * seconds + 10);
  expect(made.length).toBeGreaterThan(0); // the count counts
});
