import { describe, expect, test } from "vitest";
import { type CorrectionCommand, correctionsAggregate, decide } from "../../../src/commands/corrections/correctionsDecider.js";
import { type PositionedReversal, reversedRows } from "../../../src/domain/claims.js";
import type { EventOn } from "../../../src/events/registry.js";
import { givenWhenThen } from "../givenWhenThen.js";

/** Reversals with their positions; the given events stand at 10, 20 and so on. */
const givenReversed = (...reversals: PositionedReversal[]) => givenWhenThen({ ...correctionsAggregate(reversedRows(reversals)), decide });
const given = givenReversed();

const now = new Date("2026-03-01T00:00:00Z");
const by = { kind: "member" as const, id: "m-1" };
const caused = { by, at: now.toISOString() };
const importId = "the-import";
const command = (rows: number[], released: number[] = []) => ({ importId, rows, released: new Set(released), by, now });
const claim = (correction: string, rows: number[], { released = [] as number[], superseded = [] as [number, string][] } = {}) =>
  ({ type: "claimRows", correction, superseded: new Map(superseded), ...command(rows, released) }) satisfies CorrectionCommand;
const dismiss = (rows: number[], released?: number[]) =>
  ({ type: "dismissRows", note: "not ours", ...command(rows, released) }) satisfies CorrectionCommand;
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
    .isRejected("conflict", "Row 2 is already taken by a correction");
});

test("a row whose claim is released is open to others", () => {
  const released = [1];
  given(claimed("a", [1]))
    .when(claim("b", [1], { released }))
    .decides(claimed("b", [1]));
  given(claimed("a", [1]))
    .when(dismiss([1], released))
    .decides(dismissed(1));
  given(claimed("a", [1, 2]))
    .when(claim("b", [1, 2], { released }))
    .decides(claimed("b", [1], [{ row: 2, correctionRow: 2, why: "claimed", importId: "a" }]));
});

/** The state after these events. */
const stateAfter = (reversals: readonly PositionedReversal[], ...events: EventOn<"corrections">[]) => {
  const { initial, evolve } = correctionsAggregate(reversedRows(reversals));
  return events.reduce((state, event, index) => evolve(state, event, BigInt(index), BigInt(index + 1) * 10n), initial());
};

test("a refused row stays the other correction's", () => {
  const refused = [{ row: 1, correctionRow: 1, why: "claimed" as const, importId: "a" }];
  expect(stateAfter([], claimed("a", [1]), claimed("b", [], refused)).rows.get(1)).toEqual({ why: "claimed", importId: "a", row: 1 });
});

describe("after a reversal of the import", () => {
  const all: PositionedReversal = { rows: "all", position: 15n };

  test("its rows are neither claimed nor dismissed nor opened again, and what is dismissed stays so", () => {
    const reversed = givenReversed(all);
    reversed(dismissed(1))
      .when(claim("a", [1, 2]))
      .decides(
        claimed(
          "a",
          [],
          [
            { row: 1, correctionRow: 1, why: "dismissed" },
            { row: 2, correctionRow: 2, why: "withdrawn" },
          ],
        ),
      );
    reversed(dismissed(1))
      .when(dismiss([1]))
      .decidesNothing();
    reversed(dismissed(1))
      .when(dismiss([1, 2]))
      .isRejected("conflict", "Row 2 is withdrawn: its import is reversed");
    reversed(dismissed(1))
      .when(reopen([1]))
      .isRejected("conflict", "Row 1 cannot be opened again: its import is reversed");
    reversed(dismissed(1))
      .when(reopen([2]))
      .decidesNothing();
  });

  test("a claim that comes before it in the log stands", () => {
    const { rows, claims } = stateAfter([all], claimed("a", [4, 7]));
    expect(rows.get(7)).toEqual({ why: "claimed", importId: "a", row: 2 });
    expect(claims.get("a")?.refused).toEqual([]);
  });

  test("a claim, a dismissal or a reopening that comes after it in the log changes nothing", () => {
    const refused = [{ row: 5, correctionRow: 2, why: "claimed" as const, importId: "c" }];
    const { rows, claims } = stateAfter([all], dismissed(1), claimed("a", [4, 7], refused), dismissed(8), reopened(1));
    expect([...rows.keys()]).toEqual([1]);
    expect(claims.get("a")).toMatchObject({
      rows: [],
      refused: [...refused, { row: 4, correctionRow: 1, why: "withdrawn" }, { row: 7, correctionRow: 3, why: "withdrawn" }],
    });
    givenReversed(all)(dismissed(1), claimed("a", [4]))
      .when(claim("a", [4]))
      .decidesNothing();
  });
});

test("a claim is refused the rows that were reversed before it, and keeps the others", () => {
  const reversals: PositionedReversal[] = [
    { rows: [[2, 4]], position: 5n },
    { rows: [[9, 9]], position: 15n },
  ];
  const { rows, claims } = stateAfter(reversals, claimed("a", [1, 3, 9]));
  expect([...rows.keys()]).toEqual([1, 9]);
  expect(claims.get("a")).toMatchObject({ rows: [1, 9], refused: [{ row: 3, correctionRow: 2, why: "reversed" }] });
  givenReversed(...reversals)()
    .when(claim("a", [1, 3]))
    .decides(claimed("a", [1], [{ row: 3, correctionRow: 2, why: "reversed" }]));
});
