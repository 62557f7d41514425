import { expect, test } from "vitest";
import {
  contradictingDate,
  createDateEvidence,
  dateOrderIn,
  needsDateOrder,
  toIsoDate,
} from "../../../../src/domain/imports/columns/dateOrder.js";
import { createEvidenceCollector } from "../../../../src/domain/imports/columns/evidence.js";

test.each([
  ["03/04/2026", "2026-04-03", "2026-03-04"],
  ["3.4.2026", "2026-04-03", "2026-03-04"],
  ["3-4-2026 9:05", "2026-04-03T09:05", "2026-03-04T09:05"],
  ["03/04/2026 14:30:15", "2026-04-03T14:30:15", "2026-03-04T14:30:15"],
  ["03/04/2026, 2:30 PM", "2026-04-03T14:30", "2026-03-04T14:30"],
  ["03/04/2026 12:00 am", "2026-04-03T00:00", "2026-03-04T00:00"],
  ["03/04/2026T12:00 p.m.", "2026-04-03T12:00", "2026-03-04T12:00"],
  [" 03/04/2026 ", "2026-04-03", "2026-03-04"],
  ["31/12/2026", "2026-12-31", undefined],
  ["12/31/2026", undefined, "2026-12-31"],
  ["31/02/2026", undefined, undefined],
  ["03/04/2026 25:00", undefined, undefined],
  ["03/04/2026 13:00 pm", undefined, undefined],
  ["03/04/2026 0:30 am", undefined, undefined],
])("%s is %s with the day first and %s with the month first", (text, dayFirst, monthFirst) => {
  expect([toIsoDate(text, "dayFirst"), toIsoDate(text, "monthFirst")]).toEqual([dayFirst, monthFirst]);
});

test.each(["2026-04-03", "3/4/26", "03/04-2026", "3 April 2026", "2026/04/03", "03/04/2026 at noon", "", "1/2/20261"])(
  "%s needs no order and stays as it is",
  (text) => {
    expect(needsDateOrder(text)).toBe(false);
    expect(toIsoDate(text, "dayFirst")).toBeUndefined();
  },
);

test("values say their order where one of them can be read in only one way", () => {
  expect(dateOrderIn(["x", "03/04/2026", "23/04/2026", "24/04/2026"])).toEqual({ order: "dayFirst", example: "23/04/2026" });
  expect(dateOrderIn(["03/04/2026", "04/23/2026"])).toEqual({ order: "monthFirst", example: "04/23/2026" });
  expect(dateOrderIn(["03/04/2026", "05/06/2026"])).toEqual({ order: undefined, example: "03/04/2026" });
  expect(dateOrderIn(["23/04/2026", "04/23/2026"])).toEqual({ order: undefined, example: "23/04/2026", counterexample: "04/23/2026" });
  expect(dateOrderIn(["2026-04-03", ""])).toBeUndefined();
  expect(dateOrderIn(["03/04/2026", "31/31/2026", "30/02/2026"])).toEqual({ order: undefined, example: "03/04/2026" });
});

test("a value speaks against the order that cannot read it, and against none where it needs one", () => {
  const values = ["2026-04-03", "03/04/2026", "04/23/2026"];
  expect([contradictingDate(values, "dayFirst"), contradictingDate(values, "monthFirst"), contradictingDate(values, undefined)]).toEqual([
    "04/23/2026",
    undefined,
    "03/04/2026",
  ]);
  expect(contradictingDate(["2026-04-03", "31/31/2026"], "dayFirst")).toBeUndefined();
});

test("of all rows of a file the few values are kept that say what all say", () => {
  const found = createEvidenceCollector();
  for (let row = 0; row < 10_000; row++)
    found.add(["x", `0${1 + (row % 9)}/04/2026`, row === 9_000 ? "04/13/2026" : "", { fault: "f", text: "" }, `${row},5`]);
  found.add(["", "13/04/2026", "13/04/2026", "", "0.5"]);
  expect(found.evidence()).toEqual({
    values: [[], ["01/04/2026", "13/04/2026"], ["04/13/2026", "13/04/2026"], [], []],
    numbers: [[], [], [], [], ["0,5", "0.5"]],
  });
  const none = createDateEvidence();
  none.add("2026-04-13");
  expect(none.values()).toEqual([]);
});
