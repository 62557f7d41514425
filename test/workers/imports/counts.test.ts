import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ImportEvent } from "../../../src/commands/imports/importDecider.js";
import { everyCase } from "../../support/projects/everyCase.js";
import { activityHeader, openStage, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.start();
});
afterAll(() => stage.close());

const numRuns = everyCase ? 25 : 10;

const completed = (events: readonly ImportEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== "ImportCompleted") throw new Error(`ended with ${last?.type}`);
  return last.data;
};
const count = (events: readonly ImportEvent[], type: ImportEvent["type"]) => events.filter((event) => event.type === type).length;

const cell = (good: string, ...bad: string[]) => fc.oneof({ weight: 8, arbitrary: fc.constant(good) }, fc.constantFrom("", ...bad));

test("activities: received = processed + failed, for any mix of good and bad rows", async () => {
  const organisation = await stage.organisation("activities");
  const row = fc.tuple(cell("W1"), cell("PICK"), cell("2", "0", "x"), cell("2026-03-01", "2026-02-30"), fc.constant("ref"));
  const rows = fc.array(row, { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(rows, async (cells) => {
      const importId = await stage.push(organisation, "activities", [activityHeader, ...cells.map((each) => each.join(","))].join("\n"));
      const events = await stage.ended(importId);
      const { counts, report } = completed(events);
      const good = cells.filter(
        ([warehouse, charge, quantity, time]) => warehouse && charge && quantity === "2" && time === "2026-03-01",
      ).length;
      expect(counts).toEqual({ received: cells.length, processed: good, failed: cells.length - good });
      expect([count(events, "RowAccepted"), count(events, "RowRejected")]).toEqual([counts.processed, counts.failed]);
      expect(report === null).toBe(counts.failed === 0);
    }),
    { numRuns },
  );
});

test("shipments: received = lines written + failed, and a shipment is written whole or not at all", async () => {
  const organisation = await stage.organisation("shipments");
  const header = "shipmentId,originPostCode,originSuburb,originState,destinationPostCode,destinationSuburb,itemType";
  const row = fc.tuple(
    fc.constantFrom("A", "B", "C", "D", "E", ""),
    cell("2000", "9999"),
    fc.constantFrom("Sydney", "SYDNEY", "sydney"),
    fc.constantFrom("NSW", "nsw", "New South Wales", ""),
    cell("3000"),
    fc.constant("Melbourne"),
    cell("Box"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 60 }), async (cells) => {
      const importId = await stage.push(organisation, "shipments", [header, ...cells.map((each) => each.join(","))].join("\n"));
      const events = await stage.ended(importId);
      const { counts } = completed(events);
      const isGood = ([id, from, , , to, , type]: (typeof cells)[number]) => id && from === "2000" && to === "3000" && type;
      const faulty = new Set(cells.filter((each) => !isGood(each)).map(([id]) => id));
      const written = cells.filter(([id]) => id && !faulty.has(id));
      expect(counts).toEqual({
        received: cells.length,
        processed: new Set(written.map(([id]) => id)).size,
        failed: cells.length - written.length,
      });
      expect(count(events, "RowAccepted") + count(events, "RowRejected")).toBe(counts.received);
      expect(count(events, "RowAccepted")).toBe(written.length);
    }),
    { numRuns },
  );
});
