import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { v5 as uuidv5 } from "uuid";
import { expect, test } from "vitest";
import { newEvent, type ProposedEvent } from "../../../../src/embedded/eventstore/log/blockEncoder.js";
import { createCommitLog } from "../../../../src/embedded/eventstore/log/commitLog.js";
import type { ExpectedRevision } from "../../../../src/embedded/eventstore/log/revisionCheck.js";
import { openStorage } from "../../../../src/embedded/eventstore/log/storage.js";
import { createWriter, type WriteOutcome } from "../../../../src/embedded/eventstore/log/writer.js";

type Step =
  | { act: "append"; stream: string; expected: ExpectedRevision; ids: string[] }
  | { act: "describe"; stream: string; metadata: object }
  | { act: "delete" | "tombstone"; stream: string; expected: ExpectedRevision };

const streams = fc.constantFrom("x", "y", "z");
const revisions = fc.oneof(fc.constantFrom<ExpectedRevision>("no_stream", 0, 1, 2, 3), fc.nat(8));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        act: fc.constant("append" as const),
        stream: streams,
        expected: revisions,
        ids: fc.array(fc.constantFrom(..."abcd"), { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        act: fc.constant("describe" as const),
        stream: streams,
        metadata: fc.constantFrom({}, { $maxCount: 2 }, { $tb: 1 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        act: fc.constant("delete" as const),
        stream: streams,
        expected: fc.oneof(fc.constant<ExpectedRevision>("any"), revisions),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("tombstone" as const), stream: streams, expected: revisions }) },
  ),
  { maxLength: 30 },
);

const eventOf = (id: string, data = "{}"): ProposedEvent => newEvent({ id: uuidv5(id, uuidv5.URL), type: "t", data: Buffer.from(data) });

/** Runs the steps one by one. With `forgetful` the writer keeps one stream in memory and is reopened every five steps. */
async function outcomesOf(taken: Step[], forgetful: boolean): Promise<WriteOutcome[]> {
  const folder = mkdtempSync(join(tmpdir(), "waybill-writer-"));
  const open = () => {
    const storage = openStorage(folder);
    const writer = createWriter(
      storage,
      createCommitLog(storage, () => undefined),
      forgetful ? 1 : undefined,
    );
    return { storage, writer };
  };
  let node = open();
  const outcomes: WriteOutcome[] = [];
  try {
    for (const [index, step] of taken.entries()) {
      outcomes.push(await take(node.writer, step, index));
      if (!forgetful || index % 5 !== 4) continue;
      await node.storage.close();
      node = open();
    }
  } finally {
    await node.storage.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return outcomes;
}

function take(writer: ReturnType<typeof createWriter>, step: Step, index: number): Promise<WriteOutcome> {
  switch (step.act) {
    case "append":
      return writer.append(
        step.stream,
        step.expected,
        step.ids.map((id) => eventOf(id)),
      );
    case "describe":
      return writer.append(`$$${step.stream}`, "any", [eventOf(`metadata ${index}`, JSON.stringify(step.metadata))]);
    case "delete":
      return writer.remove(step.stream, step.expected, false);
    case "tombstone":
      return writer.remove(step.stream, step.expected, true);
  }
}

/** Runs `use` with a writer on a new folder; `kept` is how many streams it may keep in memory. */
async function withWriter(use: (writer: ReturnType<typeof createWriter>) => Promise<void>, kept?: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waybill-writer-"));
  const storage = openStorage(folder);
  try {
    await use(
      createWriter(
        storage,
        createCommitLog(storage, () => undefined),
        kept,
      ),
    );
  } finally {
    await storage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a deleted stream's description may be something other than JSON, and can be written again after that", async () => {
  await withWriter(async (writer) => {
    await writer.append("x", "no_stream", [eventOf("a")]);
    await writer.remove("x", "any", false);
    expect(await writer.append("$$x", 0, [eventOf("m", "no JSON")])).toMatchObject({ kind: "written", revision: 1 });
    expect(await writer.append("$$x", 1, [eventOf("n")])).toMatchObject({ kind: "written", revision: 2 });
  });
});

test("the writer's answers do not depend on what it has in memory", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      expect(await outcomesOf(taken, true)).toEqual(await outcomesOf(taken, false));
    }),
    { numRuns: 25 },
  );
});

test("an append acknowledged while other appends are being written is at the revision that was acknowledged", async () => {
  const appends = fc.array(
    fc.record({ stream: streams, expected: revisions, ids: fc.array(fc.constantFrom(..."abcd"), { minLength: 1, maxLength: 3 }) }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(appends, (sent) =>
      withWriter(async (writer) => {
        const outcomes = await Promise.all(
          sent.map(({ stream, expected, ids }) =>
            writer.append(
              stream,
              expected,
              ids.map((id) => eventOf(id)),
            ),
          ),
        );
        for (const [index, outcome] of outcomes.entries()) {
          if (outcome.kind !== "written") continue;
          const { stream, ids } = sent[index] as (typeof sent)[number];
          const before = outcome.revision - ids.length;
          const replay = await writer.append(
            stream,
            before < 0 ? "no_stream" : before,
            ids.map((id) => eventOf(id)),
          );
          expect(replay).toEqual(outcome);
        }
      }, 1),
    ),
    { numRuns: 25 },
  );
});
