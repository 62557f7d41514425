// The rows that the page has, their changes, and which of them go together.
import type { Change, ClosedRow, Row, RowClosure, ServedRow, Verdict } from "./rows.js";

export const keyOf = (importId: string, row: number): string => `${importId} ${row}`;

export type Sheet = ReturnType<typeof createSheet>;

/** Where the rows' edits are kept (edits.ts). */
interface KeptEdits {
  readonly of: (key: string) => Readonly<Record<string, string>> | undefined;
  readonly keep: (rows: Iterable<Row>) => void;
}

export const cellValue = ({ served, changed }: Row, field: string): string => changed.get(field) ?? served.values[field] ?? "";

/** Whether it can be changed and sent. */
export const isOpen = ({ closure, sending }: Row): boolean => closure === undefined && !sending;

const shipmentField = "shipmentId";
const joinsClosed = ({ served, closure }: Row): Verdict => ({
  reason: `Row ${served.row} of this shipment is ${closure?.state}: ${closure?.state === "open again" ? "reload the page" : "use another Shipment ID"}`,
  faulty: [shipmentField],
});
const mostSteps = 100;

export const isReady = (group: readonly Row[]): boolean => group.every(({ verdict, closure }) => verdict === null && closure === undefined);

export function createSheet(kind: "shipments" | "activities", edits: KeptEdits) {
  const rows: Row[] = [];
  const byKey = new Map<string, Row>();
  /** Rows whose verdict is wanted. */
  const unjudged = new Set<Row>();
  /** By what rows have in common: the shipment they were pushed with, and the one they name now. */
  const shipments = new Map<string, Set<Row>>();
  const steps: Change[][] = [];
  const pushedWith = ({ served }: Row) => `${served.importId} with ${served.firstRow}`;
  const named = (row: Row) => {
    const id = cellValue(row, shipmentField).trim();
    return id === "" ? undefined : `${row.served.importId} named ${row.served.element ?? ""} ${id}`;
  };
  const join = (row: Row, group: string | undefined) => {
    if (group === undefined) return;
    const members = shipments.get(group) ?? new Set<Row>();
    shipments.set(group, members.add(row));
  };
  /** The rows that are judged and sent together with this one: the other lines of its shipment. */
  const together = (row: Row): Row[] => {
    if (kind === "activities") return [row];
    const [found, followed] = [new Set([row]), new Set<Set<Row>>()];
    for (const each of found)
      for (const group of [pushedWith(each), named(each)]) {
        const members = shipments.get(group ?? "");
        if (!members?.has(each) || followed.has(members)) continue;
        followed.add(members);
        for (const other of members) found.add(other);
      }
    return [...found];
  };
  const isChanged = ({ changed, closure }: Row) => changed.size > 0 && closure === undefined;
  const touched = (row: Row) => isChanged(row) || (kind === "shipments" && together(row).some(isChanged));
  const judgeGroup = (group: readonly Row[]) => {
    const isTouched = group.some(isChanged);
    // The lines of a shipment are sent together, so the open ones cannot be sent without a closed one.
    const closed = group.find(({ closure }) => closure !== undefined);
    for (const each of group) {
      each.version += 1;
      unjudged.delete(each);
      if (each.closure) continue;
      if (closed) each.verdict = joinsClosed(closed);
      else if (isTouched) {
        each.verdict = undefined;
        unjudged.add(each);
      } else each.verdict = each.served.verdictToday;
    }
  };
  /** Each shipment of these rows, and each activity, once. */
  const groups = (some: Iterable<Row>): Row[][] => {
    const seen = new Set<Row>();
    const found: Row[][] = [];
    for (const row of some) {
      if (seen.has(row)) continue;
      const group = together(row);
      for (const each of group) seen.add(each);
      found.push(group);
    }
    return found;
  };
  /** Shipments, and activities, that are changed or ticked and whose every row is ready to be submitted. */
  const ready = () => groups(rows).filter((group) => group.some(({ changed, ticked }) => changed.size > 0 || ticked) && isReady(group));
  const judgeAgain = (affected: Iterable<Row>) => groups(affected).forEach(judgeGroup);
  /** Takes the row out of the shipment that it names. Returns one of the rows that stay there, if it was in it and there are any. */
  const leave = (row: Row): Row[] => {
    const members = shipments.get(named(row) ?? "");
    if (!members?.delete(row)) return [];
    const [stays] = members;
    return stays ? [stays] : [];
  };
  /** Returns the rows whose shipments have changed. */
  const set = (row: Row, field: string, value: string): Row[] => {
    const left = field === shipmentField ? leave(row) : [];
    if (value === (row.served.values[field] ?? "")) row.changed.delete(field);
    else row.changed.set(field, value);
    if (field === shipmentField) join(row, named(row));
    return [row, ...left];
  };
  const sheet = {
    rows,
    byKey,
    unjudged,
    together,
    groups,
    ready,
    touched,
    add(served: readonly ServedRow[]): void {
      const changed: Row[] = [];
      for (const each of served) {
        const key = keyOf(each.importId, each.row);
        if (byKey.has(key)) continue;
        const kept = Object.entries(each.closure ? {} : (edits.of(key) ?? {})).filter(
          ([field, value]) => value !== (each.values[field] ?? ""),
        );
        const { verdictToday: verdict, closure } = each;
        const row: Row = { served: each, key, changed: new Map(kept), verdict, version: 0, closure, sending: false, ticked: false };
        rows.push(row);
        byKey.set(key, row);
        if (kept.length > 0) changed.push(row);
        if (kind === "shipments") for (const group of [pushedWith(row), named(row)]) join(row, group);
      }
      judgeAgain(changed);
      sheet.onChange();
    },
    /** Takes all rows out, for those of another reason. Their edits are kept. */
    clear(): void {
      rows.length = 0;
      steps.length = 0;
      for (const each of [byKey, unjudged, shipments]) each.clear();
      sheet.onChange();
    },
    /**
     * Changes cells, as one step that can be undone. Rows that another person has taken, or that are being sent, stay as they are. Returns how many
     * cells were left out.
     */
    change(changes: readonly Change[], remember = true): number {
      const possible = changes.filter(({ row }) => isOpen(row));
      const before = possible.map(({ row, field }) => ({ row, field, value: cellValue(row, field) }));
      const changed = possible.filter(({ value }, index) => value !== before[index]?.value);
      judgeAgain(changed.flatMap(({ row, field, value }) => set(row, field, value)));
      edits.keep(new Set(changed.map(({ row }) => row)));
      if (remember && changed.length > 0) {
        steps.push(before);
        if (steps.length > mostSteps) steps.shift();
      }
      sheet.onChange();
      return changes.length - possible.length;
    },
    undo(): boolean {
      const step = steps.pop();
      if (step) sheet.change(step, false);
      return step !== undefined;
    },
    /** Says who has each row; undefined where the row is open again. */
    setClosures(changes: Iterable<readonly [Row, RowClosure | undefined]>): void {
      const affected: Row[] = [];
      for (const [row, closure] of changes) {
        row.closure = closure;
        const hasMoved = row.changed.has(shipmentField);
        // Another person has sent the row with other values, so it does not belong to the shipment that is named here.
        const isAnothers = closure !== undefined && closure.by !== "you";
        affected.push(row, ...(hasMoved && isAnothers ? leave(row) : []));
        if (hasMoved && !isAnothers) join(row, named(row));
        if (closure) row.ticked = false;
        else if (row.changed.size > 0) edits.keep([row]); // its correction failed or was cancelled: the edits are kept again
      }
      judgeAgain(affected);
      sheet.onChange();
    },
    /** The same for rows of one import, as the server names them. */
    closeRowsOf(importId: string, closedRows: readonly ClosedRow[]): void {
      sheet.setClosures(
        closedRows.flatMap(({ row: number, ...closure }) => {
          const row = byKey.get(keyOf(importId, number));
          return row ? [[row, closure] as const] : [];
        }),
      );
    },
    judged(row: Row, verdict: Verdict | null): void {
      row.verdict = verdict;
      unjudged.delete(row);
      sheet.onChange();
    },
    /** Is called after every change, once for many. */
    onChange: (): void => undefined,
  };
  return sheet;
}
