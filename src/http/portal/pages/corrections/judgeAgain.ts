// Open rejected rows judged by the catalogue as it is now, and those that it accepts sent as corrections, unchanged.
import { createHash } from "node:crypto";
import { RowsClosed } from "../../../../commands/corrections/openRows.js";
import { countFreePlaces } from "../../../../commands/imports/queue/places.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import { type ImportKind, importKinds } from "../../../../events/importEvents.js";
import { groupItems } from "../../groupItems.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { sendCorrection } from "./sendCorrection.js";
import { type ShownRow, shownRows } from "./shownRows.js";

/** Where the judging of each kind begins; a kind without a place begins with the latest import. */
export type StartPlaces = Readonly<Partial<Record<ImportKind, string>>>;

export interface JudgedRows {
  readonly kind: ImportKind;
  readonly judged: readonly ShownRow[];
  /** Whole shipments, or activities, that would be accepted now. */
  readonly accepted: readonly (readonly ShownRow[])[];
  /** Where the next ones begin; null where all were judged. */
  readonly next: string | null;
}

const atOnce = 250;
/** Shipments or activities of each kind that one page judges. */
export const mostJudged = 1_000;

export const judgeOpenRows = async (visit: SignedInVisit, deps: PortalDeps, places: StartPlaces): Promise<JudgedRows[]> =>
  Promise.all(importKinds.map((kind) => judgeKind(visit, deps, kind, places[kind])));

async function judgeKind(visit: SignedInVisit, deps: PortalDeps, kind: ImportKind, from: string | undefined): Promise<JudgedRows> {
  const filter = { kind, state: "open", importId: undefined, reasonKey: undefined } as const;
  const judged: ShownRow[] = [];
  let next: string | null = from ?? null;
  for (let read = 0; read < mostJudged; read += atOnce) {
    const page = await shownRows(visit, filter, { limit: atOnce, cursor: next ?? undefined }, deps);
    judged.push(...page.items);
    next = page.nextCursor;
    if (next === null) break;
  }
  // The lines of a shipment are corrected together.
  const together = groupItems(judged, (row) => `${row.importId} ${row.with}`);
  return { kind, judged, accepted: [...together.values()].filter(isAccepted), next };
}

const isAccepted = (group: readonly ShownRow[]): boolean =>
  group.length <= limits.rowsPerCorrection && group.every(({ today }) => today === null);

export interface SubmissionResult {
  readonly rows: number;
  readonly imports: number;
  /** Rows that somebody else has taken meanwhile. */
  readonly taken: number;
  /** Rows that were not sent, and why. */
  readonly left: number;
  readonly because: string | undefined;
}

/** The most imports that one submission becomes, however many places are free in the queue. */
const mostImports = 20;

/** Judges again, since others may have changed something, and sends what is accepted: an import for each import, and for each 500 rows of it. */
export async function submitAccepted(visit: SignedInVisit, deps: PortalDeps, places: StartPlaces, key: string): Promise<SubmissionResult> {
  const found = await judgeOpenRows(visit, deps, places);
  const batches = found.flatMap(({ accepted }) => batchesOf(accepted));
  const free = await countFreePlaces(visit.person.organisationId, deps.limits.maxQueuedImports, deps.pool);
  const sendable = Math.max(1, Math.min(free, mostImports)); // with none free the queue's own refusal says what to do
  let [rows, imports, taken] = [0, 0, 0];
  const after = (index: number) => batches.slice(index).reduce((sum, batch) => sum + batch.rows.length, 0);
  for (const [index, batch] of batches.entries()) {
    if (index >= sendable) return { rows, imports, taken, left: after(index), because: "Check again when earlier imports have ended" };
    try {
      await visit.recheckAccess();
      const push = { rows: batch.rows.map((row) => ({ row, values: {} })) };
      await sendCorrection(visit, deps, { importId: batch.importId, push, idempotencyKey: keyOf(batch, key) });
      [rows, imports] = [rows + batch.rows.length, imports + 1];
    } catch (error) {
      if (error instanceof RowsClosed) taken += batch.rows.length;
      else if (error instanceof Rejection && imports > 0) return { rows, imports, taken, left: after(index), because: error.message };
      else throw error;
    }
  }
  return { rows, imports, taken, left: 0, because: undefined };
}

interface Batch {
  readonly importId: string;
  readonly rows: number[];
}

/** Rows of one import, whole shipments, as many as one correction takes. */
function batchesOf(groups: readonly (readonly ShownRow[])[]): Batch[] {
  const batches: Batch[] = [];
  for (const group of groups) {
    const importId = group[0]?.importId ?? "";
    const last = batches.findLast((batch) => batch.importId === importId);
    const numbers = group.map(({ row }) => row);
    if (last && last.rows.length + numbers.length <= limits.rowsPerCorrection) last.rows.push(...numbers);
    else batches.push({ importId, rows: numbers });
  }
  return batches;
}

/** `key` is the form's: sent again, it makes no second import of the same rows. */
const keyOf = ({ importId, rows }: Batch, key: string): string =>
  `judge-again-${createHash("sha256")
    .update(JSON.stringify([key, importId, rows]))
    .digest("hex")}`;
