import { join } from "node:path";
import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import { limits } from "../../domain/imports/limits.js";
import { correctedFile, type SentValues } from "../../domain/pushes/correctedFile.js";
import type { CorrectionPush } from "../../domain/pushes/importPushes.js";
import { Rejection } from "../../domain/rejection.js";
import { decimalOf, type ImportKind, type ImportRequested } from "../../events/importEvents.js";
import { writeLines } from "../../judging/writeLines.js";
import { inTemporaryFolder } from "../../temporaryFolder.js";
import { deadlineIn } from "../deadline.js";
import { firstPushOf, type RequestImportDeps, requestImport, type Submission } from "../imports/requestImport.js";
import { acceptedAmong, completedImport, expectWholeShipments, someNumbers } from "./correctableRows.js";
import { expectOpen } from "./openRows.js";

export interface RequestCorrectionDeps extends RequestImportDeps {
  readonly catalogues: (organisationId: string, version: number) => Promise<Catalogue>;
  /** Folder for the file until it is in the object store. */
  readonly tempDir: string;
}

export interface Correction extends Pick<Submission, "organisationId" | "by" | "requestId" | "idempotencyKey" | "now"> {
  /** The import whose rows are corrected: rejected ones, and accepted activities. */
  readonly importId: string;
  /** Undefined where any kind will do. */
  readonly kind?: ImportKind | undefined;
  readonly push: CorrectionPush;
  readonly catalogueVersion: number;
  readonly withinMs: number;
  /** The values that were sent for these rows, or recorded for accepted ones. */
  readonly sent: (kind: ImportKind, rows: readonly number[]) => Promise<ReadonlyMap<number, SentValues>>;
  /** Is called with the size of the file before it is made. */
  readonly hold?: ((bytes: number) => void) | undefined;
}

/**
 * Sends corrected rows as a new import, from the API and from the portal. Whether the rows can be corrected is not checked for a repeated push.
 * The importer claims the rows before it records one, so nothing depends on the check here.
 */
export async function requestCorrection(deps: RequestCorrectionDeps, correction: Correction): Promise<ImportRequested> {
  const { organisationId, importId, push, by, requestId, now, idempotencyKey } = correction;
  const deadline = deadlineIn(correction.withinMs);
  const rows = push.rows.map(({ row }) => row);
  const found = await deadline.within("event store", completedImport(deps, correction));
  const { kind } = found.request;
  const accepted = await deadline.within("database", acceptedAmong(deps.pool, found, rows));
  const decimal = decimalOf(found.request);
  const corrects = {
    ...{ importId, rows },
    ...(accepted.length > 0 && { accepted }),
    ...(push.reason !== undefined && { reason: push.reason }),
    ...(decimal && { decimal }),
  };
  const asSent = { organisationId, kind, source: "data", corrects, sent: sentBody(push), idempotencyKey, now } as const;
  const first = await deadline.within("event store", firstPushOf(deps.eventStore, asSent));
  if (first) return first;
  expectReason(push, accepted);
  const pushed = kind === "shipments" ? await deadline.within("database", expectWholeShipments(deps.pool, found, rows)) : undefined;
  const sent = await deadline.within("database", correction.sent(kind, rows));
  const { customFieldKeys } = await deps.catalogues(organisationId, correction.catalogueVersion);
  const recorded = new Set(accepted);
  const known = { sentFor: (row: number) => sent.get(row) ?? null, isAccepted: (row: number) => recorded.has(row) };
  const made = correctedFile(push, { kind, customFieldKeys, ...known, decimal, elements: pushed?.elements });
  correction.hold?.(made.bytes);
  return inTemporaryFolder(deps.tempDir, "push-", async (folder) => {
    const path = join(folder, "file");
    const file = { path, ...(await writeLines(path, made.lines)), name: `${kind}.csv`, format: "csv" } as const;
    return requestImport(deps, {
      ...asSent,
      corrects: { ...corrects, ...(pushed && { push: pushed }) },
      by,
      requestId,
      elements: made.elements,
      sourceDetails: correctionName(found.request.sourceDetails),
      file,
      check: () => deadline.within("event store", expectOpen(deps, found, rows, accepted)),
      withinMs: correction.withinMs,
    });
  });
}

/** Named after what is corrected first: the correction of a correction has the name of the first file too. */
export function correctionName(corrected: string): string {
  const name = corrected.trim().replace(/^(?:Correction of )+/, "");
  return [...`Correction of ${name || "an import without a reference"}`].slice(0, limits.sourceDetailsLength).join("");
}

function expectReason({ reason }: CorrectionPush, accepted: readonly number[]): void {
  if (reason !== undefined || accepted.length === 0) return;
  const fault = `reason is required, since ${accepted.length === 1 ? `row ${accepted[0]} was` : `rows ${someNumbers(accepted)} were`} accepted`;
  throw new Rejection("invalid", "The body is not as described", [fault]);
}

/** The values by their column's name: their order does not count. */
const sentBody = ({ rows }: CorrectionPush) =>
  rows.map(({ row, values }) => [row, Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))]);
