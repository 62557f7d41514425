import { expect, test } from "vitest";
import { Bars, DailyColumns } from "../../../src/http/portal/shell/plot.js";

test("bars are proportional to their numbers, the longest as wide as the plot, and have their numbers beside them", () => {
  const bars = [["Customer <not> found", 200] as const, ["No quantity", 50] as const, ["No time", 1] as const];
  const drawn = String(Bars({ bars, noun: ["row", "rows"] }));
  expect([...drawn.matchAll(/class="bar-part" width="([\d.]+)%"/g)].map(([, width]) => Number(width))).toEqual([100, 25, 0.5]);
  expect(drawn).toContain("Customer &lt;not&gt; found");
  expect(drawn.replaceAll(/<[^>]+>/g, "")).toMatch(/200 rows.*50 rows.*1 row$/s);
});

test("daily columns stack their parts, have the day on each, and come with a table for screen readers", () => {
  const days = [
    { day: "2026-07-01", values: [30, 10] },
    { day: "2026-07-02", values: [0, 0] },
  ];
  const parts = [
    { label: "Accepted", colour: "good" },
    { label: "Rejected", colour: "warn" },
  ] as const;
  const drawn = String(DailyColumns({ title: "Rows per day", days, parts, nameOf: (day) => day.slice(5) }));
  expect(
    [...drawn.matchAll(/class="fill-(\w+)" x="5%" y="([\d.]+)%" width="40%" height="([\d.]+)%"/g)].map((found) => found.slice(1)),
  ).toEqual([
    ["good", "25", "75"],
    ["warn", "0", "25"],
  ]);
  expect(drawn).toContain("<title>07-01: 30 accepted, 10 rejected</title>");
  expect(drawn).toMatch(/<th scope="row"[^>]*>07-01<\/th><td[^>]* class="number"><span class="amount">30<\/span>/);
  expect(drawn).not.toContain("style=");
});

test.each([
  ["one day far above the others is drawn shorter, and said", [30, 20, 121, 0], 30, "Bar too tall to draw in full: d2 (121 rows)."],
  ["a day four times as high as the next is not", [30, 20, 120, 0], 120, undefined],
  ["up to three days are", [500, 20, 600, 400, 5], 20, "Bars too tall to draw in full: d0 (500 rows), d2 (600 rows), d3 (400 rows)."],
  ["four are not", [500, 20, 600, 400, 450], 600, undefined],
  ["a single day is whole", [0, 21_726, 0], 21_726, undefined],
])("%s", (_, totals, top, sentence) => {
  const days = totals.map((value, index) => ({ day: `d${index}`, values: [value] }));
  const drawn = String(DailyColumns({ title: "Rows", days, parts: [{ label: "Accepted", colour: "good" }], nameOf: String }));
  const scale = /class="scale"[^>]*><span class="amount">([\d,]+)</.exec(drawn)?.[1]?.replaceAll(",", "");
  expect(Number(scale)).toBe(top);
  const heights = [...drawn.matchAll(/class="fill-good" x="[\d.]+%" y="[\d.]+%" width="[\d.]+%" height="([\d.]+)%"/g)];
  expect(heights.map(([, height]) => Number(height))).toEqual(totals.map((value) => Math.round(Math.min(1, value / top) * 10_000) / 100));
  expect(drawn.split("column-break").length - 1).toBe(totals.filter((value) => value > top).length);
  expect(drawn.replaceAll(/<[^>]+>/g, "").includes("too tall to draw")).toBe(sentence !== undefined);
  if (sentence) expect(drawn.replaceAll(/<[^>]+>/g, "")).toContain(sentence);
});

test("a plot without days is drawn too", () => {
  expect(String(DailyColumns({ title: "Rows per day", days: [], parts: [], nameOf: String }))).toContain("<figure");
});
