// What people are told of the unusual rows of a file before it is recorded: what stands in them, as for the rows that would be rejected.
import type { UnusualKind } from "../domain/imports/unusual.js";
import { fault, reasonOf } from "../domain/rows/faults.js";
import type { UnusualInFile } from "./fileChecks.js";
import type { OpenSubmission } from "./openSubmission.js";
import { createProblemCounter } from "./problemGroups.js";
import type { FoundUnusual } from "./unusualRows.js";

const shownImports = 5;

const words: Readonly<Record<Exclude<UnusualKind, "newCode">, readonly [sentence: string, ...fields: string[]]>> = {
  quantity: ["Unusual quantity", "chargeCode", "quantity"],
  time: ["Unusual time", "activityTimestamp"],
  noCustomer: ["No customer", "chargeCode", "warehouseCode"],
  repeated: ["Recorded already, or twice in this file", "chargeCode", "quantity", "activityTimestamp", "reference"],
};
const newCodes = { chargeCode: "New charge code", warehouseCode: "New warehouse code" } as const;

/** Reads the file once more, up to its last unusual row. */
export async function describeUnusual(
  submission: OpenSubmission,
  found: FoundUnusual,
  headingOf: (field: string) => string,
): Promise<UnusualInFile> {
  const groups = createProblemCounter(submission.columns, headingOf);
  const recorded = new Map<string, number>();
  let [index, left] = [0, found.count];
  for await (const { rows } of submission.readAgain()) {
    for (const row of rows) {
      if (left === 0 || row.row !== found.rowOf(index)) continue;
      const kinds = found.kindsOf(index);
      for (const why of kinds.flatMap((kind) => faultsOf(kind, found, index))) groups.add(row, reasonOf([why]));
      const importId = kinds.includes("repeated") ? found.repeatedOf(index) : undefined;
      if (importId !== undefined) recorded.set(importId, (recorded.get(importId) ?? 0) + 1);
      if (kinds.length > 0) left -= 1;
      index += 1;
    }
    if (left === 0) break;
  }
  const byRows = [...recorded].map(([importId, rows]) => ({ importId, rows })).sort((one, other) => other.rows - one.rows);
  return {
    count: found.count,
    groups: groups.problems().groups,
    recorded: byRows.slice(0, shownImports),
    otherImports: Math.max(0, byRows.length - shownImports),
  };
}

function faultsOf(kind: UnusualKind, found: FoundUnusual, index: number) {
  if (kind !== "newCode") return [fault("invalid", ...words[kind])];
  return found.newCodesOf(index).map(({ field, near }) => ({
    ...fault("invalid", newCodes[field], field),
    advice: near === undefined ? undefined : `did you mean ${near}?`,
  }));
}
