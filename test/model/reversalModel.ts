// A simple model in memory of pushes, corrections, dismissals and reversals that are made one after the other. It says what is read after them.
export type Kind = "shipments" | "activities";
export type RowState = "open" | "corrected" | "dismissed" | "superseded" | "withdrawn";

export interface RowName {
  readonly importId: string;
  readonly row: number;
}

/** An activity with its row, or a shipment with the rows of its lines. */
export interface ModelUnit {
  readonly rows: readonly number[];
  readonly accepted: boolean;
  /** The shipment's id; the reference of an activity. */
  readonly handle: string;
  readonly customerId: string;
  readonly chargeCode: string;
  /** In quarters, so that sums are exact. */
  readonly quarters: number;
  reversed: boolean;
}

export interface ModelImport {
  readonly importId: string;
  readonly kind: Kind;
  readonly units: readonly ModelUnit[];
  /** Whether it is a JSON push: two of its shipments may have one id. */
  readonly isJson?: boolean;
  /** By row of this import: the row that it corrects. */
  readonly corrects: ReadonlyMap<number, RowName>;
  /** Whether it was reversed as a whole. */
  all: boolean;
  /** How many activities or shipments are reversed. */
  count: number;
}

export interface Answer {
  /** Whether there is a reversal of the import itself. */
  readonly isRecorded: boolean;
  readonly reversed: number;
  readonly alreadyReversed: number;
  readonly superseded: number;
  readonly reopened: number;
  readonly withdrawn: number;
  readonly corrections: readonly { readonly importId: string; readonly rows: readonly number[] }[];
}

interface Chosen {
  readonly of: ModelImport;
  /** Undefined: the whole import. */
  readonly units: readonly ModelUnit[] | undefined;
}

const keyOf = ({ importId, row }: RowName): string => `${importId} ${row}`;

export type ReversalModel = ReturnType<typeof createModel>;

export function createModel() {
  const imports: ModelImport[] = [];
  /** By row: the row that was sent last to correct it. */
  const claims = new Map<string, RowName>();
  /** By row of a correction: the accepted activity that was corrected first. */
  const firsts = new Map<string, string>();
  const dismissed = new Set<string>();

  const importOf = (importId: string): ModelImport => {
    const found = imports.find((each) => each.importId === importId);
    if (!found) throw new Error(`the model has no import ${importId}`);
    return found;
  };
  const unitOf = ({ importId, row }: RowName): ModelUnit => {
    const found = importOf(importId).units.find(({ rows }) => rows.includes(row));
    if (!found) throw new Error(`the model has no row ${row} of ${importId}`);
    return found;
  };
  const isReversed = (name: RowName): boolean => importOf(name.importId).all || unitOf(name).reversed;

  function push(added: Pick<ModelImport, "importId" | "kind" | "units" | "isJson"> & { corrects?: ReadonlyMap<number, RowName> }): void {
    const { corrects = new Map<number, RowName>() } = added;
    const units = added.units.toSorted((one, other) => (one.rows[0] ?? 0) - (other.rows[0] ?? 0));
    imports.push({ ...added, units, corrects, all: false, count: 0 });
    for (const [row, parent] of corrects) {
      const own = { importId: added.importId, row };
      claims.set(keyOf(parent), own);
      const first = firsts.get(keyOf(parent)) ?? (unitOf(parent).accepted ? keyOf(parent) : undefined);
      if (first !== undefined) firsts.set(keyOf(own), first);
    }
  }

  /** A correction holds the row unless its own row is reversed and nothing holds that one. */
  function isHeld(name: RowName): boolean {
    if (dismissed.has(keyOf(name))) return true;
    const claim = claims.get(keyOf(name));
    if (!claim) return false;
    if (unitOf(name).accepted && !isReversed(name) && isDropped(claim)) return false;
    return isHeld(claim) || !isReversed(claim);
  }

  /** An accepted activity, which goes on counting, is free again where the last of its corrections was rejected and dismissed. */
  function isDropped(claim: RowName): boolean {
    if (dismissed.has(keyOf(claim))) return true;
    const next = claims.get(keyOf(claim));
    return next !== undefined && isHeld(claim) && isDropped(next);
  }

  /** By shipment id: the import whose version is shown, and that version. */
  function shownShipments(): Map<string, { order: number; importId: string; unit: ModelUnit }> {
    const shown = new Map<string, { order: number; importId: string; unit: ModelUnit }>();
    for (const [order, { importId, kind, units, all }] of imports.entries()) {
      if (kind !== "shipments" || all) continue;
      for (const unit of units) if (unit.accepted && !unit.reversed) shown.set(unit.handle, { order, importId, unit });
    }
    return shown;
  }

  /** The first row of the element of a JSON push that a row goes back to; undefined where it goes back to a file. */
  function elementOf(name: RowName): RowName | undefined {
    const { corrects, isJson } = importOf(name.importId);
    const parent = corrects.get(name.row);
    if (parent) return elementOf(parent);
    return isJson ? { importId: name.importId, row: unitOf(name).rows[0] as number } : undefined;
  }

  /** By a later push, or by a later element of the same one. */
  function isSuperseded(name: RowName): boolean {
    const [own, { handle }] = [elementOf(name), unitOf(name)];
    const order = imports.indexOf(importOf(name.importId));
    return imports.slice(order).some(({ importId, kind, units, all }, index) => {
      const written = kind === "shipments" && !all ? units.filter((unit) => unit.handle === handle && unit.accepted && !unit.reversed) : [];
      return written.some(({ rows }) => {
        const other = elementOf({ importId, row: rows[0] as number });
        return own && other?.importId === own.importId ? other.row > own.row : index > 0;
      });
    });
  }

  function stateOf(name: RowName): RowState {
    const of = importOf(name.importId);
    if (dismissed.has(keyOf(name))) return "dismissed";
    if (isHeld(name)) return "corrected";
    if (of.kind === "shipments" && isSuperseded(name)) return "superseded";
    return of.all ? "withdrawn" : "open";
  }

  function rejectedRows(of: ModelImport): { row: number; state: RowState }[] {
    return of.units
      .filter(({ accepted }) => !accepted)
      .flatMap(({ rows }) => rows.map((row) => ({ row, state: stateOf({ importId: of.importId, row }) })))
      .sort((one, other) => one.row - other.row);
  }

  /** Of an activity and the rows that were pushed to correct it, the last one counts that is accepted and not reversed. */
  function countingActivities(): (RowName & { unit: ModelUnit })[] {
    const last = new Map<string, RowName & { unit: ModelUnit }>();
    for (const { importId, kind, units } of imports.filter(({ kind: each }) => each === "activities")) {
      for (const unit of units) {
        const name = { importId, row: unit.rows[0] as number };
        if (kind === "activities" && unit.accepted && !isReversed(name))
          last.set(firsts.get(keyOf(name)) ?? keyOf(name), { ...name, unit });
      }
    }
    const counting = new Set([...last.values()].map(keyOf));
    return imports.flatMap(({ importId, units }) =>
      units.flatMap((unit) => {
        const name = { importId, row: unit.rows[0] as number };
        return counting.has(keyOf(name)) ? [{ ...name, unit }] : [];
      }),
    );
  }

  /** By customer and charge code: quarters and rows. */
  function totals(): Map<string, { quarters: number; rows: number }> {
    const sums = new Map<string, { quarters: number; rows: number }>();
    for (const { unit } of countingActivities()) {
      const key = `${unit.customerId} ${unit.chargeCode}`;
      const { quarters = 0, rows = 0 } = sums.get(key) ?? {};
      sums.set(key, { quarters: quarters + unit.quarters, rows: rows + 1 });
    }
    return sums;
  }

  /** Rows of other imports that are accepted, not reversed, and go back to these rows, directly or through further corrections. */
  function correctionsOf({ of, units }: Chosen): { importId: string; ownRows: number[]; rows: number[] }[] {
    const found = new Map<string, { importId: string; ownRows: number[]; rows: number[] }>();
    for (const first of (units ?? of.units).flatMap(({ rows }) => rows)) {
      for (const name of following({ importId: of.importId, row: first })) {
        if (!unitOf(name).accepted || isReversed(name)) continue;
        const each = found.get(name.importId) ?? { importId: name.importId, ownRows: [], rows: [] };
        each.ownRows.push(name.row);
        each.rows.push(first);
        found.set(name.importId, each);
      }
    }
    const order = (importId: string) => imports.indexOf(importOf(importId));
    return [...found.values()].sort((one, other) => order(one.importId) - order(other.importId));
  }

  function following(name: RowName): RowName[] {
    const next = claims.get(keyOf(name));
    return next ? [next, ...following(next)] : [];
  }

  function reverseChosen(chosen: Chosen, opensRows = false): Omit<Answer, "corrections"> {
    const { of, units } = chosen;
    const before = statesOfOthers(of);
    const open = rejectedRows(of).filter(({ state }) => state === "open").length;
    const shown = shownShipments();
    const accepted = (units ?? of.units).filter((unit) => unit.accepted);
    const left = of.all ? [] : accepted.filter(({ reversed }) => !reversed);
    const nothing = { isRecorded: false, reversed: 0, alreadyReversed: accepted.length, superseded: 0, reopened: 0, withdrawn: 0 };
    const withdraws = units === undefined && !of.all && (open > 0 || opensRows);
    if (left.length === 0 && !withdraws) return nothing;
    const hidden = of.kind === "shipments" ? left.filter(({ handle }) => shown.get(handle)?.importId !== of.importId) : [];
    for (const unit of left) unit.reversed = true;
    if (units === undefined) of.all = true;
    of.count += left.length;
    const withdrawn = units === undefined ? rejectedRows(of).filter(({ state }) => state === "withdrawn").length : 0;
    const reopened = statesOfOthers(of).filter(({ state }, index) => state === "open" && before[index]?.state === "corrected").length;
    return {
      isRecorded: true,
      reversed: left.length,
      alreadyReversed: accepted.length - left.length,
      superseded: new Set(hidden.map(({ handle }) => handle)).size,
      reopened,
      withdrawn,
    };
  }

  const statesOfOthers = (of: ModelImport) => imports.filter((each) => each !== of).flatMap(rejectedRows);

  function reverse(importId: string, units: readonly ModelUnit[] | undefined, includeCorrections: boolean): Answer {
    const chosen = { of: importOf(importId), units };
    const corrections = correctionsOf(chosen);
    const answer = reverseChosen(chosen, includeCorrections && corrections.length > 0);
    let { reopened } = answer;
    for (const correction of includeCorrections ? corrections : []) {
      const of = importOf(correction.importId);
      const meant = of.units.filter(({ rows }) => rows.some((row) => correction.ownRows.includes(row)));
      reopened += reverseChosen({ of, units: meant }).reopened;
    }
    const named = corrections.map((each) => ({ importId: each.importId, rows: each.rows.sort((one, other) => one - other) }));
    return { ...answer, reopened, corrections: named };
  }

  /** Does the work and undoes it. */
  function preview<Result>(work: () => Result): Result {
    const kept = imports.map(({ all, count, units }) => ({ all, count, reversed: units.map(({ reversed }) => reversed) }));
    const result = work();
    for (const [index, each] of imports.entries()) {
      each.all = kept[index]?.all ?? false;
      each.count = kept[index]?.count ?? 0;
      for (const [at, unit] of each.units.entries()) unit.reversed = kept[index]?.reversed[at] ?? false;
    }
    return result;
  }

  function shownReversed({ all, count, units }: ModelImport): { rows: number; all: boolean } | null {
    if (!all && count === 0) return null;
    return { rows: count, all: all || count === units.filter(({ accepted }) => accepted).length };
  }

  return {
    imports,
    importOf,
    push,
    dismiss: (name: RowName) => dismissed.add(keyOf(name)),
    reopen: (name: RowName) => dismissed.delete(keyOf(name)),
    reverse,
    preview,
    isReversed,
    isHeld,
    elementOf,
    stateOf,
    rejectedRows,
    shownShipments,
    countingActivities,
    totals,
    shownReversed,
  };
}
