// What the push routes and the correction routes share: headers, answers, and the steps from a checked file to a requested import.
import { rm } from "node:fs/promises";
import { z } from "zod";
import { acceptFile } from "../../../commands/imports/acceptFile.js";
import { rejectWhenFull } from "../../../commands/imports/queue/places.js";
import { requestImport, type Submission } from "../../../commands/imports/requestImport.js";
import { columnsOf } from "../../../domain/imports/fields.js";
import { limits } from "../../../domain/imports/limits.js";
import type { ImportKind, ImportRequested } from "../../../events/importEvents.js";
import { writeHashedFile } from "../../../judging/hashedFile.js";
import { inTemporaryFile } from "../../../temporaryFolder.js";
import { receiveUpload } from "../../server/receiveUpload.js";
import type { Answer } from "../../server/requestMiddleware.js";
import type { ApiDeps } from "../deps.js";
import { answerObject } from "../document/schemas.js";
import type { RouteRequest } from "../route.js";

export const pushHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, `must be 1 to ${limits.idempotencyKeyLength} printable characters without blanks`)
    .optional()
    .describe("Extension: the same key with the same body within 24 hours returns the first answer and makes no second import"),
});

const acceptedFields = {
  importId: z.string().describe("The import's id"),
  status: z.literal("queued").describe("It waits for its turn"),
  statusUrl: z.string().describe("Path of the import's status").meta({ format: "uri-reference" }),
};
const acceptedData = { ...acceptedFields, source: z.literal("data").describe("It came as JSON") };

const fileAccepted = answerObject("AcceptedFile", { ...acceptedFields, source: z.literal("file").describe("It came as a file") });
export const shipmentsAccepted = answerObject("AcceptedShipments", {
  ...acceptedData,
  shipmentsReceived: z.int().describe("Shipments in the push; `counts.received` counts their goods lines"),
});
export const activitiesAccepted = answerObject("AcceptedActivities", {
  ...acceptedData,
  activitiesReceived: z.int().describe("Activities in the push"),
});

/** So that a push is answered within five seconds of its last byte, even if a store does not answer. */
const maxAnswerMs = 4_200;

type PushRequest = Pick<RouteRequest<{ headers: typeof pushHeaders }>, "headers" | "caller">;

/** What an import records of the request that pushed it, and how long the command may take. */
export function contextOf({ headers, caller }: PushRequest) {
  const { organisationId, by, requestId, admissionMs } = caller;
  const withinMs = maxAnswerMs - admissionMs;
  return { organisationId, by, requestId, now: caller.now(), idempotencyKey: headers["idempotency-key"], withinMs };
}

export const pushDeps = (deps: ApiDeps) => ({ ...deps, maxQueuedImports: deps.limits.maxQueuedImports });

/** The `beforeBody` of all pushes: a push to a full queue is rejected before its body has arrived. */
export const requireQueueRoom = (request: PushRequest, deps: ApiDeps): Promise<void> => rejectWhenFull(pushDeps(deps), contextOf(request));

interface DataPush extends Pick<Submission, "kind" | "check"> {
  /** How many shipments or activities were pushed. */
  readonly elements: number;
  /** The lines of the CSV file. */
  readonly lines: Iterable<string>;
  /** The size of that file. */
  readonly bytes: number;
}

/** Writes a JSON push to a CSV file as the customer could have uploaded it, then stores and queues it. */
export async function acceptData(
  deps: ApiDeps,
  request: PushRequest & Pick<RouteRequest, "reserveDisk"> & { readonly body: { readonly sourceDetails?: string | undefined } },
  { lines, bytes, ...push }: DataPush,
): Promise<Answer> {
  request.reserveDisk(bytes);
  return inTemporaryFile(deps.tempDir, async (path) => {
    const file = { path, name: `${push.kind}.csv`, format: "csv", ...(await writeHashedFile(path, lines)) } as const;
    const sourceDetails = request.body.sourceDetails ?? "API push";
    return acceptedAnswer(await requestImport(pushDeps(deps), { ...push, ...contextOf(request), source: "data", sourceDetails, file }));
  });
}

const receivedField: Record<ImportKind, string> = { shipments: "shipmentsReceived", activities: "activitiesReceived" };
const statusPath: Record<ImportKind, string> = { shipments: "/v1/org/shipments/imports", activities: "/v1/org/fulfilment/imports" };

export function acceptedAnswer({ importId, kind, source, elements }: ImportRequested): Answer {
  const body = {
    importId,
    status: "queued",
    source,
    ...(elements === undefined ? {} : { [receivedField[kind]]: elements }),
    statusUrl: `${statusPath[kind]}/${importId}`,
  };
  return { status: 202, body };
}

export const uploadFormSchema = z.strictObject({
  file: z.string().meta({
    format: "binary",
    description: "The .csv or .xlsx file, at most 50 MB (52,428,800 bytes) and not empty; its first row is the header row",
  }),
  sourceDetails: z
    .string()
    .max(limits.sourceDetailsLength)
    .optional()
    .describe("Your reference for this upload. The file's name by default"),
});

/** The answers of both upload routes. */
export const uploadResponses = {
  202: { description: "Queued", schema: fileAccepted },
  400: {
    description: "The file is missing, empty, unreadable, of another type, its header row does not match, or too many imports are queued",
  },
  408: { description: "The upload stalled: nothing arrived for 30 seconds" },
  413: { description: "The file is larger than 50 MB" },
  422: { description: "The Idempotency-Key was used for another request" },
} as const;

/** The columns of the header row, for the API reference. */
export function describeColumns(kind: ImportKind): string {
  const names = (isRequired: boolean) => columnsOf(kind).flatMap(({ name, required }) => (Boolean(required) === isRequired ? [name] : []));
  const custom = kind === "shipments" ? ", and custom fields by their key" : "";
  return `Required columns: ${names(true).join(", ")}. Optional: ${names(false).join(", ")}${custom}.`;
}

/** Receives the upload on disk, checks its header row, then stores and queues it. */
export async function acceptUpload(
  deps: ApiDeps,
  kind: ImportKind,
  request: PushRequest & Pick<RouteRequest, "incoming" | "recheckAccess">,
): Promise<Answer> {
  const { incoming, recheckAccess, caller } = request;
  if (!incoming) throw new Error("an upload needs a socket");
  const { folder, sourceDetails, fields: _, ...file } = await receiveUpload(incoming, deps.tempDir, { recheckAccess });
  try {
    const { catalogueVersion } = caller;
    return acceptedAnswer(await acceptFile(pushDeps(deps), { ...contextOf(request), kind, catalogueVersion, sourceDetails, file }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
