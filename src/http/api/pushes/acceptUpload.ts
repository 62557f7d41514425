import { rm } from "node:fs/promises";
import { z } from "zod";
import { acceptFile } from "../../../commands/imports/acceptFile.js";
import { columnsOf } from "../../../domain/imports/fields.js";
import { limits } from "../../../domain/imports/limits.js";
import type { ImportKind } from "../../../events/importEvents.js";
import type { Answer } from "../../server/answer.js";
import { receiveUpload } from "../../server/receiveUpload.js";
import type { ApiDeps } from "../deps.js";
import type { RouteRequest } from "../route.js";
import { accepted, acceptedFile, type pushHeaders, withinMs } from "./acceptPush.js";

export const uploadForm = z.strictObject({
  file: z.string().meta({
    format: "binary",
    description: "The .csv or .xlsx file, at most 50 MB (52,428,800 bytes) and not empty; its first row is the header row",
  }),
  sourceDetails: z
    .string()
    .max(limits.sourceDetailsLength)
    .optional()
    .describe("Your reference for this upload; the file's name when left out or empty"),
});

/** The answers of both upload routes. */
export const uploadResponses = {
  202: { description: "Queued", schema: acceptedFile },
  400: {
    description: "The file is missing, empty, unreadable, of another type, its header row does not match, or too many imports are queued",
  },
  408: { description: "The upload stalled: nothing arrived for 30 seconds" },
  413: { description: "The file is larger than 50 MB" },
  422: { description: "The Idempotency-Key was used for another request" },
} as const;

/** The columns of the header row, for the API reference. */
export function describeColumns(kind: ImportKind): string {
  const named = (isRequired: boolean) => columnsOf(kind).flatMap(({ name, required }) => (Boolean(required) === isRequired ? [name] : []));
  const custom = kind === "shipments" ? ", and custom fields by their key" : "";
  return `Required columns: ${named(true).join(", ")}. Optional: ${named(false).join(", ")}${custom}.`;
}

type UploadRequest = Pick<RouteRequest<{ headers: typeof pushHeaders }>, "headers" | "caller" | "incoming" | "stillAllowed">;

/** Writes the upload to disk, checks its header row, then stores and queues it. */
export async function acceptUpload(
  deps: ApiDeps,
  kind: ImportKind,
  { headers, caller, incoming, stillAllowed }: UploadRequest,
): Promise<Answer> {
  if (!incoming) throw new Error("an upload needs a socket");
  const { folder, sourceDetails, fields: _, ...file } = await receiveUpload(incoming, deps.tempDir, { stillAllowed });
  const { organisationId, by, requestId, now, catalogueVersion, admissionMs } = caller;
  try {
    const request = await acceptFile(
      { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
      {
        ...{ organisationId, kind, by, requestId, now, catalogueVersion, sourceDetails, file },
        idempotencyKey: headers["idempotency-key"],
        withinMs: withinMs - admissionMs,
      },
    );
    return accepted(request);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
