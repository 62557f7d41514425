// The rows that the page has loaded, their changes, and the groups that are judged and submitted together: the lines of a shipment.
import type { Change, ClosedRow, GridRow, RowClosure, ServedRow, Verdict } from "./rows.js";

export const keyOf = (importId: string, row: number): string => `${importId} ${row}`;

export type Sheet = ReturnType<typeof createSheet>;

/** Stores the rows' edits in the browser (edits.ts). */
interface EditStore {
  readonly get: (key: string) => Readonly<Record<string, string>> | undefined;
  readonly keep: (rows: Iterable<GridRow>) => void;
}

export const cellValue = ({ served, changed }: GridRow, field: string): string => changed.get(field) ?? served.values[field] ?? "";

/** Whether the row can be changed and submitted. */
export const isOpen = ({ closure, sending }: GridRow): boolean => closure === undefined && !sending;

const shipmentField = "shipmentId";
const closedLineVerdict = ({ served, closure }: GridRow): Verdict => ({
  reason: `Row ${served.row} of this shipment is ${closure?.state}: ${closure?.state === "open again" ? "reload the page" : "use another Shipment ID"}`,
  faulty: [shipmentField],
});
const maxUndoSteps = 100;

export const isReady = (group: readonly GridRow[]): boolean =>
  group.every(({ verdict, closure }) => verdict === null && closure === undefined);

export function createSheet(kind: "shipments" | "activities", edits: EditStore) {
  const rows: GridRow[] = [];
  const byKey = new Map<string, GridRow>();
  const unjudged = new Set<GridRow>();
  /** The rows of each shipment: by the shipment that they were pushed with, and by the shipment id that they have now. */
  const shipments = new Map<string, Set<GridRow>>();
  const undoSteps: Change[][] = [];
  const pushedShipment = ({ served }: GridRow) => `${served.importId} with ${served.firstRow}`;
  const namedShipment = (row: GridRow) => {
    const id = cellValue(row, shipmentField).trim();
    return id === "" ? undefined : `${row.served.importId} named ${row.served.element ?? ""} ${id}`;
  };
  const join = (row: GridRow, group: string | undefined) => {
    if (group === undefined) return;
    const members = shipments.get(group) ?? new Set<GridRow>();
    shipments.set(group, members.add(row));
  };
  /** The rows that are judged and submitted together: the lines of the row's shipment, or an activity alone. */
  const groupOf = (row: GridRow): GridRow[] => {
    if (kind === "activities") return [row];
    const [lines, followed] = [new Set([row]), new Set<Set<GridRow>>()];
    for (const each of lines)
      for (const group of [pushedShipment(each), namedShipment(each)]) {
        const members = shipments.get(group ?? "");
        if (!members?.has(each) || followed.has(members)) continue;
        followed.add(members);
        for (const other of members) lines.add(other);
      }
    return [...lines];
  };
  const isChanged = ({ changed, closure }: GridRow) => changed.size > 0 && closure === undefined;
  const isTouched = (row: GridRow) => isChanged(row) || (kind === "shipments" && groupOf(row).some(isChanged));
  /** Sets the verdicts of a group anew after a change, and marks the rows that the server must judge. */
  const resetGroup = (group: readonly GridRow[]) => {
    const isGroupChanged = group.some(isChanged);
    // The lines of a shipment are sent together, so none of them can be sent when one of them is closed.
    const closed = group.find(({ closure }) => closure !== undefined);
    for (const each of group) {
      each.version += 1;
      unjudged.delete(each);
      if (each.closure) continue;
      if (closed) each.verdict = closedLineVerdict(closed);
      else if (isGroupChanged) {
        each.verdict = undefined;
        unjudged.add(each);
      } else each.verdict = each.served.verdictToday;
    }
  };
  /** The groups of these rows, without repetitions. */
  const groupsOf = (ofRows: Iterable<GridRow>): GridRow[][] => {
    const seen = new Set<GridRow>();
    const distinct: GridRow[][] = [];
    for (const row of ofRows) {
      if (seen.has(row)) continue;
      const group = groupOf(row);
      for (const each of group) seen.add(each);
      distinct.push(group);
    }
    return distinct;
  };
  /** The groups with a changed or ticked row, if all their rows can be submitted. */
  const readyGroups = () => groupsOf(rows).filter((group) => group.some((row) => isChanged(row) || row.ticked) && isReady(group));
  const resetVerdicts = (affected: Iterable<GridRow>) => groupsOf(affected).forEach(resetGroup);
  /** Removes the row from the shipment that it names. Returns one of the shipment's other rows, if there are any. */
  const leave = (row: GridRow): GridRow[] => {
    const members = shipments.get(namedShipment(row) ?? "");
    if (!members?.delete(row)) return [];
    const [remaining] = members;
    return remaining ? [remaining] : [];
  };
  /** Changes a cell. Returns rows whose shipments have changed. */
  const set = (row: GridRow, field: string, value: string): GridRow[] => {
    const remaining = field === shipmentField ? leave(row) : [];
    if (value === (row.served.values[field] ?? "")) row.changed.delete(field);
    else row.changed.set(field, value);
    if (field === shipmentField) join(row, namedShipment(row));
    return [row, ...remaining];
  };
  const sheet = {
    rows,
    byKey,
    unjudged,
    groupOf,
    groupsOf,
    readyGroups,
    isTouched,
    add(served: readonly ServedRow[]): void {
      const changed: GridRow[] = [];
      for (const each of served) {
        const key = keyOf(each.importId, each.row);
        if (byKey.has(key)) continue;
        const entries = Object.entries(each.closure ? {} : (edits.get(key) ?? {})).filter(
          ([field, value]) => value !== (each.values[field] ?? ""),
        );
        const { verdictToday: verdict, closure } = each;
        const row: GridRow = { served: each, key, changed: new Map(entries), verdict, version: 0, closure, sending: false, ticked: false };
        rows.push(row);
        byKey.set(key, row);
        if (entries.length > 0) changed.push(row);
        if (kind === "shipments") for (const group of [pushedShipment(row), namedShipment(row)]) join(row, group);
      }
      resetVerdicts(changed);
      sheet.onChange();
    },
    /** Removes all rows, before those of another reason are loaded. Their stored edits stay. */
    clear(): void {
      rows.length = 0;
      undoSteps.length = 0;
      for (const each of [byKey, unjudged, shipments]) each.clear();
      sheet.onChange();
    },
    /** Changes cells, as one step that can be undone. Skips rows that are closed or being submitted. Returns how many cells it skipped. */
    change(changes: readonly Change[], isUndoable = true): number {
      const possible = changes.filter(({ row }) => isOpen(row));
      const previousValues = possible.map(({ row, field }) => ({ row, field, value: cellValue(row, field) }));
      const changed = possible.filter(({ value }, index) => value !== previousValues[index]?.value);
      resetVerdicts(changed.flatMap(({ row, field, value }) => set(row, field, value)));
      edits.keep(new Set(changed.map(({ row }) => row)));
      if (isUndoable && changed.length > 0) {
        undoSteps.push(previousValues);
        if (undoSteps.length > maxUndoSteps) undoSteps.shift();
      }
      sheet.onChange();
      return changes.length - possible.length;
    },
    undo(): boolean {
      const step = undoSteps.pop();
      if (step) sheet.change(step, false);
      return step !== undefined;
    },
    /** Sets the closures of rows. An undefined closure opens the row again. */
    setClosures(changes: Iterable<readonly [GridRow, RowClosure | undefined]>): void {
      const affected: GridRow[] = [];
      for (const [row, closure] of changes) {
        row.closure = closure;
        const hasMoved = row.changed.has(shipmentField);
        // Another person has submitted the row with other values, so it does not belong to the shipment that it names here.
        const isAnothers = closure !== undefined && closure.by !== "you";
        affected.push(row, ...(hasMoved && isAnothers ? leave(row) : []));
        if (hasMoved && !isAnothers) join(row, namedShipment(row));
        if (closure) row.ticked = false;
        else if (row.changed.size > 0) edits.keep([row]); // its correction failed or was cancelled: the edits are stored again
      }
      resetVerdicts(affected);
      sheet.onChange();
    },
    /** Sets the closures that the server has sent for rows of one import. */
    closeRowsOf(importId: string, closedRows: readonly ClosedRow[]): void {
      sheet.setClosures(
        closedRows.flatMap(({ row: number, ...closure }) => {
          const row = byKey.get(keyOf(importId, number));
          return row ? [[row, closure] as const] : [];
        }),
      );
    },
    setVerdict(row: GridRow, verdict: Verdict | null): void {
      row.verdict = verdict;
      unjudged.delete(row);
      sheet.onChange();
    },
    /** Called after every change, once for a change of many rows. */
    onChange: (): void => undefined,
  };
  return sheet;
}
