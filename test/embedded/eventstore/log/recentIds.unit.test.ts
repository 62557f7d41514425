import fc from "fast-check";
import { expect, test } from "vitest";
import { createRecentIds } from "../../../../src/embedded/eventstore/log/revisionCheck.js";

test("a recent id is found at its first stream and revision only, whether look-ups came between or not", () => {
  const appended = fc.record({
    stream: fc.constantFrom("a", "b"),
    ids: fc.array(fc.constantFrom("1", "2", "3", "4", "5"), { minLength: 1, maxLength: 3 }),
    asks: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(appended, { maxLength: 15 }), (appends) => {
      const recent = createRecentIds(60); // room for more ids than are appended: one of its two halves may fill up, nothing is forgotten
      const heads = new Map<string, number>();
      const model = new Map<string, string>();
      for (const { stream, ids, asks } of appends) {
        const first = heads.get(stream) ?? 0;
        recent.add(stream, first, ids);
        for (const [index, id] of ids.entries()) if (!model.has(id)) model.set(id, `${stream}@${first + index}`);
        heads.set(stream, first + ids.length);
        if (asks) recent.revisionOf(stream, "1");
      }
      for (const stream of ["a", "b"])
        for (const id of ["1", "2", "3", "4", "5"]) {
          const revision = recent.revisionOf(stream, id);
          expect(revision !== undefined).toBe(model.get(id)?.startsWith(stream) ?? false);
          if (revision !== undefined) expect(`${stream}@${revision}`).toBe(model.get(id));
        }
    }),
  );
});

test("beyond the given number old ids are forgotten and new ones are kept", () => {
  const recent = createRecentIds(10);
  for (let n = 0; n < 100; n += 1) recent.add("stream", n, [`id-${n}`]);
  expect(recent.revisionOf("stream", "id-99")).toBe(99);
  expect(recent.revisionOf("stream", "id-80")).toBeUndefined();
});
