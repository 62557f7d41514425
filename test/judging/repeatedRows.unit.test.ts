// What is read while rows still pass is compared like what is read at their end.
import { expect, test } from "vitest";
import { dayMs } from "../../src/domain/imports/unusual.js";
import { type ActivityHash, hashActivity } from "../../src/domain/rows/activityHash.js";
import { createRepeatFinder } from "../../src/judging/repeatedRows.js";
import type { UsualFigures } from "../../src/judging/usualFigures.js";

const firstDay = 20_000;
const days = 20; // more than are read at once

interface Activity {
  readonly day: number;
  readonly values: Readonly<Record<string, unknown>>;
}

const activity = (number: number, reference = `REF-${number}`): Activity => ({
  day: firstDay + (number % days),
  values: { customerId: "CUST-001", warehouseCode: "SYD", chargeCode: "PICK", reference, quantity: 1 },
});
const instantOf = ({ day }: Activity) => day * dayMs + 3_600_000;

const blockBits = 8;

/** The contents of earlier imports, as the tables answer; `asked` has the days of each question. */
function recorded(imports: readonly (readonly Activity[])[]) {
  const asked: number[][] = [];
  const content: ActivityHash = { low: 0, high: 0 };
  const entry = (importIndex: number, day: number, block: number) => {
    const all = (imports[importIndex] ?? []).map((each, index) => ({ each, row: index + 1 }));
    const rows = all.filter(({ each, row }) => each.day === day && row >>> blockBits === block);
    const [lows, rest] = [Buffer.alloc(rows.length * 4), new Int32Array(rows.length * 2)];
    for (const [at, { each, row }] of rows.entries()) {
      hashActivity(each.values, instantOf(each), content);
      lows.writeInt32LE(content.low, at * 4);
      rest.set([content.high, row], at * 2);
    }
    return { lows, rest };
  };
  const figures = {
    async hashes(of: readonly number[]) {
      asked.push([...of]);
      const names = of.flatMap((day) =>
        imports.flatMap((rows, index) => Array.from({ length: (rows.length >>> blockBits) + 1 }, (_, block) => ({ day, index, block }))),
      );
      return names.map(({ day, index, block }) => ({ day, position: String(index), block, lows: entry(index, day, block).lows }));
    },
    hashedRows: async (of: readonly { day: number; position: string; block: number }[]) =>
      of.map(({ day, position, block }) => {
        return { position, importId: `import ${position}`, rest: entry(Number(position), day, block).rest, uncounted: [] };
      }),
  };
  return { asked, figures: figures as unknown as UsualFigures };
}

const earlier = [
  Array.from({ length: 900 }, (_, number) => activity(number)),
  Array.from({ length: 900 }, (_, number) => activity(number + 500)),
];
// Every third row is recorded already; some of them twice, of which the first import is named.
const rows = Array.from({ length: 1_500 }, (_, number) => activity(number, number % 3 === 0 ? undefined : `NEW-${number}`));
const expected = rows.map((_, number) => {
  if (number % 3 !== 0 || number >= 1_400) return undefined;
  return number < 900 ? { importId: "import 0", row: number + 1 } : { importId: "import 1", row: number - 500 + 1 };
});

test("the rows that are recorded already are found with the first activity that says the same, and each day is read once", async () => {
  const { asked, figures } = recorded(earlier);
  const finder = createRepeatFinder();
  for (const each of rows) finder.add(each.values, instantOf(each));
  const found = await finder.find(figures);
  expect(rows.map((_, index) => found.sameAs(index))).toEqual(expected);
  expect(rows.map((_, index) => found.isRepeated(index))).toEqual(expected.map((same) => same !== undefined));
  expect(asked.flat().sort((one, other) => one - other)).toEqual(Array.from({ length: days }, (_, index) => firstDay + index));
});
