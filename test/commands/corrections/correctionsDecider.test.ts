import { expect, test } from "vitest";
import { type CorrectionCommand, correctionsAggregate, decide } from "../../../src/commands/corrections/correctionsDecider.js";
import type { EventOn } from "../../../src/events/registry.js";
import { givenWhenThen } from "../givenWhenThen.js";

const given = givenWhenThen({ ...correctionsAggregate, decide });

const now = new Date("2026-03-01T00:00:00Z");
const by = { kind: "member" as const, id: "m-1" };
const caused = { by, at: now.toISOString() };
const importId = "the-import";
const command = (rows: number[], ended: string[] = []) => ({ importId, rows, ended: new Set(ended), by, now });
const claim = (correction: string, rows: number[], { ended = [] as string[], superseded = [] as [number, string][] } = {}) =>
  ({ type: "claimRows", correction, superseded: new Map(superseded), ...command(rows, ended) }) satisfies CorrectionCommand;
const dismiss = (rows: number[], ended?: string[]) =>
  ({ type: "dismissRows", note: "not ours", ...command(rows, ended) }) satisfies CorrectionCommand;
const reopen = (rows: number[]) => ({ type: "reopenRows", ...command(rows) }) satisfies CorrectionCommand;

type Claimed = Extract<EventOn<"corrections">, { type: "RowsClaimed" }>;
const claimed = (correction: string, rows: number[], refused: Claimed["data"]["refused"] = []): Claimed => ({
  type: "RowsClaimed",
  data: { importId, correction, rows, refused, ...caused },
});
const dismissed = (...rows: number[]): EventOn<"corrections"> => ({
  type: "RowsDismissed",
  data: { importId, rows, note: "not ours", ...caused },
});
const reopened = (...rows: number[]): EventOn<"corrections"> => ({ type: "RowsReopened", data: { importId, rows, ...caused } });

test("open rows are claimed, dismissed and opened again", () => {
  given()
    .when(claim("a", [3, 1]))
    .decides(claimed("a", [3, 1]));
  given()
    .when(dismiss([1, 2]))
    .decides(dismissed(1, 2));
  given(dismissed(1, 2))
    .when(reopen([2]))
    .decides(reopened(2));
  given(dismissed(1), reopened(1))
    .when(claim("a", [1]))
    .decides(claimed("a", [1]));
});

test("a command that repeats what is recorded decides nothing", () => {
  given(claimed("a", [1]))
    .when(claim("a", [1]))
    .decidesNothing();
  given(dismissed(1, 2))
    .when(dismiss([1, 2]))
    .decidesNothing();
  given(dismissed(1), reopened(1))
    .when(reopen([1]))
    .decidesNothing();
});

test("a correction claims what is open, and is refused each other row with its reason and its number in the correction", () => {
  given(claimed("a", [1]), dismissed(2))
    .when(claim("b", [4, 2, 1, 3], { superseded: [[3, "later"]] }))
    .decides(
      claimed(
        "b",
        [4],
        [
          { row: 2, correctionRow: 2, why: "dismissed" },
          { row: 1, correctionRow: 3, why: "claimed", importId: "a" },
          { row: 3, correctionRow: 4, why: "superseded", importId: "later" },
        ],
      ),
    );
});

test("only the rows that are not dismissed yet are dismissed, and only dismissed rows are opened", () => {
  given(dismissed(1))
    .when(dismiss([1, 2]))
    .decides(dismissed(2));
  given(dismissed(1), claimed("a", [2]))
    .when(reopen([1, 2, 3]))
    .decides(reopened(1));
});

test("a row that a correction has claimed cannot be dismissed", () => {
  given(claimed("a", [2]))
    .when(dismiss([1, 2]))
    .isRejected("conflict", "Row 2 is already taken by a correction.");
});

test("the rows of a correction that failed or was cancelled are open to others", () => {
  const ended = ["a"];
  given(claimed("a", [1]))
    .when(claim("b", [1], { ended }))
    .decides(claimed("b", [1]));
  given(claimed("a", [1]))
    .when(dismiss([1], ended))
    .decides(dismissed(1));
  given(claimed("a", [1]), claimed("b", [1]))
    .when(claim("c", [1], { ended }))
    .decides(claimed("c", [], [{ row: 1, correctionRow: 1, why: "claimed", importId: "b" }]));
});

test("a refused row stays the other correction's", () => {
  const refused = [{ row: 1, correctionRow: 1, why: "claimed" as const, importId: "a" }];
  const events = [claimed("a", [1]), claimed("b", [], refused)];
  const { rows } = events.reduce(correctionsAggregate.evolve as never, correctionsAggregate.initial());
  expect(rows.get(1)).toEqual({ why: "claimed", importId: "a" });
});
