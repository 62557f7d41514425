import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decode, decodeOn, encode, UnreadableEvent } from "../../src/events/codec.js";
import { type EventType, eventSchemas } from "../../src/events/registry.js";
import { upcasters, versionOf } from "../../src/events/upcasters.js";
import type { StoredEvent } from "../../src/ports/eventStore.js";

const folder = new URL("../fixtures/events/", import.meta.url);
const fixtures = readdirSync(folder);

function load(name: string): Pick<StoredEvent, "type" | "data" | "metadata"> {
  return JSON.parse(readFileSync(new URL(name, folder), "utf8"));
}

function stored(event: Partial<StoredEvent>): StoredEvent {
  return {
    stream: "import-1",
    revision: 3n,
    position: { commit: 9n, prepare: 9n },
    id: "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50",
    type: "ImportFailed",
    data: {},
    metadata: { organisation: "demo", actor: "worker:w", $correlationId: "r", v: 1 },
    recordedAt: new Date(0),
    ...event,
  };
}

describe("stored fixtures", () => {
  test("there is one fixture for every version of every event", () => {
    const wanted = (Object.keys(eventSchemas) as EventType[]).flatMap((type) =>
      Array.from({ length: versionOf(type) }, (_, index) => `${type}.v${index + 1}.json`),
    );
    const versions = fixtures.map((name) => name.replace(/(\.v\d+)\.\w+\.json$/, "$1.json")); // also with fields that were added later
    expect([...new Set(versions)].sort()).toEqual(wanted.sort());
    expect(wanted.filter((name) => !fixtures.includes(name))).toEqual([]);
  });

  test.each(fixtures)("%s still loads", (name) => {
    const fixture = load(name);
    const event = decode(stored(fixture));
    expect(event?.type).toBe(name.split(".")[0]);
    if (fixture.metadata.v === versionOf(fixture.type as EventType)) expect(event?.data).toEqual(fixture.data);
    expect(eventSchemas[fixture.type as EventType].safeParse(event?.data).success).toBe(true);
  });
});

describe("who acted, in events recorded before there were principals", () => {
  test.each([
    ["ImportRequested", { kind: "key", id: "wb_live_AbCd" }],
    ["ImportStarted", { kind: "worker", id: "worker-1" }],
    ["ImportCompleted", { kind: "worker", id: "1" }],
    ["ImportFailed", { kind: "worker", id: "1" }],
    ["ImportCancelled", { kind: "key", id: "wb_live_AbCd" }],
    ["CatalogueApplied", { kind: "cli", id: "operator" }],
    ["ApiKeyCreated", { kind: "cli", id: "operator" }],
    ["ApiKeyRevoked", { kind: "cli", id: "operator" }],
    ["QuoteGenerated", { kind: "key", id: "wb_live_AbCd" }],
    ["LocalitiesImported", { kind: "cli", id: "operator" }],
  ])("%s", (type, by) => {
    expect(decode(stored(load(`${type}.v1.json`)))?.data).toMatchObject({ by });
  });
});

describe("one kind of stream", () => {
  test("an event that belongs to another kind of stream throws, an event of an unknown type is skipped", () => {
    const quote = stored(load("QuoteGenerated.v2.json"));
    expect(decodeOn("quote", quote)?.type).toBe("QuoteGenerated");
    expect(() => decodeOn("import", quote)).toThrow("does not belong in this stream");
    expect(decodeOn("import", stored({ type: "InvoiceSent" }))).toBeUndefined();
  });
});

describe("writing", () => {
  const context = { organisation: "demo", by: { kind: "cli" as const, id: "operator" }, correlationId: "req-1" };

  test("an event carries its organisation, actor, correlation and version", () => {
    const event = encode(
      "ApiKeyRevoked",
      { keyId: "k", by: { kind: "cli" as const, id: "operator" }, at: "2026-01-15T03:04:05Z" },
      context,
      "id-1",
    );
    expect(event).toEqual({
      id: "id-1",
      type: "ApiKeyRevoked",
      json: JSON.stringify({ keyId: "k", by: { kind: "cli", id: "operator" }, at: "2026-01-15T03:04:05Z" }),
      metadata: { organisation: "demo", actor: "cli:operator", $correlationId: "req-1", v: 2 },
    });
  });

  test("the events of one action share one metadata object", () => {
    const rows = [1, 2].map((row) => encode("RowAccepted", { row, values: {} }, context, `id-${row}`));
    expect(rows[0]?.metadata).toBe(rows[1]?.metadata);
  });

  test("an event that does not fit its schema is never written", () => {
    expect(() =>
      encode("ApiKeyRevoked", { keyId: "k", by: { kind: "cli" as const, id: "operator" }, at: "yesterday" }, context, "id-1"),
    ).toThrow();
  });
});

describe("reading", () => {
  test("an event of an unknown type is skipped", () => {
    expect(decode(stored({ type: "InvoiceSent" }))).toBeUndefined();
    expect(decode(stored({ type: "toString" }))).toBeUndefined();
  });

  test.each([
    ["a version this service does not know yet", { metadata: { organisation: "d", actor: "c", $correlationId: "r", v: 99 } }],
    ["no version", { metadata: { organisation: "d", actor: "c", $correlationId: "r", v: 0 } }],
    ["data that does not fit", { data: { importId: 7 } }],
    ["a row that is no object", { type: "RowAccepted", data: "garbled" }],
    ["a row of a later version", { type: "RowAccepted", metadata: { organisation: "d", actor: "c", $correlationId: "r", v: 2 } }],
  ])("an event with %s stops the reader, naming stream and revision", (_, event) => {
    expect(() => decode(stored(event))).toThrow(UnreadableEvent);
    expect(() => decode(stored(event))).toThrow(/import-1@3/);
  });

  test("an old version of an event is upcast step by step to the present one", () => {
    const steps = {
      ...upcasters,
      ApiKeyRevoked: [
        (old: Record<string, unknown>) => ({ ...old, by: { kind: "cli", id: "unknown" } }),
        (old: Record<string, unknown>) => ({ ...old, at: `${old["on"]}T00:00:00Z` }),
      ],
    };
    const first = stored({ type: "ApiKeyRevoked", data: { keyId: "k", on: "2020-02-02" } });
    expect(decode(first, steps)?.data).toEqual({ keyId: "k", by: { kind: "cli", id: "unknown" }, at: "2020-02-02T00:00:00Z" });
    const second = stored({
      type: "ApiKeyRevoked",
      data: { keyId: "k", by: { kind: "cli", id: "me" }, on: "2020-02-02" },
      metadata: { ...first.metadata, v: 2 },
    });
    expect(decode(second, steps)?.data).toEqual({ keyId: "k", by: { kind: "cli", id: "me" }, at: "2020-02-02T00:00:00Z" });
  });
});
