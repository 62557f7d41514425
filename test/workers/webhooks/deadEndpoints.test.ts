import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { freePort } from "../../support/processes.js";
import { type Receiver, startReceiver } from "../../support/receiver.js";
import { openStage, type Stage } from "./stage.js";

let stage: Stage;
let organisationId: string;
let alive: Receiver;
const servers: { server: Server; sockets: Set<Socket> }[] = [];
const living = 10;
const all = 1_000;

/** Accepts every connection and does with it what the test wants. */
async function accept(treat: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    treat(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push({ server, sockets });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

function trickle(socket: Socket): void {
  const bytes = [..."HTTP/1.1 200 OK\r\nx: ".concat("y".repeat(1_000))];
  const timer = setInterval(() => socket.write(bytes.shift() ?? "y"), 500);
  socket.once("close", () => clearInterval(timer));
}

beforeAll(async () => {
  stage = await openStage();
  alive = await startReceiver();
});
afterAll(async () => {
  await stage?.close();
  await alive?.close();
  for (const { server, sockets } of servers) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
beforeEach(async () => {
  organisationId = await stage.newOrganisation();
  alive.got.length = 0;
});

/** By events, at once: the command reads its whole stream for each. */
async function addEndpoints(urls: readonly string[]): Promise<void> {
  const stream = `organisation-${organisationId}`;
  const at = new Date().toISOString();
  const events = urls.map((url) => {
    const data = { endpointId: randomUUID(), by: { kind: "cli", id: "test" }, at, url, events: ["import.started", "import.completed"] };
    return {
      id: randomUUID(),
      type: "WebhookAdded",
      json: JSON.stringify(data),
      metadata: { organisation: organisationId, actor: "cli:test", $correlationId: randomUUID(), v: 1 },
    };
  });
  for (let from = 0; from < events.length; from += 500) {
    const last = await stage.eventStore.last(stream);
    await stage.eventStore.append(stream, events.slice(from, from + 500), last?.revision ?? -1n);
  }
  await stage.deps.project(organisationId);
}

const urlsOf = (base: string, count: number) => Array.from({ length: count }, (_, n) => `${base}/${n}`);

test("ten endpoints among 990 dead ones get every event of several imports before the first dead one is given up", async () => {
  const third = (all - living) / 3;
  const hanging = await accept(() => undefined);
  const trickling = await accept(trickle);
  const refusing = `http://127.0.0.1:${await freePort()}`;
  const urls = [...urlsOf(hanging, third), ...urlsOf(alive.url, living), ...urlsOf(trickling, third), ...urlsOf(refusing, third)];
  await addEndpoints(urls);
  const imports = 3;
  for (let n = 0; n < imports; n += 1) await stage.record(organisationId);
  const begun = performance.now();
  stage.work({ post_: { deadlineMs: 40_000 } });
  await eventually(() => alive.got.length >= living * imports * 2, "what the ten are to get", 60_000);
  const first = figure(begun);
  const { rows } = await stage.pool.query("select count(*)::int as given from webhook_attempts where reason like 'No answer within%'");
  expect(rows[0]).toEqual({ given: 0 });
  expect(new Set(alive.got.map(({ id }) => id)).size).toBe(imports * 2);
  expect(alive.got).toHaveLength(living * imports * 2);
  const recorded = performance.now();
  await stage.record(organisationId);
  await eventually(() => alive.got.length >= living * (imports + 1) * 2, "one more import, beside those that hang");
  if (process.env["FIGURES"])
    process.stderr.write(`${imports} imports: the last of the ten after ${first} ms; one more: ${figure(recorded)} ms\n`);
});

const figure = (since: number) => Math.round(Math.max(...alive.got.map(({ at }) => at)) - since);
