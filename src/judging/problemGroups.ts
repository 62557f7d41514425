import { shortened } from "../domain/imports/limits.js";
import { type Columns, cellText, storableText } from "../domain/rows/cells.js";
import { copyOf } from "../domain/rows/compactLists.js";
import { type Fault, fieldsAtFault, type RowReason, reasonWithAdvice } from "../domain/rows/faults.js";
import { reasonInError } from "../domain/rows/olderReasons.js";
import type { FaultyValues, Problem, ProblemGroup, Problems, UnlistedCount } from "./fileChecks.js";
import type { SubmittedRow } from "./openSubmission.js";

/** The most that a check's process answers, and the page shows. */
export const shownGroups = 20;
export const shownRows = 5;
export const shownValues = 5;
export const shownInOrder = 100;
const shownColumns = 6;
const shownReasonBytes = 1_000;
const shownValueBytes = 100;

/** The most that is kept in memory: every row of a file may have another reason, or another value. */
export const keptGroups = 1_000;
export const keptValues = 200;
const keptValuesInAll = 20_000;

interface Group {
  rows: number;
  withShipment: number;
  readonly first: Problem[];
  readonly faults: FaultTally[];
}

interface FaultTally {
  readonly columns: readonly string[];
  readonly values: Map<string, number>;
  /** Rows with a value that is not among those kept. */
  others: number;
}

/**
 * Counts the rejected rows of a file by reason, as the page of rejected rows does: a line without a fault of its own counts for the reason of
 * the line at fault in its shipment. `headingOf` is the name that people know a field by.
 */
export function createProblemCounter({ fields }: Pick<Columns, "fields">, headingOf: (field: string) => string) {
  const groups = new Map<string, Group>();
  const indexOf = new Map(fields.flatMap((field, index) => (field === undefined ? [] : [[field, index] as const])));
  const inOrder: Omit<Problem, "values">[] = [];
  let [ungrouped, values] = [0, 0];
  /** The text in the file; empty if the file has no column for the field. */
  const givenIn = ({ cells, sent }: SubmittedRow, field: string): string => {
    const index = indexOf.get(field);
    if (index === undefined) return "";
    // Cut first: a cell may hold a megabyte.
    return storableText(
      cellText(sent?.[index] ?? cells[index])
        .trim()
        .slice(0, 2 * shownValueBytes),
      shownValueBytes,
    );
  };
  const problemOf = ({ row }: SubmittedRow, why: RowReason): Omit<Problem, "values"> => {
    const atFault = fieldsAtFault(why);
    const columns = atFault.slice(0, shownColumns).map(headingOf);
    return { row, columns, moreColumns: atFault.length - columns.length, reason: shortened(reasonWithAdvice(why), shownReasonBytes) };
  };
  const valuesIn = (row: SubmittedRow, why: RowReason) =>
    fieldsAtFault(why)
      .slice(0, shownColumns)
      .map((field) => givenIn(row, field));
  const count = (tally: FaultTally, row: SubmittedRow) => {
    const texts = tally.columns.slice(0, shownColumns).map((field) => givenIn(row, field));
    const value = shortened(texts.filter((text) => text !== "").join(", "), shownValueBytes);
    const known = tally.values.get(value);
    if (known !== undefined) tally.values.set(value, known + 1);
    else if (tally.values.size >= keptValues || values >= keptValuesInAll) tally.others += 1;
    else {
      values += 1;
      tally.values.set(copyOf(value), 1);
    }
  };
  return {
    add(row: SubmittedRow, why: RowReason): void {
      if (inOrder.length < shownInOrder) inOrder.push(problemOf(row, why));
      const reason = shortened(reasonInError(why.reason), shownReasonBytes);
      let group = groups.get(reason);
      if (!group && groups.size >= keptGroups) {
        ungrouped += 1;
        return;
      }
      if (!group) {
        group = { rows: 0, withShipment: 0, first: [], faults: [] };
        groups.set(copyOf(reason), group);
      }
      group.rows += 1;
      if (why.lead !== undefined) {
        group.withShipment += 1;
        return;
      }
      if (group.first.length === 0) group.faults.push(...tallies(why.faults)); // rows with the same reason have the same faults
      if (group.first.length < shownRows) group.first.push({ ...problemOf(row, why), values: valuesIn(row, why) });
      for (const tally of group.faults) count(tally, row);
    },
    problems(): Problems {
      const sorted = [...groups].sort(([, one], [, other]) => other.rows - one.rows);
      return {
        groups: sorted.slice(0, shownGroups).map(
          ([reason, { faults, ...group }]): ProblemGroup => ({
            ...group,
            reason,
            values: faults.map((tally) => mostFrequent(tally, headingOf)),
          }),
        ),
        more: unlistedCount(
          sorted.slice(shownGroups).map(([, { rows }]) => rows),
          ungrouped,
        ),
        inOrder,
      };
    },
  };
}

/** One for each fault that names columns, unless an earlier one has all of these columns. */
function tallies(faults: readonly Fault[]): FaultTally[] {
  const found: FaultTally[] = [];
  for (const { recorded } of faults) {
    const [, ...columns] = recorded;
    const isCovered = columns.every((column) => found.some((tally) => tally.columns.includes(column)));
    if (!isCovered) found.push({ columns, values: new Map(), others: 0 });
  }
  return found;
}

function mostFrequent({ columns, values, others }: FaultTally, headingOf: (field: string) => string): FaultyValues {
  const sorted = [...values].sort(([, one], [, other]) => other - one);
  return {
    columns: columns.slice(0, shownColumns).map(headingOf),
    moreColumns: Math.max(0, columns.length - shownColumns),
    values: sorted.slice(0, shownValues).map(([value, rows]) => ({ value, rows })),
    more: unlistedCount(
      sorted.slice(shownValues).map(([, rows]) => rows),
      others,
    ),
  };
}

/** `uncounted`: the rows whose reason or value was not kept. */
const unlistedCount = (counts: readonly number[], uncounted: number): UnlistedCount => ({
  kinds: counts.length,
  rows: counts.reduce((sum, rows) => sum + rows, uncounted),
  atLeast: uncounted > 0,
});
