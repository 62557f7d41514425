// Accepts a push: stores its file, reserves a place in the queue and appends ImportRequested. The API answers 202 after the event store has
// acknowledged the append. Everything before the append can be repeated without harm.
import { createHash } from "node:crypto";
import type { Logger } from "pino";
import { v7 } from "uuid";
import type { Principal } from "../../domain/principal.js";
import type { ImportKind, ImportRequested } from "../../events/importEvents.js";
import { StoreUnavailable, WrongVersion } from "../../portErrors.js";
import type { Stores } from "../../ports/database.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import { type Deadline, deadlineIn } from "../deadline.js";
import { logIdOf } from "../logIdentity.js";
import { decide, evolve, type ImportCommand, initialImportState, reusedKeyRejection } from "./importDecider.js";
import { handleImport, importOfKey, readImportRequest, unrequestedImport } from "./importStream.js";
import { cancelUnconfirmedPlace, confirmPlace, removeUnconfirmedPlace, reservePlace } from "./queue/places.js";
import { resolvePushAfter503 } from "./resolvePush.js";
import { importWithSameFile } from "./sameFile.js";
import { newUploadKey } from "./storedObjects.js";

export interface RequestImportDeps extends Stores {
  readonly objectStore: ObjectStore;
  readonly maxQueuedImports: number;
  readonly logger: Logger;
  /** Ends the retries that go on in the background after the answer. */
  readonly stopped?: AbortSignal | undefined;
}

export interface Submission {
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly source: "data" | "file";
  readonly sourceDetails: string;
  /** The checked file, on this machine's disk. */
  readonly file: { path: string; name: string; format: "csv" | "xlsx"; size: number; sha256: string };
  readonly elements?: number;
  readonly corrects?: ImportRequested["corrects"];
  readonly columns?: ImportRequested["columns"];
  readonly by: Principal;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  /** What the caller sent, if the service made the file from it. Identifies the push, since the rules for making the file may change. */
  readonly sent?: unknown;
  readonly now: Date;
  /** Checks the push against the organisation's current catalogue. Not called for a repeated push, which gets the first push's answer. */
  readonly check?: () => Promise<void>;
  /** How long all store calls together may take. */
  readonly withinMs?: number;
}

const contentTypes = { csv: "text/csv", xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" } as const;
const defaultPushMs = 4_500;
/** The queue and the append together may take at least this long, even after a large file was stored. */
const minQueueMs = 1_500;
/** With less time left, the append is not sent, since there is no time to wait for its answer. */
const minAppendMs = 200;
const maxMarkMs = 300;
const maxRemovalMs = 1_000;

/** Returns the recorded request: this push's, or the first push's if this one repeats its Idempotency-Key. */
export async function requestImport(deps: RequestImportDeps, submission: Submission): Promise<ImportRequested> {
  const deadline = deadlineIn(submission.withinMs ?? defaultPushMs);
  const { importId, earlier } = await deadline.within("event store", importIdFor(deps, submission));
  const logId = await deadline.within("event store", logIdOf(deps.eventStore));
  const command = commandOf(submission, importId, logId);
  if (earlier) return expectSamePush(earlier, command);
  await submission.check?.();
  const { request } = command;
  await deps.objectStore.put(request.file.key, submission.file.path, { contentType: contentTypes[submission.file.format] });
  const queueDeadline = deadlineIn(Math.max(minQueueMs, deadline.remainingMs()));
  const onLateResult = () => void resolvePushAfter503(deps, request);
  const reserving = reservePlace(deps.pool, request, deps.maxQueuedImports);
  await queueDeadline.within("database", reserving, onLateResult).catch(async (error: unknown) => {
    await removeUpload(deps, request); // nothing was appended, so no event refers to the file
    throw error;
  });
  // From here on the file stays, since an append of unknown outcome may have landed.
  return recordRequest(deps, command, queueDeadline);
}

async function removeUpload({ objectStore }: RequestImportDeps, { file }: ImportRequested): Promise<void> {
  await deadlineIn(maxRemovalMs)
    .within("object store", objectStore.remove(file.key))
    .catch(() => undefined);
}

async function recordRequest(deps: RequestImportDeps, requestCommand: RequestCommand, deadline: Deadline): Promise<ImportRequested> {
  const { request } = requestCommand;
  const { importId, organisationId, by } = request;
  const { pool, eventStore } = deps;
  const context = { organisation: organisationId, by, correlationId: request.requestId };
  try {
    const command = { ...requestCommand, request: { ...request, sameFileAs: await sameFileAs(deps, request, deadline) } };
    const withinMs = deadline.remainingMs();
    if (withinMs < minAppendMs) throw new StoreUnavailable("database", "The database answered too slowly, try again shortly");
    const { position = 0n } = await handleImport(eventStore, unrequestedImport(importId), command, context, { withinMs });
    const confirmation = deadline.within("database", confirmPlace(pool, command.request, position));
    await confirmation.catch(() => undefined); // if this fails, a worker confirms the place some seconds later
    return command.request;
  } catch (error) {
    if (error instanceof WrongVersion) {
      const earlier = await readImportRequest(eventStore, importId); // the same key, sent twice at the same moment
      if (earlier) {
        if (earlier.file.key !== request.file.key) await removeUpload(deps, request);
        return expectSamePush(earlier, requestCommand);
      }
    }
    await resolveLater(deps, request, error);
    throw error;
  }
}

async function sameFileAs(deps: RequestImportDeps, request: ImportRequested, deadline: Deadline): Promise<string | undefined> {
  const { importId, organisationId, kind, file, corrects, at } = request;
  const sought = { importId, organisationId, kind, sha256: file.sha256, now: new Date(at) };
  return corrects ? undefined : importWithSameFile(deps, sought, deadline);
}

/**
 * The push is about to be answered 503. Marks its place, so that a worker that finds the import in the event log cancels it, and starts the
 * background check of whether it was recorded.
 */
async function resolveLater(deps: RequestImportDeps, request: ImportRequested, error: unknown): Promise<void> {
  const { importId, idempotency } = request;
  const isOutcomeUnknown = error instanceof StoreUnavailable && error.outcomeUnknown;
  const markPlace = isOutcomeUnknown ? cancelUnconfirmedPlace : removeUnconfirmedPlace;
  // With an Idempotency-Key the place stays: another attempt may have reserved the same one.
  const marking = idempotency ? undefined : deadlineIn(maxMarkMs).within("database", markPlace(deps.pool, importId));
  await marking?.catch(() => undefined);
  void resolvePushAfter503(deps, request);
}

async function importIdFor({ eventStore }: RequestImportDeps, submission: Submission) {
  const { organisationId, idempotencyKey, now } = submission;
  if (idempotencyKey === undefined) return { importId: v7(), earlier: undefined };
  return importOfKey(eventStore, { organisationId, idempotencyKey, now });
}

type RequestCommand = Extract<ImportCommand, { type: "requestImport" }>;

/** Returns the earlier push if this one repeats it. Throws if the Idempotency-Key was used for a different push. */
function expectSamePush(earlier: ImportRequested, command: RequestCommand): ImportRequested {
  decide(command, evolve(initialImportState, { type: "ImportRequested", data: earlier }));
  return earlier;
}

type PushToCompare = Pick<Submission, "organisationId" | "kind" | "source" | "corrects" | "sent" | "idempotencyKey" | "now">;

/** The first push with this Idempotency-Key. Looked up before the file is made, since the rules for making files may have changed. */
export async function firstPushOf(eventStore: EventStore, push: PushToCompare): Promise<ImportRequested | undefined> {
  const { organisationId, idempotencyKey, now } = push;
  if (idempotencyKey === undefined) return undefined;
  const { earlier } = await importOfKey(eventStore, { organisationId, idempotencyKey, now });
  const body = earlier?.idempotency?.body;
  if (!body?.startsWith(sentHashPrefix)) return undefined; // no earlier push, or one that is identified by its file's hash
  if (body !== sentHash(push)) throw reusedKeyRejection();
  return earlier;
}

function commandOf(submission: Submission, importId: string, logId: string): RequestCommand {
  const { organisationId, kind, source, sourceDetails, elements, corrects, columns, by, requestId, idempotencyKey, now } = submission;
  const { path: _, ...file } = submission.file;
  // Earlier versions always hashed the file, even if the service had made it from what the caller sent.
  const earlierBody = fileHash(submission);
  const body = submission.sent === undefined ? earlierBody : sentHash(submission);
  const request = {
    importId,
    organisationId,
    kind,
    source,
    sourceDetails,
    file: { ...file, key: newUploadKey(organisationId, logId) },
    elements,
    corrects,
    columns,
    by,
    requestId,
    idempotency: idempotencyKey === undefined ? undefined : { key: sha256(idempotencyKey), body },
    at: now.toISOString(),
  };
  return { type: "requestImport", request, earlierBody };
}

const sentHashPrefix = "sent ";
const sentHash = ({ kind, source, corrects, sent }: Pick<Submission, "kind" | "source" | "corrects" | "sent">): string =>
  `${sentHashPrefix}${sha256(JSON.stringify({ kind, source, corrects: requestedCorrection(corrects), sent }))}`;

/** The part of `corrects` that the caller sent. The service looked up the rest. */
function requestedCorrection(corrects: Submission["corrects"]): Submission["corrects"] {
  if (!corrects) return undefined;
  const { push: _, ...rest } = corrects;
  return rest;
}

/** Two requests are the same if their route, content and reference are. Multipart boundaries and JSON spacing do not matter. */
function fileHash({ kind, source, sourceDetails, file, corrects, columns }: Submission): string {
  const parts: unknown[] = [kind, source, sourceDetails, source === "file" ? file.name : "", file.sha256];
  const { headings, fixed, dateOrder, decimal } = columns ?? {};
  if (corrects) parts.push(requestedCorrection(corrects));
  if (columns) parts.push({ headings, fixed, dateOrder, decimal });
  return sha256(JSON.stringify(parts));
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
