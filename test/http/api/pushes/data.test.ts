import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { StoredEvent } from "../../../../src/ports/eventStore.js";
import { activitiesPath, activity, item, shipment, shipmentsPath, usePushes } from "./stage.js";

const stage = usePushes();
const { fresh, eventsOf, queued } = stage;

describe("a JSON push", () => {
  it("of shipments is recorded, with its file, before it is acknowledged", async () => {
    await fresh();
    const answer = await stage.org.post(shipmentsPath, {
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
        organisationId: stage.org.id,
        kind: "shipments",
        source: "data",
        sourceDetails: "May",
        elements: 2,
        by: { kind: "key", id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      },
      metadata: { organisation: stage.org.id, $correlationId: answer.headers.get("x-request-id") },
    });
    const { file } = (event as StoredEvent).data as { file: { key: string; size: number; sha256: string } };
    const folder = await mkdtemp(join(tmpdir(), "waybill-test-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await stage.service.objectStore.fetch(file.key, join(folder, "file"));
    const stored = await readFile(join(folder, "file"));
    expect([stored.length, createHash("sha256").update(stored).digest("hex")]).toEqual([file.size, file.sha256]);
    expect(stored.toString().split("\r\n")).toHaveLength(1 + 3 + 1);
  });

  it("of activities says how many it received", async () => {
    await fresh();
    const answer = await stage.org.post(activitiesPath, { activities: [activity, activity] });
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
  ])("with %s is refused, names the path and records nothing", async (_name, path, body, message) => {
    await fresh();
    const answer = await stage.org.post(path, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ statusCode: 400, error: "Bad Request", message: [expect.stringMatching(message)] });
    expect(await queued(stage.org.id)).toBe(0);
  });

  it("of four megabytes that would become a file of two gigabytes is refused for the file's size", async () => {
    await fresh();
    const customFields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field${index}`, "x".repeat(1000)]));
    const shipments = Array.from({ length: 20 }, (_, index) => ({ ...shipment(String(index)), customFields, items: Array(500).fill({}) }));
    const answer = await stage.org.post(shipmentsPath, { shipments });
    expect(answer.status).toBe(400);
    const { message } = (await answer.json()) as { message: string[] };
    expect(message[0]).toMatch(/^shipments must come to at most 52428800 bytes as a file, not 20/);
    expect(message).toHaveLength(101);
  });
});

describe("large JSON pushes", () => {
  it("beyond two of one organisation at once are refused, while small ones and other organisations' are accepted", async () => {
    const long = "x".repeat(1000);
    const fields = ["originPostCode", "originSuburb", "originState", "originCountryCode", "destinationPostCode", "destinationSuburb"];
    const repeated = Object.fromEntries(
      [...fields, "destinationState", "destinationCountryCode", "rateCardAlias"].map((name) => [name, long]),
    );
    const large = { shipments: Array.from({ length: 9 }, () => ({ ...repeated, items: Array(500).fill({}) })) }; // 40 MB as a file
    const taken = new EventEmitter();
    const put = vi
      .spyOn(stage.service.objectStore, "put")
      .mockImplementation(() => once(taken, "go").then(() => Promise.reject(new Error("enough"))));
    try {
      const [greedy, other] = [await stage.service.organisation(), await stage.service.organisation()];
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
