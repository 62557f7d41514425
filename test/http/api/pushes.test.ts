import { createHash, randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { watch } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { applyOrganisation } from "../../../src/commands/organisations/organisationApply.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import { streamOf } from "../../../src/events/streams.js";
import type { EventStore, StoredEvent } from "../../../src/ports/eventStore.js";
import { runProjector } from "../../../src/projections/running/runProjector.js";
import { listImports } from "../../../src/queries/imports/importList.js";
import { organisationFile } from "../../support/organisationFile.js";
import { organisationDeps, startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

let service: TestService;
let org: TestOrganisation;

beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 5 });
});
afterAll(() => service?.close());

const fresh = async () => {
  org = await service.organisation();
  return org;
};

const item = { itemType: "Carton", itemQuantity: 1, itemWeight: 2.5 };
const shipment = (id: string) => ({ shipmentId: id, originPostCode: "2000", destinationPostCode: "3000", items: [item] });
const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 2, activityTimestamp: "2026-03-01T09:30:00Z" };
const shipmentsPath = "/v1/org/shipments/imports";
const activitiesPath = "/v1/org/fulfilment/activities";
const csv = (text: string, name = "rows.csv") => new File([text], name);
const activityCsv = "warehouseCode,chargeCode,quantity,activityTimestamp\nSYD1,PICK,2,2026-03-01T09:30:00Z\n";

async function eventsOf(importId: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const event of service.eventStore.read(streamOf.import(importId))) events.push(event);
  return events;
}

const queued = async (organisationId: string) =>
  (await service.pool.query("select import_id from import_queue where organisation_id = $1", [organisationId])).rowCount;

describe("a JSON push", () => {
  it("of shipments is recorded, with its file, before it is acknowledged", async () => {
    await fresh();
    const answer = await org.post(shipmentsPath, {
      shipments: [shipment("A"), { ...shipment("B"), items: [item, item] }],
      sourceDetails: "May",
    });
    expect(answer.status).toBe(202);
    const body = (await answer.json()) as { importId: string };
    expect(body).toEqual({
      importId: expect.any(String),
      status: "queued",
      source: "data",
      shipmentsReceived: 2,
      statusUrl: `/v1/org/shipments/imports/${body.importId}`,
    });
    const [event, ...more] = await eventsOf(body.importId);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "ImportRequested",
      data: {
        organisationId: org.id,
        kind: "shipments",
        source: "data",
        sourceDetails: "May",
        elements: 2,
        by: { kind: "key", id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      },
      metadata: { organisation: org.id, $correlationId: answer.headers.get("x-request-id") },
    });
    const { file } = (event as StoredEvent).data as { file: { key: string; size: number; sha256: string } };
    const folder = await mkdtemp(join(tmpdir(), "waybill-test-"));
    await service.objectStore.fetch(file.key, join(folder, "file"));
    const stored = await readFile(join(folder, "file"));
    await rm(folder, { recursive: true });
    expect([stored.length, createHash("sha256").update(stored).digest("hex")]).toEqual([file.size, file.sha256]);
    expect(stored.toString().split("\r\n")).toHaveLength(1 + 3 + 1);
  });

  it("of activities says how many it received", async () => {
    await fresh();
    const answer = await org.post(activitiesPath, { activities: [activity, activity] });
    expect(answer.status).toBe(202);
    expect(await answer.json()).toEqual({
      importId: expect.any(String),
      status: "queued",
      source: "data",
      activitiesReceived: 2,
      statusUrl: expect.stringMatching(/^\/v1\/org\/fulfilment\/imports\/[0-9a-f-]{36}$/),
    });
  });

  it.each([
    ["no shipments", shipmentsPath, { shipments: [] }, /^shipments /],
    ["no body", shipmentsPath, {}, /^shipments /],
    ["1001 shipments", shipmentsPath, { shipments: Array.from({ length: 1001 }, () => shipment("A")) }, /^shipments /],
    ["501 lines", shipmentsPath, { shipments: [{ ...shipment("A"), items: Array(501).fill(item) }] }, /^shipments\.0\.items /],
    [
      "10,001 lines",
      shipmentsPath,
      { shipments: [...Array.from({ length: 20 }, () => ({ ...shipment("A"), items: Array(500).fill(item) })), shipment("B")] },
      /^shipments .*10000/,
    ],
    ["no items", shipmentsPath, { shipments: [{ shipmentId: "A", items: [] }] }, /^shipments\.0\.items /],
    ["an unknown field", shipmentsPath, { shipments: [{ ...shipment("A"), colour: "red" }] }, /^shipments\.0\.colour /],
    [
      "__proto__",
      shipmentsPath,
      '{"shipments":[{"shipmentId":"A","items":[{"__proto__":{"a":1}}]}]}',
      /^shipments\.0\.items\.0\.__proto__ /,
    ],
    [
      "a custom field that no customer has",
      shipmentsPath,
      { shipments: [{ ...shipment("A"), customFields: { nope: "1" } }] },
      /^shipments\.0\.customFields\.nope /,
    ],
    ["10,001 activities", activitiesPath, { activities: Array.from({ length: 10_001 }, () => activity) }, /^activities /],
    ["a missing charge code", activitiesPath, { activities: [{ ...activity, chargeCode: undefined }] }, /^activities\.0\.chargeCode /],
    ["quantity 0", activitiesPath, { activities: [activity, { ...activity, quantity: 0 }] }, /^activities\.1\.quantity /],
    [
      "a huge number",
      activitiesPath,
      '{"activities":[{"warehouseCode":"a","chargeCode":"b","quantity":1e999,"activityTimestamp":"2026-01-01"}]}',
      /^activities\.0\.quantity /,
    ],
    [
      "30 February",
      activitiesPath,
      { activities: [{ ...activity, activityTimestamp: "2026-02-30" }] },
      /^activities\.0\.activityTimestamp /,
    ],
    ["an unknown activity field", activitiesPath, { activities: [{ ...activity, id: 5 }] }, /^activities\.0\.id /],
  ])("with %s is refused by path and records nothing", async (_name, path, body, message) => {
    await fresh();
    const answer = await org.post(path, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ statusCode: 400, error: "Bad Request", message: [expect.stringMatching(message)] });
    expect(await queued(org.id)).toBe(0);
  });

  it("of four megabytes that would become a file of two gigabytes is refused for that", async () => {
    await fresh();
    const customFields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field${index}`, "x".repeat(1000)]));
    const shipments = Array.from({ length: 20 }, (_, index) => ({ ...shipment(String(index)), customFields, items: Array(500).fill({}) }));
    const answer = await org.post(shipmentsPath, { shipments });
    expect(answer.status).toBe(400);
    const { message } = (await answer.json()) as { message: string[] };
    expect(message[0]).toMatch(/^shipments must come to at most 52428800 bytes as a file, not 20/);
    expect(message).toHaveLength(101);
  });
});

describe("large JSON pushes", () => {
  it("of one organisation take no more of the disk than two of the largest, and hold up no other organisation", async () => {
    const long = "x".repeat(1000);
    const fields = ["originPostCode", "originSuburb", "originState", "originCountryCode", "destinationPostCode", "destinationSuburb"];
    const repeated = Object.fromEntries(
      [...fields, "destinationState", "destinationCountryCode", "rateCardAlias"].map((name) => [name, long]),
    );
    const large = { shipments: Array.from({ length: 9 }, () => ({ ...repeated, items: Array(500).fill({}) })) }; // 40 MB as a file
    const taken = new EventEmitter();
    const put = vi
      .spyOn(service.objectStore, "put")
      .mockImplementation(() => once(taken, "go").then(() => Promise.reject(new Error("enough"))));
    try {
      const [greedy, other] = [await service.organisation(), await service.organisation()];
      const held = [greedy.post(shipmentsPath, large), greedy.post(shipmentsPath, large)];
      await expect.poll(() => put.mock.calls.length).toBe(2);
      const refused = await greedy.post(shipmentsPath, large);
      expect([refused.status, await refused.json()]).toMatchObject([
        503,
        { message: "Too many large pushes at the moment, try again shortly" },
      ]);
      expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      held.push(greedy.post(activitiesPath, { activities: [activity] }), other.post(shipmentsPath, large));
      await expect.poll(() => put.mock.calls.length).toBe(4);
      taken.emit("go");
      await Promise.all(held);
    } finally {
      put.mockRestore();
    }
  });
});

describe("a file", () => {
  it("is stored as it came, and its row count is left to the import", async () => {
    await fresh();
    const answer = await org.upload(`${activitiesPath}/file`, csv(activityCsv, "März & Co.csv"));
    expect(answer.status).toBe(202);
    const body = (await answer.json()) as { importId: string };
    expect(body).toEqual({
      importId: expect.any(String),
      status: "queued",
      source: "file",
      statusUrl: `/v1/org/fulfilment/imports/${body.importId}`,
    });
    const [event] = await eventsOf(body.importId);
    expect(event?.data).toMatchObject({
      source: "file",
      sourceDetails: "März & Co.csv",
      file: { name: "März & Co.csv", format: "csv", size: activityCsv.length },
    });
  });

  it("with custom fields of the organisation passes by key or by long name", async () => {
    await fresh();
    const header = "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,costCentre,customFields.project";
    expect((await org.upload(`${shipmentsPath}/file`, csv(`${header}\nA,2000,,3000,,Carton,1,2\n`))).status).toBe(202);
  });

  it.each([
    [
      "a header that does not match",
      `${shipmentsPath}/file`,
      csv("shipmentId,originPostCode,originSuburb,destinationPostCode,colour,size\n"),
      "Invalid file structure. Missing required column(s): destinationSuburb, itemType. Unrecognised column(s): colour, size.",
    ],
    [
      "missing columns only",
      `${activitiesPath}/file`,
      csv("warehouseCode,chargeCode,quantity\n"),
      "Invalid file structure. Missing required column(s): activityTimestamp.",
    ],
    [
      "an unknown column only",
      `${activitiesPath}/file`,
      csv(`${activityCsv.split("\n")[0]},colour\n`),
      "Invalid file structure. Unrecognised column(s): colour.",
    ],
    [
      "the .xls format",
      `${activitiesPath}/file`,
      new File([Buffer.from("d0cf11e0a1b11ae100", "hex")], "old.xls"),
      expect.stringContaining("Re-save it as .csv or .xlsx"),
    ],
    [
      "another type's name",
      `${activitiesPath}/file`,
      new File([activityCsv], "activities.txt"),
      "The file's type is not supported. Upload a file whose name ends in .csv or .xlsx.",
    ],
    ["no content", `${activitiesPath}/file`, csv(""), expect.stringContaining("empty")],
    [
      "a picture's content",
      `${activitiesPath}/file`,
      new File([Buffer.from("89504e470d0a1a0a", "hex")], "a.csv"),
      expect.stringContaining("PNG"),
    ],
  ])("with %s is refused with one sentence and leaves nothing behind", async (_name, path, file, message) => {
    await fresh();
    const answer = await org.upload(path, file);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ statusCode: 400, error: "Bad Request", message });
    expect(await readdir(service.deps.tempDir)).toEqual([]);
    expect(await queued(org.id)).toBe(0);
  });

  it("that is missing is refused, whatever else was sent", async () => {
    await fresh();
    for (const answer of [
      await org.post(`${activitiesPath}/file`, {}),
      await fetch(`${service.url}${activitiesPath}/file`, { method: "POST", headers: { "x-api-key": org.key } }),
    ]) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ message: expect.stringContaining("file is required") });
    }
  });

  it("of 52,428,800 bytes is taken, one byte more is 413 at once", async () => {
    await fresh();
    const rows = Buffer.alloc(52_428_800, "x");
    rows.write(activityCsv);
    rows.write("\n", rows.length - 1);
    for (let at = 1000; at < rows.length; at += 1000) rows[at] = 10;
    expect((await org.upload(`${activitiesPath}/file`, new File([rows], "full.csv"))).status).toBe(202);
    const over = await org.upload(`${activitiesPath}/file`, new File([rows, "\n"], "over.csv"));
    expect(over.status).toBe(413);
    expect(await over.json()).toEqual({ statusCode: 413, error: "Payload Too Large", message: expect.stringContaining("50 MB") });
    await expect.poll(() => readdir(service.deps.tempDir)).toEqual([]);
  });
});

describe("the queue", () => {
  it("takes exactly as many as it may, under a burst at two processes", async () => {
    await fresh();
    const other = await service.startAnotherApi();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => org.post(`${index % 2 ? other : service.url}${activitiesPath}`, { activities: [activity] })),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([...Array(5).fill(202), ...Array(35).fill(400)]);
    const refused = answers.find((answer) => answer.status === 400);
    expect(await refused?.json()).toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/^Too many imports are already queued/),
    });
    expect(await queued(org.id)).toBe(5);
    const objects: string[] = [];
    for await (const { key } of service.objectStore.list(`uploads/${org.id}/`)) objects.push(key);
    expect(objects).toHaveLength(5);
  });
});

describe("a full queue", () => {
  const fill = async () => {
    const { rowCount } = await service.pool.query(
      "insert into import_queue (import_id, organisation_id, position) select gen_random_uuid(), $1, -each from generate_series(1, 4) as each",
      [org.id],
    );
    expect(rowCount).toBe(4);
  };
  const refusal = { statusCode: 400, error: "Bad Request", message: expect.stringMatching(/^Too many imports are already queued/) };

  it.each([
    [shipmentsPath, "application/json"],
    [activitiesPath, "application/json"],
    [`${shipmentsPath}/file`, "multipart/form-data; boundary=b"],
    [`${activitiesPath}/file`, "multipart/form-data; boundary=b"],
  ])("refuses a push to %s before its body is there", async (path, type) => {
    await fresh();
    await fill();
    expect((await org.post(activitiesPath, { activities: [activity] })).status).toBe(202);
    for (const key of [{}, { "idempotency-key": "new" }]) {
      const body = new ReadableStream({ start: (sending) => sending.enqueue(Buffer.from(" ")) }); // and never more;
      const init = { method: "POST", headers: { "x-api-key": org.key, "content-type": type, ...key }, body, duplex: "half" };
      const answer = await fetch(`${service.url}${path}`, init as RequestInit);
      expect([answer.status, await answer.json()]).toEqual([400, refusal]);
    }
  });

  it("writes and stores nothing for what it refuses", async () => {
    await fresh();
    await fill();
    await org.post(activitiesPath, { activities: [activity] });
    const put = vi.spyOn(service.objectStore, "put");
    const watcher = watch(service.deps.tempDir);
    const seen: unknown[] = [];
    watcher.on("change", (...change) => seen.push(change));
    const large = { shipments: Array.from({ length: 20 }, () => ({ ...shipment("x".repeat(200)), items: Array(500).fill(item) })) };
    for (let each = 0; each < 3; each += 1) expect((await org.post(shipmentsPath, large)).status).toBe(400);
    expect((await org.upload(`${activitiesPath}/file`, csv(activityCsv))).status).toBe(400);
    watcher.close();
    expect([put.mock.calls, seen]).toEqual([[], []]);
    put.mockRestore();
  });

  it("still gives a repetition the first one's answer", async () => {
    await fresh();
    const key = { "idempotency-key": randomUUID() };
    const send = () =>
      Promise.all([
        org.post(activitiesPath, { activities: [activity] }, key),
        org.upload(`${activitiesPath}/file`, csv(activityCsv), {}, { "idempotency-key": "file" }),
      ]);
    const first = await send();
    await fill();
    const again = await send();
    expect(again.map(({ status }) => status)).toEqual([202, 202]);
    expect(await Promise.all(again.map((answer) => answer.json()))).toEqual(await Promise.all(first.map((answer) => answer.json())));
    expect((await org.post(activitiesPath, { activities: [activity, activity] }, key)).status).toBe(422);
    expect((await org.post(activitiesPath, { activities: [activity] })).status).toBe(400);
  });
});

describe("the list of imports", () => {
  interface Listed {
    items: { importId: string; status: string }[];
    nextCursor: string | null;
  }
  const pushed = async (answer: Promise<Response>) => ((await (await answer).json()) as { importId: string }).importId;
  const list = async (query: string) => (await (await org.get(`/v1/org/fulfilment/imports?${query}`)).json()) as Listed;

  it("has what was pushed a moment ago, though no projector has seen it, once and in its place", async () => {
    await fresh();
    const ids = [];
    for (let each = 0; each < 3; each += 1) ids.unshift(await pushed(org.post(activitiesPath, { activities: [activity] })));
    await pushed(org.post(shipmentsPath, { shipments: [shipment("A")] }));
    const inPages = async () => {
      const first = await list("limit=2");
      const second = await list(`limit=2&cursor=${first.nextCursor}`);
      expect(second.nextCursor).toBeNull();
      return [...first.items, ...second.items].map(({ importId, status }) => [importId, status]);
    };
    expect(await inPages()).toEqual(ids.map((id) => [id, "queued"]));
    const stop = new AbortController();
    const projecting = runProjector({ ...service, logger: pino({ level: "silent" }), signal: stop.signal });
    try {
      const projected = async () => (await service.pool.query("select from imports where organisation_id = $1", [org.id])).rowCount;
      await expect.poll(() => projected()).toBe(4);
    } finally {
      stop.abort();
      await projecting;
    }
    expect(await inPages()).toEqual(ids.map((id) => [id, "queued"]));
  });

  const page = { limit: 2, cursor: undefined, secret: "secret" };
  const readsOf = (read: EventStore["read"]) => ({ pool: service.pool, eventStore: { ...service.eventStore, read } });

  it("asks the event store for no more imports than a page shows, however many wait for a projector", async () => {
    await fresh();
    const ids = [];
    for (let each = 0; each < 2; each += 1) ids.unshift(await pushed(org.post(activitiesPath, { activities: [activity] })));
    await service.pool.query(
      "insert into import_queue (import_id, organisation_id, position) select gen_random_uuid(), $1, -each from generate_series(1, 45) as each",
      [org.id],
    );
    const asked = new Set<string>();
    const sources = readsOf((stream, options) => {
      asked.add(stream);
      return service.eventStore.read(stream, options);
    });
    const { items, nextCursor } = await listImports(org.id, "activities", { ...page, limit: 1 }, sources);
    expect(items).toMatchObject([{ importId: ids[0] }]);
    expect(nextCursor).not.toBeNull();
    expect(asked.size).toBe(20);
  });

  it("is what the tables know while the event store is silent", async () => {
    await fresh();
    await pushed(org.post(activitiesPath, { activities: [activity] }));
    const sources = readsOf(async function* () {
      await new Promise(() => undefined);
      yield* [];
    });
    expect(await listImports(org.id, "activities", page, sources)).toEqual({ items: [], nextCursor: null });
  });
});

describe("an Idempotency-Key", () => {
  const push = (headers: Record<string, string>, body: unknown = { activities: [activity] }) => org.post(activitiesPath, body, headers);
  const idOf = async (answer: Response) => ((await answer.json()) as { importId: string }).importId;

  it("makes a repetition the same import, and without one every push is another", async () => {
    await fresh();
    const key = { "idempotency-key": randomUUID() };
    const first = await push(key);
    const again = await push(key);
    expect(again.status).toBe(202);
    expect(await again.json()).toEqual(await first.json());
    expect(await idOf(await push({}))).not.toBe(await idOf(await push({})));
    expect(await queued(org.id)).toBe(3);
  });

  it("used for another body is 422", async () => {
    await fresh();
    const key = { "idempotency-key": "k-1" };
    await push(key);
    const other = await push(key, { activities: [activity, activity] });
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ statusCode: 422, error: "Unprocessable Entity" });
    expect((await org.post(shipmentsPath, { shipments: [shipment("A")] }, key)).status).toBe(422);
    expect(await queued(org.id)).toBe(1);
  });

  it("sent ten times at once makes one import and keeps one file", async () => {
    await fresh();
    const key = { "idempotency-key": randomUUID() };
    const ids = await Promise.all(Array.from({ length: 10 }, async () => idOf(await push(key))));
    expect(new Set(ids).size).toBe(1);
    expect(await queued(org.id)).toBe(1);
    const objects: string[] = [];
    for await (const { key: object } of service.objectStore.list(`uploads/${org.id}/`)) objects.push(object);
    expect(objects).toHaveLength(1);
  });

  it("means nothing to another organisation, and is free again after 24 hours", async () => {
    const key = { "idempotency-key": "shared" };
    await fresh();
    const first = await idOf(await push(key));
    const mine = org;
    await fresh();
    expect(await idOf(await push(key))).not.toBe(first);
    org = mine;
    vi.spyOn(Date, "parse").mockImplementationOnce((text) => new Date(text).getTime() - 24 * 3_600_000 - 1000);
    expect(await idOf(await push(key))).not.toBe(first);
    vi.restoreAllMocks();
  });

  it("works for files too: the same file again, whatever the multipart boundary", async () => {
    await fresh();
    const key = { "idempotency-key": "file-1" };
    const first = await idOf(await org.upload(`${activitiesPath}/file`, csv(activityCsv), {}, key));
    expect(await idOf(await org.upload(`${activitiesPath}/file`, csv(activityCsv), {}, key))).toBe(first);
    expect((await org.upload(`${activitiesPath}/file`, csv(`${activityCsv}\n`), {}, key)).status).toBe(422);
  });

  it("finds the first answer also when the catalogue has lost a custom field since", async () => {
    const withField = (file: ReturnType<typeof organisationFile>) => file.customFields.push({ key: "deptCode", label: "Department" });
    org = await service.organisation(withField);
    const pushed = { shipments: [{ ...shipment("A"), customFields: { deptCode: "d" } }] };
    const header = "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,deptCode";
    const send = (name: string) => [
      () => org.post(shipmentsPath, pushed, { "idempotency-key": `${name}-data` }),
      () =>
        org.upload(
          `${shipmentsPath}/file`,
          csv(`${header}\nA,2000,Sydney,3000,Melbourne,Carton,d\n`),
          {},
          { "idempotency-key": `${name}-file` },
        ),
    ];
    const first = await Promise.all(send("k").map(async (each) => idOf(await each())));
    const parsed = parseOrganisationFile(organisationFile(org.id));
    if (!parsed.ok) throw new Error(parsed.faults.join());
    await applyOrganisation(organisationDeps(service.pool, service.eventStore), parsed.file, {
      by: { kind: "cli" as const, id: "test" },
      correlationId: randomUUID(),
    });
    expect(await Promise.all(send("k").map(async (each) => idOf(await each())))).toEqual(first);
    expect(await Promise.all(send("new").map(async (each) => (await each()).status))).toEqual([400, 400]);
  });

  it("that is malformed is a 400", async () => {
    await fresh();
    expect((await push({ "idempotency-key": "x".repeat(256) })).status).toBe(400);
    expect((await push({ "idempotency-key": "x".repeat(255) })).status).toBe(202);
  });
});
