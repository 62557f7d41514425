// Which activities count, from the streams and without the projections' code. A reversed activity does not count. Of an activity and the rows
// that were pushed to correct it, directly or one after the other, only the last one that is not reversed counts.
import type { ImportRequested } from "../../events/importEvents.js";
import type { ReversalEvidence } from "./reversalEvidence.js";

/** A completed import that corrects rows of another one. */
export interface CorrectingImport {
  readonly position: bigint;
  readonly importId: string;
  readonly corrects: NonNullable<ImportRequested["corrects"]>;
  /** Its own rows that were accepted. */
  readonly accepted: ReadonlySet<number>;
}

/** The rows of a table, each as its columns, joined by blanks. */
export interface CountedEvidence {
  readonly uncounted_activities: ReadonlySet<string>;
  readonly uncounted_imports: ReadonlySet<string>;
  readonly activity_corrections: ReadonlySet<string>;
}

interface Activity {
  readonly position: bigint;
  readonly importId: string;
  readonly row: number;
}

const keyOf = (importId: string, row: number): string => `${importId} ${row}`;

/** `positions`: by the id of each import of activities, its position. */
export function countedEvidence(
  correcting: readonly CorrectingImport[],
  positions: ReadonlyMap<string, bigint>,
  reversals: ReversalEvidence,
): CountedEvidence {
  const { firsts, families } = familiesOf(correcting, positions);
  const uncounted = new Map<string, { reversed?: bigint; by?: Activity }>();
  const imports = new Set<string>();
  for (const [importId, { events }] of reversals) {
    const position = positions.get(importId);
    if (position === undefined) continue;
    for (const { data, position: at } of events) {
      if (data.rows === "all") imports.add(`${position} ${at.commit}`);
      else
        for (const [first, last] of data.rows)
          for (let row = first; row <= last; row += 1) {
            const key = `${position} ${row}`;
            if (!uncounted.has(key)) uncounted.set(key, { reversed: at.commit });
          }
    }
  }
  for (const family of families.values()) {
    const living = family.filter(({ importId, row }) => !reversals.get(importId)?.ofRow(row));
    const counting = living.reduce<Activity | undefined>((last, each) => (last && last.position > each.position ? last : each), undefined);
    for (const each of living) if (each !== counting && counting) uncounted.set(`${each.position} ${each.row}`, { by: counting });
  }
  return {
    uncounted_activities: new Set(
      [...uncounted].map(([key, { reversed, by }]) => [key, reversed ?? null, by?.position ?? null, by?.row ?? null].join(" ")),
    ),
    uncounted_imports: imports,
    activity_corrections: new Set(
      [...firsts.values()].map(({ own, first }) => [own.position, own.row, first.position, first.row].join(" ")),
    ),
  };
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
