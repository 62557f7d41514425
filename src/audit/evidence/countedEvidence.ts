// Which activities count, from the streams and without the projections' code. A reversed activity does not count. Of an activity and the
// rows that were pushed to correct it or its corrections, only one counts: the last one that is not reversed.
import type { ImportRequested } from "../../events/importEvents.js";
import type { EvidenceWriter } from "./evidenceTables.js";
import type { ReversalEvidence } from "./reversalEvidence.js";

/** A completed import that corrects rows of another one. */
export interface CorrectingImport {
  /** Commit position of ImportRequested. */
  readonly position: bigint;
  readonly importId: string;
  readonly corrects: NonNullable<ImportRequested["corrects"]>;
  /** The rows of this import that were accepted. */
  readonly acceptedRows: ReadonlySet<number>;
}

interface Activity {
  readonly position: bigint;
  readonly importId: string;
  readonly row: number;
}

const rowKeyOf = (importId: string, row: number): string => `${importId} ${row}`;

/** Writes which activities do not count, and which ones correct others. `positions`: each activity import's commit position, by its id. */
export function addUncounted(
  writer: EvidenceWriter,
  correctingImports: readonly CorrectingImport[],
  positions: ReadonlyMap<string, bigint>,
  reversals: ReversalEvidence,
): void {
  const { corrections, families } = familiesOf(correctingImports, positions);
  const uncounted = new Set<string>();
  for (const [importId, { events }] of reversals) {
    const position = positions.get(importId);
    if (position === undefined) continue;
    for (const { data, position: reversalPosition } of events) {
      const reversed = { import_position: String(position), reversed_position: String(reversalPosition.commit) };
      if (data.rows === "all") writer.add("audited_uncounted_imports", reversed);
      else
        for (const [first, last] of data.rows)
          for (let row = first; row <= last; row += 1) {
            if (!uncounted.has(rowKeyOf(importId, row))) writer.add("audited_uncounted_activities", { ...reversed, row });
            uncounted.add(rowKeyOf(importId, row));
          }
    }
  }
  for (const family of families.values()) {
    const unreversed = family.filter(({ importId, row }) => !reversals.get(importId)?.ofRow(row));
    const counted = unreversed.toSorted((a, b) => Number(a.position - b.position)).at(-1);
    for (const { position, row } of unreversed.filter((each) => each !== counted)) {
      const replacement = { replaced_by_position: String(counted?.position), replaced_by_row: counted?.row };
      writer.add("audited_uncounted_activities", { import_position: String(position), row, ...replacement });
    }
  }
  for (const { correction, first } of corrections.values()) {
    const rowKey = { import_position: String(correction.position), row: correction.row };
    writer.add("audited_activity_corrections", { ...rowKey, first_position: String(first.position), first_row: first.row });
  }
}

/** Finds the first activity that each correcting row goes back to, and its family: that activity with the accepted rows that correct it. */
function familiesOf(correctingImports: readonly CorrectingImport[], positions: ReadonlyMap<string, bigint>) {
  const corrections = new Map<string, { readonly correction: Activity; readonly first: Activity }>();
  const families = new Map<string, Activity[]>();
  for (const { position, importId, corrects, acceptedRows } of correctingImports.toSorted((a, b) => Number(a.position - b.position))) {
    // Imports come in the order of their pushes, so an import comes after the one that it corrects.
    const parent = positions.get(corrects.importId);
    if (parent === undefined) continue;
    for (const [index, row] of corrects.rows.entries()) {
      const earlier = corrections.get(rowKeyOf(corrects.importId, row))?.first;
      // A row that had been rejected has no activity, so a row that corrects it is not a correction of an activity.
      const first = earlier ?? (corrects.accepted?.includes(row) ? { position: parent, importId: corrects.importId, row } : undefined);
      if (!first) continue;
      const correction = { position, importId, row: index + 1 };
      corrections.set(rowKeyOf(importId, correction.row), { correction, first });
      const key = rowKeyOf(first.importId, first.row);
      const family = families.get(key) ?? [first];
      if (acceptedRows.has(correction.row)) family.push(correction);
      families.set(key, family);
    }
  }
  return { corrections, families };
}
