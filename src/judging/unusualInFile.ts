// Describes the unusual rows of a file that is not recorded yet, in the same form as the rows that would be rejected.
import type { UnusualKind } from "../domain/imports/unusual.js";
import { fault, reasonOf } from "../domain/rows/faults.js";
import type { UnusualInFile } from "./fileChecks.js";
import type { OpenSubmission } from "./openSubmission.js";
import { createProblemCounter } from "./problemGroups.js";
import type { UnusualRows } from "./unusualRows.js";

const maxShownImports = 5;

const kindTexts: Readonly<Record<Exclude<UnusualKind, "newCode">, readonly [sentence: string, ...fields: string[]]>> = {
  quantity: ["Unusual quantity", "chargeCode", "quantity"],
  time: ["Unusual time", "activityTimestamp"],
  noCustomer: ["No customer", "chargeCode", "warehouseCode"],
  repeated: ["Recorded already, or twice in this file", "chargeCode", "quantity", "activityTimestamp", "reference"],
};
const newCodeTexts = { chargeCode: "New charge code", warehouseCode: "New warehouse code" } as const;

/** Reads the file once more, up to its last unusual row. */
export async function describeUnusual(
  submission: OpenSubmission,
  unusualRows: UnusualRows,
  headingOf: (field: string) => string,
): Promise<UnusualInFile> {
  const groups = createProblemCounter(submission.columns, headingOf);
  const recorded = new Map<string, number>();
  let [index, remaining] = [0, unusualRows.count];
  for await (const { rows } of submission.readAgain()) {
    for (const row of rows) {
      if (remaining === 0 || row.row !== unusualRows.rowOf(index)) continue; // a row that was not added would be rejected
      const kinds = unusualRows.kindsOf(index);
      for (const each of kinds.flatMap((kind) => faultsOf(kind, unusualRows, index))) groups.add(row, reasonOf([each]));
      const importId = kinds.includes("repeated") ? unusualRows.repeatedImportOf(index) : undefined;
      if (importId !== undefined) recorded.set(importId, (recorded.get(importId) ?? 0) + 1);
      if (kinds.length > 0) remaining -= 1;
      index += 1;
    }
    if (remaining === 0) break;
  }
  const byRows = [...recorded].map(([importId, rows]) => ({ importId, rows })).sort((one, other) => other.rows - one.rows);
  return {
    count: unusualRows.count,
    groups: groups.problems().groups,
    recorded: byRows.slice(0, maxShownImports),
    otherImports: Math.max(0, byRows.length - maxShownImports),
  };
}

function faultsOf(kind: UnusualKind, unusualRows: UnusualRows, index: number) {
  if (kind !== "newCode") return [fault("invalid", ...kindTexts[kind])];
  return unusualRows.newCodesOf(index).map(({ field, near }) => ({
    ...fault("invalid", newCodeTexts[field], field),
    advice: near === undefined ? undefined : `did you mean ${near}?`,
  }));
}
