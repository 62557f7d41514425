// Which activities count, from the streams and without the projections' code. A reversed activity does not count. Of an activity and the rows
// that were pushed to correct it, directly or one after the other, only the last one that is not reversed counts.
import type { ImportRequested } from "../../events/importEvents.js";
import type { EvidenceWriter } from "./evidenceTables.js";
import type { ReversalEvidence } from "./reversalEvidence.js";

/** A completed import that corrects rows of another one. */
export interface CorrectingImport {
  readonly position: bigint;
  readonly importId: string;
  readonly corrects: NonNullable<ImportRequested["corrects"]>;
  /** Its own rows that were accepted. */
  readonly accepted: ReadonlySet<number>;
}

interface Activity {
  readonly position: bigint;
  readonly importId: string;
  readonly row: number;
}

const keyOf = (importId: string, row: number): string => `${importId} ${row}`;

/** `positions`: by the id of each import of activities, its position. */
export function addCounted(
  writer: EvidenceWriter,
  correcting: readonly CorrectingImport[],
  positions: ReadonlyMap<string, bigint>,
  reversals: ReversalEvidence,
): void {
  const { firsts, families } = familiesOf(correcting, positions);
  const uncounted = new Set<string>();
  for (const [importId, { events }] of reversals) {
    const position = positions.get(importId);
    if (position === undefined) continue;
    for (const { data, position: at } of events) {
      const reversed = { import_position: String(position), reversed_position: String(at.commit) };
      if (data.rows === "all") writer.add("audited_uncounted_imports", reversed);
      else
        for (const [first, last] of data.rows)
          for (let row = first; row <= last; row += 1) {
            if (!uncounted.has(keyOf(importId, row))) writer.add("audited_uncounted_activities", { ...reversed, row });
            uncounted.add(keyOf(importId, row));
          }
    }
  }
  for (const family of families.values()) {
    const living = family.filter(({ importId, row }) => !reversals.get(importId)?.ofRow(row));
    const counting = living.reduce<Activity | undefined>((last, each) => (last && last.position > each.position ? last : each), undefined);
    for (const { position, row } of counting ? living.filter((each) => each !== counting) : []) {
      const by = { replaced_by_position: String(counting?.position), replaced_by_row: counting?.row };
      writer.add("audited_uncounted_activities", { import_position: String(position), row, ...by });
    }
  }
  for (const { own, first } of firsts.values()) {
    const place = { import_position: String(own.position), row: own.row };
    writer.add("audited_activity_corrections", { ...place, first_position: String(first.position), first_row: first.row });
  }
}

/** By the first activity: itself and the accepted rows that go back to it. An import is pushed after the one whose rows it corrects. */
function familiesOf(correcting: readonly CorrectingImport[], positions: ReadonlyMap<string, bigint>) {
  const firsts = new Map<string, { readonly own: Activity; readonly first: Activity }>();
  const families = new Map<string, Activity[]>();
  for (const { position, importId, corrects, accepted } of correcting.toSorted((one, other) => Number(one.position - other.position))) {
    const parent = positions.get(corrects.importId);
    if (parent === undefined) continue;
    for (const [index, row] of corrects.rows.entries()) {
      const known = firsts.get(keyOf(corrects.importId, row))?.first;
      const first = known ?? (corrects.accepted?.includes(row) ? { position: parent, importId: corrects.importId, row } : undefined);
      if (!first) continue;
      const own = { position, importId, row: index + 1 };
      firsts.set(keyOf(importId, own.row), { own, first });
      const key = keyOf(first.importId, first.row);
      const family = families.get(key) ?? [first];
      if (accepted.has(own.row)) family.push(own);
      families.set(key, family);
    }
  }
  return { firsts, families };
}
