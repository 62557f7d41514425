import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import { limits } from "../../domain/imports/limits.js";
import { correctedFile } from "../../domain/pushes/correctedFile.js";
import type { CorrectionPush } from "../../domain/pushes/importPushes.js";
import { Rejection } from "../../domain/rejection.js";
import { decimalMarkOf, type ImportKind, type ImportRequested } from "../../events/importEvents.js";
import { writeParts } from "../../judging/hashedFile.js";
import { rowsToCorrect } from "../../queries/lookUps/rejectedRows.js";
import { inTemporaryFile } from "../../temporaryFolder.js";
import { type Deadline, deadlineIn } from "../deadline.js";
import { firstPushOf, type RequestImportDeps, requestImport, type Submission } from "../imports/requestImport.js";
import {
  acceptedAmong,
  completedImport,
  expectWholeShipments,
  type ImportToCorrect,
  numberList,
  type PushedElements,
} from "./correctableRows.js";
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
  /** Is called with the size of the file before it is written to disk. */
  readonly reserveDisk?: ((bytes: number) => void) | undefined;
}

/**
 * Sends corrected rows as a new import, from the API and from the portal. A repeated push gets the first answer, also where its rows are no longer
 * open. The check of open rows only answers early: the importer claims the rows before it records any.
 */
export async function requestCorrection(deps: RequestCorrectionDeps, correction: Correction): Promise<ImportRequested> {
  const { organisationId, push, by, requestId, now, idempotencyKey } = correction;
  const deadline = deadlineIn(correction.withinMs);
  const rows = push.rows.map(({ row }) => row);
  const found = await deadline.within("event store", completedImport(deps, correction));
  const { kind } = found.request;
  const accepted = await deadline.within("database", acceptedAmong(deps.pool, found, rows));
  const decimal = decimalMarkOf(found.request);
  const corrects = {
    ...correctsOf(found, rows),
    ...(accepted.length > 0 && { accepted }),
    ...(push.reason !== undefined && { reason: push.reason }),
  };
  const asSent = { organisationId, kind, source: "data", corrects, sent: bodyToHash(push), idempotencyKey, now } as const;
  const first = await deadline.within("event store", firstPushOf(deps.eventStore, asSent));
  if (first) return first;
  expectReason(push, accepted);
  const pushedElements = kind === "shipments" ? await deadline.within("database", expectWholeShipments(deps.pool, found, rows)) : undefined;
  const earlier = await deadline.within("database", rowsToCorrect(found.position, rows, deps.pool));
  const { customFieldKeys } = await deps.catalogues(organisationId, correction.catalogueVersion);
  const sources = { kind, customFieldKeys, earlier, accepted: new Set(accepted), decimal, elements: pushedElements?.elements };
  const made = correctedFile(push, sources);
  correction.reserveDisk?.(made.bytes);
  return inTemporaryFile(deps.tempDir, async (path) => {
    const file = { path, ...(await writeParts(path, made.lines)) };
    return submitCorrection(deps, found, {
      ...asSent,
      corrects,
      pushedElements,
      by,
      requestId,
      elements: made.elements,
      file,
      deadline,
      sourceDetails: correctionName(found.request.sourceDetails),
    });
  });
}

/** What a correction of these rows records of them; numbers are read as those of the corrected import. */
export function correctsOf({ request }: ImportToCorrect, rows: readonly number[]): NonNullable<ImportRequested["corrects"]> {
  const decimal = decimalMarkOf(request);
  return { importId: request.importId, rows: [...rows], ...(decimal && { decimal }) };
}

interface PreparedCorrection extends Omit<Submission, "kind" | "source" | "file" | "check" | "corrects" | "withinMs"> {
  readonly corrects: NonNullable<ImportRequested["corrects"]>;
  /** The elements of the JSON push of shipments that the rows came from; undefined for a file. */
  readonly pushedElements: PushedElements;
  /** The corrected rows as the file that a JSON push would become. */
  readonly file: Pick<Submission["file"], "path" | "size" | "sha256">;
  /** Of all store calls together. */
  readonly deadline: Deadline;
}

/** Records a correction whose file is made. Refuses closed rows. */
export function submitCorrection(
  deps: RequestImportDeps,
  found: ImportToCorrect,
  { corrects, pushedElements, file, deadline, ...submission }: PreparedCorrection,
): Promise<ImportRequested> {
  const { kind } = found.request;
  return requestImport(deps, {
    ...submission,
    withinMs: deadline.leftMs(),
    kind,
    source: "data",
    corrects: { ...corrects, ...(pushedElements && { push: pushedElements }) },
    file: { ...file, name: `${kind}.csv`, format: "csv" },
    check: () => deadline.within("event store", expectOpen(deps, found, corrects.rows, corrects.accepted)),
  });
}

/** A correction of a correction is named after the first file: `Correction of a.csv`. */
export function correctionName(corrected: string): string {
  const name = corrected.trim().replace(/^(?:Correction of )+/, "");
  return [...`Correction of ${name || "an import without a reference"}`].slice(0, limits.sourceDetailsLength).join("");
}

function expectReason({ reason }: CorrectionPush, accepted: readonly number[]): void {
  if (reason !== undefined || accepted.length === 0) return;
  const fault = `reason is required, since ${accepted.length === 1 ? `row ${accepted[0]} was` : `rows ${numberList(accepted)} were`} accepted`;
  throw new Rejection("invalid", "The body is not as described", [fault]);
}

/** The values by their column's name: their order does not count. */
const bodyToHash = ({ rows }: CorrectionPush) =>
  rows.map(({ row, values }) => [row, Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))]);
