import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { streamOf } from "../../../src/events/streams.js";
import { headerXml, workbook } from "../../adapters/spreadsheets/workbook.js";
import { activities, activityHeader, openStage, type Stage, until } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.start();
});
afterAll(() => stage.close());

const rows = 60_000;

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
  const large = await stage.push(await stage.organisation("large"), "activities", bytes, { name: "large.xlsx", format: "xlsx" });
  const reached = (revision: bigint) =>
    until(async () => ((await stage.eventStore.last(streamOf.import(large)))?.revision ?? -1n) >= revision);
  await reached(1n);
  const whileRead = await stage.push(await stage.organisation("first"), "activities", activities(1));
  await reached(2n);
  const whileRecorded = await stage.push(await stage.organisation("second"), "activities", activities(1));
  await stage.ended(whileRecorded);
  await stage.ended(whileRead);
  await stage.ended(large);

  const recorded = (await placed(large)).filter(({ type }) => type === "RowAccepted");
  expect(recorded).toHaveLength(rows);
  for (const importId of [whileRead, whileRecorded]) {
    const events = await placed(importId);
    const [asked, done] = [events[0]?.at ?? 0n, events.at(-1)?.at ?? 0n];
    expect(events.at(-1)?.type).toBe("ImportCompleted");
    const meanwhile = recorded.filter(({ at }) => at > asked && at < done).length;
    expect(meanwhile).toBeLessThan(rows / 3);
    expect(recorded.at(-1)?.at).toBeGreaterThan(done);
  }
});
