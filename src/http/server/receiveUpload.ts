// Writes a multipart upload to a file in a temporary folder, hashes and counts its bytes on the way, and never has it in memory as a whole.
// Removes the folder on an error; otherwise the caller removes it.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { basename, join } from "node:path";
import { Transform, type Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { isLongerThan, limits } from "../../domain/imports/limits.js";
import { Rejection } from "../../domain/rejection.js";
import { isStorable } from "../../domain/rows/cells.js";
import { Problem } from "./problem.js";
import type { RecheckAccess } from "./readBody.js";

export interface Upload {
  readonly folder: string;
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  /** The file's name if the form has no other text. */
  readonly sourceDetails: string;
  /** By name: the values of the fields in `UploadForm.fields` that were sent. */
  readonly fields: ReadonlyMap<string, string>;
}

export interface UploadForm {
  readonly recheckAccess: RecheckAccess;
  /** Names of fields besides `file` and `sourceDetails`. */
  readonly fields?: readonly string[];
  /** Called with the fields that precede the file in the form. It throws to refuse the file. */
  readonly beforeFile?: (fields: ReadonlyMap<string, string>) => void;
  /** How long no byte may arrive before the upload is answered 408. */
  readonly idleMs?: number;
}

const tooLarge = () => new Rejection("tooLarge", "The file is larger than 50 MB (52,428,800 bytes). Split it and upload the parts.");
const stalledUpload = (idleMs: number) =>
  new Problem("requestTimeout", `The upload stalled: no bytes arrived for ${idleMs / 1000} seconds. Send it again`, {
    headers: { connection: "close" },
  });
/** How many bytes a form may have besides its file: boundaries, part headers and the other fields. */
const maxEnvelopeBytes = 65_536;
const maxNameLength = 255;

export async function receiveUpload(incoming: IncomingMessage, tempDir: string, form: UploadForm): Promise<Upload> {
  if (!/^multipart\/form-data\s*;/i.test(incoming.headers["content-type"] ?? "")) {
    throw new Rejection("invalid", "file is required: send the form as multipart/form-data with the file in the field named file");
  }
  if (Number(incoming.headers["content-length"] ?? 0) > limits.fileBytes + maxEnvelopeBytes) throw tooLarge();
  const folder = await mkdtemp(join(tempDir, "upload-"));
  try {
    const { file, sourceDetails, fields } = await readForm(incoming, join(folder, "file"), form);
    if (!file) throw new Rejection("invalid", "file is required: send it in the form field named file");
    if (file.size === 0) throw new Rejection("invalid", "The file is empty.");
    await form.recheckAccess();
    return { folder, ...file, sourceDetails: sourceDetails || file.name, fields };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

interface FormParts {
  file?: { path: string; name: string; size: number; sha256: string };
  sourceDetails?: string;
  readonly fields: Map<string, string>;
}

const defaultIdleMs = 30_000;

async function readForm(
  incoming: IncomingMessage,
  path: string,
  { fields: otherFields = [], beforeFile, idleMs = defaultIdleMs }: UploadForm,
): Promise<FormParts> {
  const received: FormParts = { fields: new Map() };
  const writes: Promise<void>[] = [];
  const stopWriting = new AbortController();
  let fault: Error | undefined;
  const parser = createParser(incoming, otherFields.length);
  const fail = (error: Error) => {
    fault ??= error;
    parser.destroy(error);
  };

  parser.on("file", (field: string | undefined, stream: BusboyFileStream, name: string | undefined) => {
    if (field !== "file" || writes.length > 0) {
      stream.resume();
      const message = field === "file" ? "file must be sent once" : misplacedField(field, "sourceDetails", "text, without a file name");
      fail(new Rejection("invalid", message));
      return;
    }
    try {
      beforeFile?.(received.fields);
    } catch (error) {
      stream.resume();
      fail(error as Error);
      return;
    }
    stream.once("limit", () => fail(tooLarge()));
    const writing = writeFile(stream, path, stopWriting.signal).then((written) => {
      received.file = { path, name: fileName(name), ...written };
    });
    writes.push(writing);
    writing.catch((error: NodeJS.ErrnoException) => {
      // Writing failed, for example on a full disk. The parser has to be ended here, since nothing reads the rest of the file.
      if (error.syscall !== undefined)
        fail(new Problem("unavailable", "The file cannot be taken at the moment, try again shortly", { cause: error }));
    });
  });
  parser.on("field", (field: string | undefined, value: string, _nameCut: boolean, valueCut: boolean) => {
    if (field !== undefined && otherFields.includes(field) && !valueCut) received.fields.set(field, value);
    else if (field !== "sourceDetails") fail(new Rejection("invalid", misplacedField(field, "file", "a file, with a file name")));
    else if (valueCut || isLongerThan(value, limits.sourceDetailsLength) || !isStorable(value)) {
      fail(new Rejection("invalid", `sourceDetails must be text of at most ${limits.sourceDetailsLength} characters`));
    } else received.sourceDetails = value;
  });
  parser.once("partsLimit", () => fail(new Rejection("invalid", "The form has too many parts: send file and sourceDetails")));

  const stopWatching = watchIdle(incoming, idleMs, () => fail(stalledUpload(idleMs)));
  try {
    await readInto(parser, incoming);
    await Promise.all(writes);
  } catch (error) {
    stopWriting.abort(); // the parser leaves its file stream open, and may emit neither `end` nor `close` for it
    await Promise.allSettled(writes);
    throw fault ?? unreadableForm(error);
  } finally {
    stopWatching();
  }
  if (fault) throw fault;
  return received;
}

/** Unlike `pipeline`, does not destroy the request after an error: its unread rest would block the connection. */
async function readInto(parser: Writable, incoming: IncomingMessage): Promise<void> {
  finished(incoming).catch((error: Error) => parser.destroy(error));
  incoming.pipe(parser);
  try {
    await finished(parser);
  } finally {
    incoming.unpipe(parser);
  }
}

function createParser(incoming: IncomingMessage, otherFields: number) {
  try {
    return new Busboy({
      headers: incoming.headers as { "content-type": string },
      preservePath: true,
      limits: {
        fileSize: limits.fileBytes + 1,
        files: 2,
        fields: 4 + otherFields,
        parts: 6 + otherFields,
        fieldNameSize: 100,
        fieldSize: 4 * limits.sourceDetailsLength,
        headerPairs: 50,
      },
    });
  } catch (error) {
    throw unreadableForm(error);
  }
}

async function writeFile(stream: BusboyFileStream, path: string, signal: AbortSignal): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256");
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(stream, count, createWriteStream(path), { signal });
  if (stream.truncated || size > limits.fileBytes) throw tooLarge();
  return { size, sha256: hash.digest("hex") };
}

/** Removes folders, control characters and invalid Unicode from a file name. A long name keeps its beginning and its extension. */
function fileName(sentName: string | undefined): string {
  const base = basename((sentName ?? "").replaceAll("\\", "/"));
  const clean = base
    .toWellFormed()
    .replace(/\p{Cc}/gu, "")
    .trim();
  const characters = [...clean];
  if (characters.length > maxNameLength) characters.splice(maxNameLength - 9, characters.length - maxNameLength + 3, "...");
  return characters.join("") || "upload";
}

/** `as` says how the field `known` has to be sent. */
const misplacedField = (field: string | undefined, known: string, as: string) =>
  field === known ? `${known} must be sent as ${as}` : `${quoted(field)} is not a field of this form: send file and sourceDetails`;

/** The form parser also reports parts without a name, as undefined. */
const quoted = (field: string | undefined) => (field === undefined ? "A part without a name" : JSON.stringify(field.slice(0, 100)));

const unreadableForm = (cause: unknown) =>
  cause instanceof Rejection
    ? cause
    : new Rejection("invalid", "The form could not be read: it is not complete multipart/form-data. Send it again");

function watchIdle(incoming: IncomingMessage, idleMs: number, onSilence: () => void): () => void {
  const timer = setTimeout(onSilence, idleMs);
  const touch = () => timer.refresh();
  incoming.on("data", touch);
  return () => {
    clearTimeout(timer);
    incoming.off("data", touch);
  };
}
