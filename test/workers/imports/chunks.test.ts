import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { batchRequest } from "../../../src/adapters/eventStore/batchRequest.js";
import { encode } from "../../../src/events/codec.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { addTo, emptyChunk, isFull } from "../../../src/workers/imports/importing/chunks.js";

const mebibyte = 1024 * 1024;

test("a full chunk fits into an append, whatever its rows and metadata, and one of short rows is as large as it may be", () => {
  const text = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: "grapheme", maxLength: 2_000 }), fc.constant("\u0001".repeat(900)));
  const given = fc.tuple(fc.array(text, { minLength: 1, maxLength: 20 }), fc.string({ maxLength: 300 }));
  fc.assert(
    fc.property(given, ([texts, organisation]) => {
      const context = { organisation, by: { kind: "worker", id: "w" } as const, correlationId: randomUUID() };
      const chunk = emptyChunk();
      for (let row = 2; !isFull(chunk); row++) {
        const data = { row, values: { text: texts[row % texts.length] } };
        const event = encode("RowAccepted", data, context, randomUUID());
        if (!addTo(chunk, event)) break;
      }
      const request = batchRequest("import-1", chunk.events, noStream, Number.MAX_SAFE_INTEGER);
      const bytes = request?.bytes.length ?? 0;
      expect(bytes).toBeLessThanOrEqual(mebibyte);
      expect(chunk.events.length === 2_000 || bytes > 0.75 * mebibyte).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("a row that is too large for what is left begins the next chunk, and one that is too large for any stands alone", () => {
  const context = { organisation: "o", by: { kind: "worker", id: "w" } as const, correlationId: "c" };
  const add = (chunk: ReturnType<typeof emptyChunk>, size: number) => {
    const data = { row: 2, values: { text: "x".repeat(size) } };
    return addTo(chunk, encode("RowAccepted", data, context, randomUUID()));
  };
  const chunk = emptyChunk();
  expect(add(chunk, 2 * mebibyte)).toBe(true);
  expect(add(chunk, 1)).toBe(false);
  expect(chunk.events).toHaveLength(1);
});
