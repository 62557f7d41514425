import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import { limits } from "../../domain/imports/limits.js";
import { correctedFile } from "../../domain/pushes/correctedFile.js";
import type { CorrectionPush } from "../../domain/pushes/importPushes.js";
import { Rejection } from "../../domain/rejection.js";
import { decimalMarkOf, type ImportKind, type ImportRequested } from "../../events/importEvents.js";
import { writeHashedFile } from "../../judging/hashedFile.js";
import { rowsToCorrect } from "../../queries/lookUps/rejectedRows.js";
import { inTemporaryFile } from "../../temporaryFolder.js";
import { type Deadline, deadlineIn } from "../deadline.js";
import { firstPushOf, type RequestImportDeps, requestImport, type Submission } from "../imports/requestImport.js";
import {
  acceptedRowsAmong,
  expectWholeShipments,
  type ImportToCorrect,
  loadImportToCorrect,
  numberList,
  type PushedElements,
} from "./correctableRows.js";
import { expectOpen } from "./openRows.js";

export interface RequestCorrectionDeps extends RequestImportDeps {
  readonly catalogues: (organisationId: string, version: number) => Promise<Catalogue>;
  /** The folder that holds the file until it is in the object store. */
  readonly tempDir: string;
}

export interface Correction extends Pick<Submission, "organisationId" | "by" | "requestId" | "idempotencyKey" | "now"> {
  /** The import whose rows are corrected: rejected ones, and accepted activities. */
  readonly importId: string;
  /** Undefined to accept an import of either kind. */
  readonly kind?: ImportKind | undefined;
  readonly push: CorrectionPush;
  readonly catalogueVersion: number;
  readonly withinMs: number;
  /** Called with the file's size before the file is written to disk. Throws if there is no room. */
  readonly reserveDisk?: ((bytes: number) => void) | undefined;
}

/**
 * Sends corrected rows as a new import, from the API and from the portal. A repeated push gets the first push's answer, even if its rows
 * are no longer open. The check of open rows only gives an early answer: the worker claims the rows before it records any.
 */
export async function requestCorrection(deps: RequestCorrectionDeps, correction: Correction): Promise<ImportRequested> {
  const { organisationId, push, by, requestId, now, idempotencyKey } = correction;
  const deadline = deadlineIn(correction.withinMs);
  const rows = push.rows.map(({ row }) => row);
  const original = await deadline.within("event store", loadImportToCorrect(deps, correction));
  const { kind } = original.request;
  const accepted = await deadline.within("database", acceptedRowsAmong(deps.pool, original, rows));
  const decimal = decimalMarkOf(original.request);
  const corrects = {
    ...correctsOf(original, rows),
    ...(accepted.length > 0 && { accepted }),
    ...(push.reason !== undefined && { reason: push.reason }),
  };
  const pushIdentity = { organisationId, kind, source: "data", corrects, sent: bodyToHash(push), idempotencyKey, now } as const;
  const firstPush = await deadline.within("event store", firstPushOf(deps.eventStore, pushIdentity));
  if (firstPush) return firstPush;
  expectReason(push, accepted);
  const pushedElements =
    kind === "shipments" ? await deadline.within("database", expectWholeShipments(deps.pool, original, rows)) : undefined;
  const sentValues = await deadline.within("database", rowsToCorrect(original.position, rows, deps.pool));
  const { customFieldKeys } = await deps.catalogues(organisationId, correction.catalogueVersion);
  const sources = { kind, customFieldKeys, sentValues, acceptedRows: new Set(accepted), decimal, elements: pushedElements?.elements };
  const content = correctedFile(push, sources);
  correction.reserveDisk?.(content.bytes);
  return inTemporaryFile(deps.tempDir, async (path) => {
    const file = { path, ...(await writeHashedFile(path, content.lines)) };
    return submitCorrection(deps, original, {
      ...pushIdentity,
      corrects,
      pushedElements,
      by,
      requestId,
      elements: content.elements,
      file,
      deadline,
      sourceDetails: correctionName(original.request.sourceDetails),
    });
  });
}

/** The `corrects` of a correction of these rows. The worker reads their numbers with the decimal mark of the corrected import. */
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
  /** For all store calls together. */
  readonly deadline: Deadline;
}

/** Pushes a correction whose file is already written. Throws RowsClosed if one of its rows is not open. */
export function submitCorrection(
  deps: RequestImportDeps,
  original: ImportToCorrect,
  { corrects, pushedElements, file, deadline, ...submission }: PreparedCorrection,
): Promise<ImportRequested> {
  const { kind } = original.request;
  return requestImport(deps, {
    ...submission,
    withinMs: deadline.remainingMs(),
    kind,
    source: "data",
    corrects: { ...corrects, ...(pushedElements && { push: pushedElements }) },
    file: { ...file, name: `${kind}.csv`, format: "csv" },
    check: () => deadline.within("event store", expectOpen(deps, original, corrects.rows, corrects.accepted)),
  });
}

/** For example `Correction of a.csv`. A correction of that correction gets the same name. */
export function correctionName(corrected: string): string {
  const name = corrected.trim().replace(/^(?:Correction of )+/, "");
  return [...`Correction of ${name || "an import without a reference"}`].slice(0, limits.sourceDetailsLength).join("");
}

function expectReason({ reason }: CorrectionPush, accepted: readonly number[]): void {
  if (reason !== undefined || accepted.length === 0) return;
  const fault = `reason is required, since ${accepted.length === 1 ? `row ${accepted[0]} was` : `rows ${numberList(accepted)} were`} accepted`;
  throw new Rejection("invalid", "The body is not as described", [fault]);
}

/** Sorts the values by column name, so that their order does not change the hash. */
const bodyToHash = ({ rows }: CorrectionPush) =>
  rows.map(({ row, values }) => [row, Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))]);
