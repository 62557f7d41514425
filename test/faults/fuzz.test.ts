// Good requests and good files with a few bytes changed: 500 requests and 5,000 files for each run of the long form.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../src/http/routes/list.js";
import { headerXml, workbookParts } from "../adapters/spreadsheets/workbook.js";
import { zip } from "../adapters/spreadsheets/zip.js";
import { outcomeOf } from "../poison/expectation.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { mutated } from "./mutation.js";
import { seeded } from "./randomness.js";
import { firstSeed, long, runs } from "./scale.js";

let service: TestService;
let organisation: TestOrganisation;
let folder: string;
beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 10_000_000 });
  organisation = await service.organisation();
  folder = await mkdtemp(join(tmpdir(), "waybill-fuzz-"));
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

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
};
const activityFile = "warehouseCode,chargeCode,quantity,activityTimestamp\nW,C,1,2026-01-01\n";
const shipmentFile =
  "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType\nS,2000,Sydney,3000,Melbourne,Box\n";

/** A request to every route as it goes over the wire. */
function wireRequests(): Buffer[] {
  return routes.map(({ method, path, operationId, request }) => {
    const address = path.replaceAll(/\{\w+\}/g, "0190a000-0000-7000-8000-000000000000") + (request.query ? "?limit=5" : "");
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

/** What comes back before the server closes; one that waits for more is told after a while that nothing will come. */
function exchange(bytes: Uint8Array, patienceMs = 1_000): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    const enough = setTimeout(() => socket.end(), patienceMs);
    const done = () => {
      clearTimeout(enough);
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.setTimeout(30_000, done).on("error", done).on("close", done);
    socket.write(bytes);
  });
}

const perRun = long ? { requests: 500, files: 5_000 } : { requests: 200, files: 200 };
const rounds = runs ?? 1;

function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

/** The first tenth fills what is filled once: code, caches, pools. */
async function withoutGrowth(count: number, work: (from: number, to: number) => Promise<void>): Promise<void> {
  await work(0, count / 10);
  const before = heapAfterCollection();
  await work(count / 10, count);
  expect(heapAfterCollection() - before).toBeLessThan(48 * 1024 * 1024);
}

test("requests with some bytes changed get an answer that is no fault of ours, on every route", { timeout: 24 * 3_600_000 }, async () => {
  const good = wireRequests();
  for (const bytes of good) expect(await exchange(bytes, 20_000)).toMatch(/^HTTP\/1\.1 (200|202|404) /);
  expect(good).toHaveLength(routes.length);
  const random = seeded(firstSeed);
  const atOnce = 20;
  let answered = 0;
  await withoutGrowth(perRun.requests * rounds, async (from, to) => {
    for (let n = from; n < to; n += atOnce) {
      const sent = Array.from({ length: atOnce }, () => mutated(random.pick(good), random));
      const answers = await Promise.all(sent.map((bytes) => exchange(bytes)));
      for (const [index, answer] of answers.entries()) {
        if (answer !== "") answered += 1;
        expect(answer, JSON.stringify(sent[index]?.toString("latin1"))).not.toMatch(/^HTTP\/1\.1 5/);
      }
    }
  });
  expect(answered).toBeGreaterThan((perRun.requests * rounds) / 2);
  expect(await exchange(good[0] ?? Buffer.alloc(0), 20_000)).toMatch(/^HTTP\/1\.1 200 /);
});

const parts = workbookParts({
  rows: `${headerXml("a", "b")}<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>46027.5</v></c></row><row r="3"><c r="A3" t="inlineStr"><is><t>x &amp; y</t></is></c><c r="B3" t="e"><v>#REF!</v></c></row>`,
  strings: "<si><t>one</t></si><si><r><t>two</t></r></si>",
  formats: ["yyyy-mm-dd"],
});

test("files with some bytes changed are read, or refused with a sentence, by both parsers", { timeout: 24 * 3_600_000 }, async () => {
  const csv = Buffer.from('sep=;\r\na;b;"c ""d"""\r\n1;"2\r\n3";4\r\n\r\n5;6;é\n');
  const random = seeded(firstSeed + 1);
  const candidate = (): Buffer => {
    if (random.chance(0.6)) return mutated(csv, random);
    if (random.chance(0.5)) return mutated(zip(parts), random);
    const changed = random.number(parts.length);
    return zip(parts.map((part, at) => (at === changed ? { ...part, content: mutated(Buffer.from(part.content), random) } : part)));
  };
  await withoutGrowth(perRun.files * rounds, async (from, to) => {
    for (let n = from; n < to; n += 4) {
      await Promise.all(
        [0, 1, 2, 3].map(async (slot) => {
          const path = join(folder, `file-${slot}`);
          const content = candidate();
          await writeFile(path, content);
          const outcome = await outcomeOf(path, "file");
          if ("fault" in outcome) expect(outcome.fault, content.toString("base64")).toMatch(/^[A-Z].*[.)]$/s);
        }),
      );
    }
  });
});
