import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { v5 as uuidv5 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { splitFrames } from "../../../../src/adapters/eventStore/protocol/frames.js";
import { idOf, newEvent, type ProposedEvent } from "../../../../src/embedded/eventstore/log/blockEncoder.js";
import { eventIn } from "../../../../src/embedded/eventstore/log/blocks.js";
import { createCommitLog } from "../../../../src/embedded/eventstore/log/commitLog.js";
import { allBackwards, allForwards, type ReadPage, type ReadStep, takePage } from "../../../../src/embedded/eventstore/log/reads.js";
import { openStorage, type Storage } from "../../../../src/embedded/eventstore/log/storage.js";
import { createWriter } from "../../../../src/embedded/eventstore/log/writer.js";
import type { EventFilter } from "../../../../src/embedded/eventstore/protocol/parseRequest.js";

interface Told {
  id: string;
  stream: string;
  type: string;
  position: number;
}

let folder: string;
let storage: Storage;
let end: number;
const told: Told[] = [];

/** Appends of 1 to 60 events of up to 6 kB: enough to fill many pages unevenly. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waybill-all-"));
  storage = openStorage(folder);
  const log = createCommitLog(storage, () => undefined);
  const writer = createWriter(storage, log);
  for (let append = 0; append < 60; append++) {
    const stream = `${["orders", "items", "rare"][append % 20 === 19 ? 2 : append % 2]}-${append % 3}`;
    const events = Array.from({ length: 1 + ((append * 7) % 60) }, (_, index): ProposedEvent => {
      const type = index % 9 === 0 ? "Ninth" : "Other";
      return newEvent({ id: uuidv5(`${append}/${index}`, uuidv5.URL), type, data: Buffer.alloc((append * 131 + index * 977) % 6_000) });
    });
    const unsubscribe = log.subscribe((block) => {
      let position = block.position;
      for (const frame of splitFrames(block.frames)) {
        const id = eventIn(frame).id;
        told.push({ id, stream, type: events.find((event) => idOf(event) === id)?.type ?? "", position });
        position += frame.length;
      }
    });
    await writer.append(stream, "any", events);
    unsubscribe();
  }
  end = log.committedEnd();
});

afterAll(async () => {
  await storage?.close();
  rmSync(folder, { recursive: true, force: true });
});

const idsOf = ({ frames }: ReadPage): string[] => splitFrames(Buffer.concat(frames)).map((frame) => eventIn(frame).id);

function paged(limit: number, from: number, read: (from: number) => Iterable<ReadStep>): string[] {
  const ids: string[] = [];
  for (let next = from, left = limit; ; ) {
    const page = takePage(read(next), next, left);
    ids.push(...idsOf(page));
    expect(page.events).toBe(idsOf(page).length);
    next = page.next;
    left -= page.events;
    if (page.done) return ids;
  }
}

const byStream = (prefix: string): EventFilter => ({
  on: "stream",
  matches: (text) => text.startsWith(prefix),
  window: 32,
  checkpointInterval: 32,
});
const filters = fc.constantFrom<EventFilter | undefined>(undefined, byStream("orders"), byStream("rare"), byStream("nobody"), {
  on: "type",
  matches: (text) => text === "Ninth",
  window: 32,
  checkpointInterval: 32,
});
const limits = fc.oneof(fc.constant(Number.MAX_SAFE_INTEGER), fc.integer({ min: 1, max: 700 }));
/** Called by the tests, when the events are written. */
const starts = () =>
  fc.oneof(
    fc.nat(told.length - 1).map((n) => told[n]?.position ?? 0),
    fc.nat(end + 10),
    fc.constantFrom(0, end),
  );

const matching = (filter?: EventFilter): Told[] =>
  told.filter(({ stream, type }) => !filter || filter.matches(filter.on === "stream" ? stream : type));

test("$all read forwards in pages gives every matching event from the position on", () => {
  fc.assert(
    fc.property(starts(), limits, filters, (from, limit, filter) => {
      const wanted = matching(filter).filter(({ position }) => position >= from);
      const read = paged(limit, from, (next) => allForwards(storage, { from: next, until: end }, filter));
      expect(read).toEqual(wanted.slice(0, limit).map(({ id }) => id));
    }),
    { numRuns: 60 },
  );
});

test("$all read backwards in pages gives every matching event before the position", () => {
  fc.assert(
    fc.property(starts(), limits, filters, (before, limit, filter) => {
      const wanted = matching(filter).filter(({ position }) => position < before);
      const read = paged(limit, before, (next) => allBackwards(storage, next, filter));
      expect(read).toEqual(
        wanted
          .toReversed()
          .slice(0, limit)
          .map(({ id }) => id),
      );
    }),
    { numRuns: 60 },
  );
});
