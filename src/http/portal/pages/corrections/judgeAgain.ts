// Open rejected rows judged by the catalogue as it is now, and those that it accepts sent as corrections, unchanged.
import { createHash } from "node:crypto";
import { RowsClosed } from "../../../../commands/corrections/openRows.js";
import { countFreePlaces } from "../../../../commands/imports/queue/places.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import { type ImportKind, importKinds } from "../../../../events/importEvents.js";
import { chunksOf } from "../../browser/corrections/rows.js";
import { groupItems } from "../../groupItems.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { sendCorrection } from "./sendCorrection.js";
import { type ShownRow, shownRows } from "./shownRows.js";

/** Where the judging of each kind begins; a kind without a place begins with the latest import. */
export type StartPlaces = Readonly<Partial<Record<ImportKind, string>>>;

const atOnce = 250;
/** Shipments or activities of each kind that one page judges. */
export const mostJudged = 1_000;

export const judgeOpenRows = async (visit: SignedInVisit, deps: PortalDeps, places: StartPlaces) =>
  Promise.all(importKinds.map((kind) => judgeKind(visit, deps, kind, places[kind])));

export type JudgedRows = Awaited<ReturnType<typeof judgeKind>>;

/** `accepted`: whole shipments, or activities, that would be accepted now. `next`: where the next ones begin; null where all were judged. */
async function judgeKind(visit: SignedInVisit, deps: PortalDeps, kind: ImportKind, from: string | undefined) {
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

/** The most imports that one submission becomes, however many places are free in the queue. */
const mostImports = 20;

export type SubmissionResult = Awaited<ReturnType<typeof submitAccepted>>;

/**
 * Judges again, since others may have changed something, and sends what is accepted: an import for each import, and for each 500 rows of it.
 * `taken`: rows that somebody else has taken meanwhile. `left`: rows that were not sent, `because` of that.
 */
export async function submitAccepted(visit: SignedInVisit, deps: PortalDeps, places: StartPlaces, key: string) {
  const found = await judgeOpenRows(visit, deps, places);
  const batches = found.flatMap(({ accepted }) => chunksOf(accepted, ({ importId }) => importId).map((groups) => groups.flat()));
  const free = await countFreePlaces(visit.person.organisationId, deps.limits.maxQueuedImports, deps.pool);
  const sendable = Math.max(1, Math.min(free, mostImports)); // with none free the queue's own refusal says what to do
  let [rows, imports, taken] = [0, 0, 0];
  for (const [index, batch] of batches.entries()) {
    const left = batches.slice(index).flat().length;
    if (index >= sendable) return { rows, imports, taken, left, because: "Check again when earlier imports have ended" };
    try {
      await visit.recheckAccess();
      const importId = batch[0]?.importId ?? "";
      const numbers = batch.map(({ row }) => row);
      const push = { rows: numbers.map((row) => ({ row, values: {} })) };
      await sendCorrection(visit, deps, { importId, push, idempotencyKey: keyOf(importId, numbers, key) });
      [rows, imports] = [rows + batch.length, imports + 1];
    } catch (error) {
      if (error instanceof RowsClosed) taken += batch.length;
      else if (error instanceof Rejection && imports > 0) return { rows, imports, taken, left, because: error.message };
      else throw error;
    }
  }
  return { rows, imports, taken, left: 0, because: undefined };
}

/** `key` is the form's: sent again, it makes no second import of the same rows. */
const keyOf = (importId: string, rows: readonly number[], key: string): string =>
  `judge-again-${createHash("sha256")
    .update(JSON.stringify([key, importId, rows]))
    .digest("hex")}`;
