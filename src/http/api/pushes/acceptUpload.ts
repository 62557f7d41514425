import { rm } from "node:fs/promises";
import { z } from "zod";
import { matchImportHeader } from "../../../domain/files/importHeader.js";
import { nameFault } from "../../../domain/files/name.js";
import { columnsOf } from "../../../domain/imports/fields.js";
import { Rejection } from "../../../domain/rejection.js";
import type { ImportKind } from "../../../events/importEvents.js";
import type { FileHeader } from "../../../ports.js";
import type { Answer } from "../../server/answer.js";
import { receiveUpload, type Upload } from "../../server/receiveUpload.js";
import type { ApiDeps } from "../deps.js";
import type { RouteRequest } from "../route.js";
import { acceptPush, type pushHeaders } from "./acceptPush.js";
import { readUploadHeader } from "./readUploadHeader.js";

export const uploadForm = z.object({
  file: z
    .string()
    .meta({ format: "binary", description: "The .csv or .xlsx file, at most 50 MB (52,428,800 bytes); its first row is the header row" }),
  sourceDetails: z.string().optional().describe("Your reference for this upload; the file's name when left out"),
});

/** The columns of the header row, for the API reference. */
export function describeColumns(kind: ImportKind): string {
  const named = (isRequired: boolean) => columnsOf(kind).flatMap(({ name, required }) => (Boolean(required) === isRequired ? [name] : []));
  const custom = kind === "shipments" ? ", and custom fields by their key" : "";
  return `Required columns: ${named(true).join(", ")}. Optional: ${named(false).join(", ")}${custom}.`;
}

type UploadRequest = Pick<RouteRequest<{ headers: typeof pushHeaders }>, "headers" | "caller" | "incoming">;

/** Writes the upload to disk, checks its header row, then stores and queues it. */
export async function acceptUpload(deps: ApiDeps, kind: ImportKind, { headers, caller, incoming }: UploadRequest): Promise<Answer> {
  if (!incoming) throw new Error("an upload needs a socket");
  const upload = await receiveUpload(incoming, deps.tempDir);
  try {
    const { columns, format } = await readHeader(deps, caller.organisationId, upload);
    const { path, name, size, sha256, sourceDetails } = upload;
    return await acceptPush(deps, caller, {
      kind,
      source: "file",
      sourceDetails,
      file: { path, name, format, size, sha256 },
      idempotencyKey: headers["idempotency-key"],
      check: () => checkColumns(deps, kind, columns, caller),
    });
  } finally {
    await rm(upload.folder, { recursive: true, force: true });
  }
}

async function readHeader(deps: ApiDeps, organisationId: string, upload: Upload): Promise<FileHeader> {
  const header = await readUploadHeader(deps, organisationId, upload);
  const fault = nameFault(upload.name, header.format);
  if (fault) throw new Rejection("invalid", fault);
  return header;
}

async function checkColumns(
  deps: ApiDeps,
  kind: ImportKind,
  columns: FileHeader["columns"],
  caller: UploadRequest["caller"],
): Promise<void> {
  const catalogue = await deps.catalogues(caller.organisationId, caller.catalogueVersion);
  const match = matchImportHeader(columns, { kind, source: "file", customFieldKeys: catalogue.customFieldKeys });
  if (!match.ok) throw new Rejection("invalid", match.message);
}
