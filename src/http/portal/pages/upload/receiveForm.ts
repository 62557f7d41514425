// What checking and uploading have in common: the form with its file, and the time that a browser without scripts waits.
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { Rejection } from "../../../../domain/rejection.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import { TooBusy } from "../../../../portErrors.js";
import { receiveUpload, type Upload } from "../../../server/receiveUpload.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import { ensureFromOwnPage } from "../../visits.js";

export interface ReceivedForm extends SentForm {
  readonly kind: ImportKind;
}

export interface SentForm {
  /** Undefined where it is to be recognised by the headings. */
  readonly kind: ImportKind | undefined;
  readonly upload: Upload;
  /** How to take an error report: as a correction or as a new file. Empty if the form does not say. */
  readonly take: string;
  /** The import with the same file of which the page has told, where the file is to be uploaded again. */
  readonly again: string;
  /** The file that was checked last on the same page, as it is kept; empty if there is none. */
  readonly checked: string;
  /** The same for the same content sent again from the same page, so that it is recorded once. */
  readonly idempotencyKey: string;
}

const fieldNames = ["token", "kind", "page", "take", "again", "checked"] as const;

export const removeForm = ({ upload }: SentForm): Promise<void> => rm(upload.folder, { recursive: true, force: true });

/** The caller removes the folder. */
export async function receiveForm(visit: SignedInVisit, deps: PortalDeps): Promise<SentForm> {
  const { context: c, stillAllowed } = visit;
  const incoming = c.env?.incoming;
  if (!incoming) throw new Error("an upload needs a socket");
  const ensureOurs = (fields: ReadonlyMap<string, string>) =>
    ensureFromOwnPage(visit, deps, c.req.header("x-form-token") ?? fields.get("token"));
  const upload = await receiveUpload(incoming, deps.tempDir, { fields: fieldNames, beforeFile: ensureOurs, stillAllowed });
  const { fields, name, sha256, sourceDetails } = upload;
  try {
    const kind = kindOf(fields.get("kind"));
    const take = fields.get("take") ?? "";
    const parts = [visit.person.memberId, fields.get("page") ?? "", kind, take, sourceDetails, name, sha256];
    const idempotencyKey = `portal-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
    return { kind, upload, take, again: fields.get("again") ?? "", checked: fields.get("checked") ?? "", idempotencyKey };
  } catch (error) {
    await rm(upload.folder, { recursive: true, force: true });
    throw error;
  }
}

/** The form's kind of a file whose headings say what it is. */
export const recognise = "recognise";

function kindOf(given: string | undefined): ImportKind | undefined {
  if (given === recognise) return undefined;
  if (given === "shipments" || given === "activities") return given;
  throw new Rejection("invalid", "Choose the kind: shipments, activities, or to recognise it.");
}

/** A browser without scripts shows nothing until the answer, and the server ends a connection that is silent for a minute. */
const plainFormMs = 50_000;

/** Runs the work of a form without scripts. The signal aborts when the work has to end. */
export async function inPlainForm<Result>(
  ends: readonly AbortSignal[],
  tooSlow: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.any([...ends, AbortSignal.timeout(plainFormMs)]);
  return work(signal).catch((error: unknown) => {
    throw signal.aborted ? new TooBusy(tooSlow, { cause: error }) : error;
  });
}
