import { describe, expect, test } from "vitest";
import { type ImportReversals, multirangeText, reversalsOfImport } from "../../src/audit/evidence/reversalEvidence.js";
import type { RowsReversed } from "../../src/events/correctionEvents.js";
import type { EventStore, StoredEvent } from "../../src/ports/eventStore.js";
import { stored } from "../support/importStory.js";
import { tellReversal } from "../support/reversalStory.js";

const importId = "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50";

/** The reversals of a stream with these events, and what is wrong with it. */
async function read(...told: Partial<RowsReversed>[]): Promise<{ found: ImportReversals; faults: string[] }> {
  const events = told.flatMap((data, index): StoredEvent[] =>
    stored(tellReversal({ importId, count: 1, reason: `${index + 1}`, ...data }), index + 1).map((event) => ({
      ...event,
      stream: `reversals-${importId}`,
      revision: BigInt(index),
    })),
  );
  const eventStore = {
    read: async function* () {
      yield* events;
    },
  } as unknown as EventStore;
  const faults: string[] = [];
  return { found: await reversalsOfImport(eventStore, importId, (fault) => faults.push(fault)), faults };
}

const reasons = (found: ImportReversals, rows: readonly number[]) => rows.map((row) => found.ofRow(row)?.data.reason ?? "-").join("");

describe("the reversals of an import", () => {
  test("each row belongs to the event that names it, and the rest to the one that took back everything", async () => {
    const { found, faults } = await read(
      { rows: [[5, 6]] },
      {
        rows: [
          [2, 2],
          [9, 9],
        ],
      },
      { rows: "all" },
    );
    expect(reasons(found, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toBe("3233113323");
    expect(faults).toEqual([]);
    expect(reasons((await read({ rows: [[5, 6]] })).found, [4, 5, 6, 7])).toBe("-11-");
  });

  test("shipments are found by their numbers, not by their rows", async () => {
    const { found } = await read({ rows: [[2, 9]], shipments: [[3, 4]] });
    expect([2, 3, 4, 5].map((number) => found.ofShipment(number) !== undefined)).toEqual([false, true, true, false]);
  });

  test("what was reversed before is named as a fault, and belongs to the first", async () => {
    const { found, faults } = await read(
      { rows: [[1, 6]] },
      {
        rows: [
          [3, 4],
          [6, 8],
        ],
      },
    );
    expect(reasons(found, [2, 3, 5, 6, 7])).toBe("11112");
    expect(faults).toEqual(["row 3 is reversed a second time at revision 1", "row 6 is reversed a second time at revision 1"]);
    const { found: all, faults: more } = await read({ rows: "all" }, { rows: [[3, 4]] });
    expect(reasons(all, [3])).toBe("1");
    expect(more).toEqual(["RowsReversed at revision 1 comes after everything was reversed"]);
  });

  test("an event of another import is a fault", async () => {
    expect((await read({ importId: "another" })).faults).toEqual(["RowsReversed at revision 0 names import another"]);
  });
});

test("ranges are compared as Postgres shows them", () => {
  expect(
    multirangeText([
      [2, 4],
      [5, 5],
      [9, 9],
    ]),
  ).toBe("{[2,6),[9,10)}");
  expect(multirangeText([])).toBe("{}");
});
