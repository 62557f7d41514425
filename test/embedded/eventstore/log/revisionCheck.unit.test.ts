import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRevision, type StreamFacts } from "../../../../src/embedded/eventstore/log/revisionCheck.js";

const streamOf = (ids: string[], facts: Partial<StreamFacts> = {}): StreamFacts => ({
  head: ids.length - 1,
  tombstoned: false,
  softDeleted: false,
  hasMetadata: false,
  recentRevision: () => undefined,
  idsFrom: (revision) => ids.slice(revision),
  ...facts,
});

const letters = fc.array(fc.constantFrom(..."abcdefgh"), { maxLength: 8 });

test("at an exact revision: an append at the head, a replay where the same ids follow, otherwise a wrong version", () => {
  fc.assert(
    fc.property(letters, letters, fc.integer({ min: -1, max: 9 }), (there, sent, at) => {
      const expected = at === -1 ? "no_stream" : at;
      const standing = there.slice(at + 1, at + 1 + sent.length);
      const isReplay = sent.length > 0 && standing.join() === sent.join();
      const verdict = checkRevision(expected, () => sent, streamOf(there));
      if (at === there.length - 1) expect(verdict).toEqual({ kind: "append" });
      else if (at < there.length - 1 && isReplay) expect(verdict).toEqual({ kind: "replay", revision: at + sent.length });
      else expect(verdict).toEqual({ kind: "wrongVersion", current: there.length - 1 });
    }),
  );
});

test("at any: a replay when every id is remembered, a wrong version when only the first ones are, otherwise an append", () => {
  fc.assert(
    fc.property(letters, letters, (there, sent) => {
      const recentRevision = (id: string): number | undefined => (there.includes(id) ? there.lastIndexOf(id) : undefined);
      const verdict = checkRevision("any", () => sent, streamOf(there, { recentRevision }));
      const known = sent.map(recentRevision);
      if (known[0] === undefined) expect(verdict).toEqual({ kind: "append" });
      else if (known.includes(undefined)) expect(verdict).toEqual({ kind: "wrongVersion", current: there.length - 1 });
      else expect(verdict).toEqual({ kind: "replay", revision: known.at(-1) });
    }),
  );
});

test("a tombstoned stream refuses every append", () => {
  const stream = streamOf(["a"], { tombstoned: true });
  for (const expected of ["any", "no_stream", "stream_exists", 0] as const)
    expect(checkRevision(expected, () => ["a"], stream)).toEqual({ kind: "deleted" });
});

test("for a soft-deleted stream no_stream holds and stream_exists does not", () => {
  const stream = streamOf(["a", "b"], { softDeleted: true, hasMetadata: true });
  expect(checkRevision("no_stream", () => ["x"], stream)).toEqual({ kind: "append" });
  expect(checkRevision("no_stream", () => ["a"], stream)).toEqual({ kind: "replay", revision: 0 });
  expect(checkRevision("stream_exists", () => ["x"], stream)).toEqual({ kind: "deleted" });
  expect(checkRevision(0, () => ["x"], stream)).toEqual({ kind: "wrongVersion", current: 1 });
});
