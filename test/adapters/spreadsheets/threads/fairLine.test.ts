import { expect, test } from "vitest";
import { createFairLine } from "../../../../src/adapters/spreadsheets/threads/fairLine.js";

function lineOf(perOrganisation: number, jobs: readonly string[]) {
  const line = createFairLine<string>(perOrganisation);
  for (const job of jobs) line.add(job.charAt(0), job);
  return line;
}

test("organisations take turns: one that joins last waits for one job of each other organisation, not for all their jobs", () => {
  const line = lineOf(1, ["a1", "a2", "a3", "b1", "b2", "c1"]);
  const order = [];
  for (let next = line.next(); next; next = line.next()) {
    order.push(next.job);
    line.done(next.organisationId);
  }
  expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("an organisation never has more jobs under way than its limit, however many wait", () => {
  const line = lineOf(2, ["a1", "a2", "a3", "b1"]);
  expect([line.next()?.job, line.next()?.job, line.next()?.job, line.next()]).toEqual(["a1", "b1", "a2", undefined]);
  line.done("b");
  expect(line.next()).toBeUndefined();
  line.done("a");
  expect(line.next()?.job).toBe("a3");
});

test("a removed job is not handed out", () => {
  const line = lineOf(1, ["a1", "a2", "b1"]);
  line.remove("a", "a1");
  line.remove("b", "b1");
  expect([line.next()?.job, line.next()]).toEqual(["a2", undefined]);
});
