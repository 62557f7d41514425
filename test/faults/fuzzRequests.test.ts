// Sends good requests with a few bytes changed to every route; `test/http/server/fuzz` sends requests that fast-check generates.
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../src/http/api/routes/list.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { mutated } from "./mutation.js";
import { manyAtOnce, paceOf, withoutGrowth } from "./pace.js";
import { seeded } from "./randomness.js";
import { firstSeed, runs } from "./scale.js";

let service: TestService;
let organisation: TestOrganisation;
beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 10_000_000 });
  organisation = await service.organisation();
});
afterAll(() => service?.close());

const item = { quantity: 1, length: 1, width: 1, height: 1, weight: 1 };
const bodies: Record<string, unknown> = {
  generateQuotes: {
    general: { customerIds: ["CUST-001"] },
    origin: { postalCode: "2000" },
    destination: { postalCode: "3000" },
    items: [item],
  },
  pushShipments: { shipments: [{ shipmentId: "S", originPostCode: "2000", items: [{ itemType: "Box", itemQuantity: 1 }] }] },
  pushActivities: {
    activities: [{ warehouseCode: "W", chargeCode: "C", quantity: 1, activityTimestamp: "2026-01-01T00:00:00Z", reference: "r" }],
  },
  correctShipmentRows: { rows: [{ row: 1, values: { shipmentId: "S" } }] },
  correctFulfilmentRows: { rows: [{ row: 1, values: { quantity: "1" } }] },
  reverseShipmentRows: { shipmentIds: ["S"], reason: "r" },
  reverseFulfilmentRows: { rows: [1], reason: "r" },
};
const activityFile = "warehouseCode,chargeCode,quantity,activityTimestamp\nW,C,1,2026-01-01\n";
const shipmentFile =
  "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType\nS,2000,Sydney,3000,Melbourne,Box\n";

/** The bytes of a good request to every route. */
function wireRequests(): Buffer[] {
  return routes.map(({ method, path, operationId, request }) => {
    const address =
      path.replaceAll(/\{\w+\}/g, "0190a000-0000-7000-8000-000000000000") +
      (request.query && "limit" in request.query.shape ? "?limit=5" : "") +
      (request.query && "since" in request.query.shape ? "?since=2026-01-01" : "");
    const csvFile = path.includes("shipments") ? shipmentFile : activityFile;
    const form = `--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${csvFile}\r\n--b--\r\n`;
    const body = request.multipart ? form : method === "POST" ? JSON.stringify(bodies[operationId] ?? {}) : "";
    const type = request.multipart ? "multipart/form-data; boundary=b" : "application/json";
    const head = [
      `${method} ${address} HTTP/1.1`,
      "host: localhost",
      `x-api-key: ${organisation.key}`,
      ...(method === "POST" ? [`content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`] : []),
      "connection: close",
    ];
    return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

const patienceMs = 300;

/**
 * Sends the bytes and returns the answer up to the server's close. If the server sends nothing for a while, though it answers a later
 * request, it waits for bytes that were cut off: then the socket is ended.
 */
function exchange(bytes: Uint8Array, later?: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    const giveUp = async (question: Uint8Array) => {
      await exchange(question);
      socket.end();
    };
    const enough = later && setTimeout(() => void giveUp(later), patienceMs);
    const done = () => {
      clearTimeout(enough);
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.setTimeout(60_000, done).on("error", done).on("close", done);
    socket.write(bytes);
  });
}

/** On a busy machine a store may be late, and the answer is 503 with Retry-After: then the request is sent again. */
async function answerTo(sent: Uint8Array, later?: Uint8Array): Promise<string> {
  let answer = await exchange(sent, later);
  for (let again = 0; again < 20 && /^HTTP\/1\.1 503 .*\r\nretry-after: /is.test(answer); again += 1) {
    await pause(500);
    answer = await exchange(sent, later);
  }
  return answer;
}

test("requests with some bytes changed are never answered 5xx, on any route", { timeout: 24 * 3_600_000 }, async () => {
  const good = wireRequests();
  for (const bytes of good) expect(await answerTo(bytes)).toMatch(/^HTTP\/1\.1 (200|202|404) /);
  expect(good).toHaveLength(routes.length);
  const unfinished = good.map((bytes) => bytes.subarray(0, -1)).filter((bytes) => bytes.toString().startsWith("POST"));
  const question = good.find((bytes) => bytes.subarray(0, 4).toString() === "GET ");
  for (const bytes of unfinished) await exchange(bytes, question); // a client that ends the connection early causes no error
  const random = seeded(firstSeed);
  const count = runs === undefined ? 200 : runs * 300;
  const told = paceOf("requests with bytes changed", count);
  let answered = 0;
  let done = 0;
  await withoutGrowth(count, (some) =>
    manyAtOnce(some, runs === undefined ? 40 : 100, async () => {
      const sent = mutated(random.pick(good), random);
      const answer = await answerTo(sent, question);
      if (answer !== "") answered += 1;
      done += 1;
      told(done);
      if (/^HTTP\/1\.1 5/.test(answer)) throw new Error(`${answer}\nto ${JSON.stringify(sent.toString("latin1"))}`);
    }),
  );
  expect(answered).toBeGreaterThan(count / 2);
  const { text } = await service.deps.metrics.render();
  expect(text.split("\n").filter((line) => /_count\{.*status="50[0-2]/.test(line))).toEqual([]); // no 5xx either for requests whose client had left
  expect(await answerTo(good[0] ?? Buffer.alloc(0))).toMatch(/^HTTP\/1\.1 200 /);
});
