import { shortenToBytes } from "../domain/imports/limits.js";
import { type Columns, cellText, storableText } from "../domain/rows/cells.js";
import { detachedCopy } from "../domain/rows/compactLists.js";
import { type Fault, fieldsAtFault, type RowReason, reasonWithAdvice } from "../domain/rows/faults.js";
import { reasonInError } from "../domain/rows/olderReasons.js";
import type { FaultyValues, ProblemGroup, Problems, RowProblem, UnlistedCount } from "./fileChecks.js";
import type { SubmittedRow } from "./openSubmission.js";

/** The most that a check returns, and so the most that the portal's page shows. */
export const maxShownGroups = 20;
export const maxShownRows = 5;
export const maxShownValues = 5;
/** How many of a file's first rejected rows are listed in their order, whatever their reason. */
export const maxShownInOrder = 100;
const maxShownColumns = 6;
const maxShownReasonBytes = 1_000;
const maxShownValueBytes = 100;

/** The most that is kept in memory, since every row of a file may have a different reason or value. */
export const maxKeptGroups = 1_000;
export const maxKeptValues = 200;
const maxKeptValuesInAll = 20_000;

interface Group {
  rows: number;
  /** How many of them are rejected only because of another line of their shipment. */
  withShipment: number;
  readonly first: RowProblem[];
  readonly faults: FaultTally[];
}

interface FaultTally {
  readonly columns: readonly string[];
  readonly values: Map<string, number>;
  /** How many rows have a value that is not kept. */
  otherRows: number;
}

/**
 * Counts rows by reason: a file's rejected rows, or its unusual ones, once for each kind. As on the page of rejected rows, a line that is only
 * rejected with its shipment counts for the reason of the line at fault. `headingOf` returns the name that people know a field by.
 */
export function createProblemCounter({ fields }: Pick<Columns, "fields">, headingOf: (field: string) => string) {
  const groups = new Map<string, Group>();
  const indexOf = new Map(fields.flatMap((field, index) => (field === undefined ? [] : [[field, index] as const])));
  const inOrder: Omit<RowProblem, "values">[] = [];
  let [ungroupedRows, keptValues] = [0, 0];
  /** The text in the file; empty if the file has no column for the field. */
  const textIn = ({ cells, sent }: SubmittedRow, field: string): string => {
    const index = indexOf.get(field);
    if (index === undefined) return "";
    const text = cellText(sent?.[index] ?? cells[index]).trim();
    return storableText(text.slice(0, 2 * maxShownValueBytes), maxShownValueBytes); // cut before the conversion: a cell may be long
  };
  const problemOf = ({ row }: SubmittedRow, rowReason: RowReason): Omit<RowProblem, "values"> => {
    const atFault = fieldsAtFault(rowReason);
    const columns = atFault.slice(0, maxShownColumns).map(headingOf);
    const reason = shortenToBytes(reasonWithAdvice(rowReason), maxShownReasonBytes);
    return { row, columns, moreColumns: atFault.length - columns.length, reason };
  };
  const valuesIn = (row: SubmittedRow, rowReason: RowReason) =>
    fieldsAtFault(rowReason)
      .slice(0, maxShownColumns)
      .map((field) => textIn(row, field));
  const countValue = (tally: FaultTally, row: SubmittedRow) => {
    const texts = tally.columns.slice(0, maxShownColumns).map((field) => textIn(row, field));
    const value = shortenToBytes(texts.filter((text) => text !== "").join(", "), maxShownValueBytes);
    const rows = tally.values.get(value);
    if (rows !== undefined) tally.values.set(value, rows + 1);
    else if (tally.values.size >= maxKeptValues || keptValues >= maxKeptValuesInAll) tally.otherRows += 1;
    else {
      keptValues += 1;
      tally.values.set(detachedCopy(value), 1);
    }
  };
  return {
    add(row: SubmittedRow, rowReason: RowReason): void {
      if (inOrder.length < maxShownInOrder) inOrder.push(problemOf(row, rowReason));
      const reason = shortenToBytes(reasonInError(rowReason.reason), maxShownReasonBytes);
      let group = groups.get(reason);
      if (!group && groups.size >= maxKeptGroups) {
        ungroupedRows += 1;
        return;
      }
      if (!group) {
        group = { rows: 0, withShipment: 0, first: [], faults: [] };
        groups.set(detachedCopy(reason), group);
      }
      group.rows += 1;
      if (rowReason.lead !== undefined) {
        group.withShipment += 1;
        return;
      }
      if (group.first.length === 0) group.faults.push(...createTallies(rowReason.faults)); // rows with the same reason have the same faults
      if (group.first.length < maxShownRows) group.first.push({ ...problemOf(row, rowReason), values: valuesIn(row, rowReason) });
      for (const tally of group.faults) countValue(tally, row);
    },
    problems(): Problems {
      const sorted = [...groups].sort(([, one], [, other]) => other.rows - one.rows);
      const unlistedRows = sorted.slice(maxShownGroups).map(([, { rows }]) => rows);
      return {
        groups: sorted.slice(0, maxShownGroups).map(
          ([reason, { faults, ...group }]): ProblemGroup => ({
            ...group,
            reason,
            values: faults.map((tally) => mostFrequentValues(tally, headingOf)),
          }),
        ),
        more: unlistedCount(unlistedRows, ungroupedRows),
        inOrder,
      };
    },
  };
}

/** Makes a tally for each fault that names columns, unless earlier tallies have all of its columns. */
function createTallies(faults: readonly Fault[]): FaultTally[] {
  const tallies: FaultTally[] = [];
  for (const { recordedFault } of faults) {
    const [, ...columns] = recordedFault;
    const isCovered = columns.every((column) => tallies.some((tally) => tally.columns.includes(column)));
    if (!isCovered) tallies.push({ columns, values: new Map(), otherRows: 0 });
  }
  return tallies;
}

function mostFrequentValues({ columns, values, otherRows }: FaultTally, headingOf: (field: string) => string): FaultyValues {
  const sorted = [...values].sort(([, one], [, other]) => other - one);
  const unlistedRows = sorted.slice(maxShownValues).map(([, rows]) => rows);
  return {
    columns: columns.slice(0, maxShownColumns).map(headingOf),
    moreColumns: Math.max(0, columns.length - maxShownColumns),
    values: sorted.slice(0, maxShownValues).map(([value, rows]) => ({ value, rows })),
    more: unlistedCount(unlistedRows, otherRows),
  };
}

/** `rowCounts`: the rows of each unlisted reason or value. `unkeptRows`: how many rows have a reason or value that was not kept. */
const unlistedCount = (rowCounts: readonly number[], unkeptRows: number): UnlistedCount => ({
  kinds: rowCounts.length,
  rows: rowCounts.reduce((sum, rows) => sum + rows, unkeptRows),
  atLeast: unkeptRows > 0,
});
