import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { streamOf } from "../../../src/events/streams.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { headerXml, workbook } from "../../adapters/spreadsheets/workbook.js";
import { eventually } from "../../support/eventually.js";
import { activities, activityHeader, openStage, type Stage, until } from "./stage.js";

let stage: Stage;
const rows = 60_000;
/** The large import appends events, nearly all of them rows, up to the number `may` and then waits. `waitedAt` has the numbers at which it had to. */
const large = { may: rows / 3, recorded: 0, waitedAt: new Set<number>() };

beforeAll(async () => {
  stage = await openStage();
  stage.start({ eventStore: { ...stage.eventStore, newChunk } });
});
afterAll(() => {
  large.may = Number.POSITIVE_INFINITY;
  return stage.close();
});

const newChunk: EventStore["newChunk"] = (stream, maxBytes) => {
  const chunk = stage.eventStore.newChunk(stream, maxBytes);
  const append: typeof chunk.append = async (expected) => {
    if (chunk.count() > 1) {
      large.recorded += chunk.count();
      if (large.recorded > large.may) {
        large.waitedAt.add(large.may);
        await eventually(() => large.recorded <= large.may, "a small import");
      }
    }
    return chunk.append(expected);
  };
  return { ...chunk, append };
};

/** A workbook of over 8 MB: it takes as much room as the largest file, but has few enough rows for a test. */
function largeWorkbook(): Buffer {
  const cells = ["W1", "PICK", "2", "2026-03-01T09:30:00Z", "large"].map((text) => `<c t="str"><v>${text}</v></c>`).join("");
  return workbook({
    rows: headerXml(...activityHeader.split(",")) + `<row>${cells}</row>`.repeat(rows),
    extra: [{ name: "xl/media/picture.png", content: randomBytes(9 * 1024 * 1024) }],
  });
}

interface Placed {
  readonly type: string;
  readonly at: bigint;
}

async function placed(importId: string): Promise<Placed[]> {
  const events: Placed[] = [];
  for await (const { type, position } of stage.eventStore.read(streamOf.import(importId))) events.push({ type, at: position.commit });
  return events;
}

test("imports of one row complete while a large import of another organisation is read and recorded", async () => {
  const bytes = largeWorkbook();
  expect(bytes.length).toBeGreaterThan(8 * 1024 * 1024);
  const largeId = await stage.push(await stage.organisation("large"), "activities", bytes, { name: "large.xlsx", format: "xlsx" });
  const reached = (revision: bigint) =>
    until(async () => ((await stage.eventStore.last(streamOf.import(largeId)))?.revision ?? -1n) >= revision);
  await reached(1n);
  const whileRead = await stage.push(await stage.organisation("first"), "activities", activities(1));
  await stage.ended(whileRead);
  await reached(2n);
  large.may = Math.max(large.may, large.recorded) + rows / 3;
  const whileRecorded = await stage.push(await stage.organisation("second"), "activities", activities(1));
  await stage.ended(whileRecorded);
  large.may = Number.POSITIVE_INFINITY;
  await stage.ended(largeId);

  // Each of them had the time in which the large import records a third of its rows. A busy machine may hold up one of them.
  expect(large.waitedAt.size).toBeLessThan(2);
  const recorded = (await placed(largeId)).filter(({ type }) => type === "RowAccepted");
  expect(recorded).toHaveLength(rows);
  for (const importId of [whileRead, whileRecorded]) {
    const events = await placed(importId);
    expect(events.at(-1)?.type).toBe("ImportCompleted");
    expect(recorded.at(-1)?.at).toBeGreaterThan(events.at(-1)?.at ?? 0n);
  }
});
