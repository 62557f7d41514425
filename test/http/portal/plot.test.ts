import { expect, test } from "vitest";
import { Bars, DailyColumns } from "../../../src/http/portal/shell/plot.js";

test("bars are proportional to their numbers, the longest as wide as the plot, and have their numbers beside them", () => {
  const bars = [
    { label: "Customer <not> found", value: 200 },
    { label: "No quantity", value: 50 },
    { label: "No time", value: 1 },
  ];
  const drawn = String(Bars({ bars, unit: ["row", "rows"] }));
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
    { label: "Rejected", colour: "bad" },
  ] as const;
  const drawn = String(DailyColumns({ title: "Rows per day", days, parts, nameOf: (day) => day.slice(5) }));
  expect(
    [...drawn.matchAll(/class="fill-(\w+)" x="5%" y="([\d.]+)%" width="40%" height="([\d.]+)%"/g)].map((found) => found.slice(1)),
  ).toEqual([
    ["good", "25", "75"],
    ["bad", "0", "25"],
  ]);
  expect(drawn).toContain("<title>07-01: 30 accepted, 10 rejected</title>");
  expect(drawn).toMatch(/<th scope="row">07-01<\/th><td class="number"><span class="amount">30<\/span>/);
  expect(drawn).not.toContain("style=");
});

test("a plot without days is drawn too", () => {
  expect(String(DailyColumns({ title: "Rows per day", days: [], parts: [], nameOf: String }))).toContain("<figure");
});
