import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { Rejection } from "../../../../domain/rejection.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import { receiveUpload, type Upload } from "../../../server/receiveUpload.js";
import type { PortalDeps } from "../../page.js";
import { ensureOwnForm } from "../../sessions/sameOrigin.js";
import type { SignedInVisit } from "../../visit.js";

export interface ReceivedForm {
  readonly kind: ImportKind;
  readonly upload: Upload;
  /** How to take an error report: as a correction or as a new file. Empty if the form does not say. */
  readonly take: string;
  /** The same for the same content sent again from the same page, so that it is recorded once. */
  readonly idempotencyKey: string;
}

const fieldNames = ["token", "kind", "page", "take"] as const;

export const removeForm = ({ upload }: ReceivedForm): Promise<void> => rm(upload.folder, { recursive: true, force: true });

/** The caller removes the folder. */
export async function receiveForm(visit: SignedInVisit, { publicUrl, tempDir }: PortalDeps): Promise<ReceivedForm> {
  const { context: c, formToken, stillAllowed } = visit;
  const incoming = c.env?.incoming;
  if (!incoming) throw new Error("an upload needs a socket");
  const header = (name: string) => c.req.header(name);
  const ensureOurs = (fields: ReadonlyMap<string, string>) =>
    ensureOwnForm({ header, publicUrl, formToken, given: header("x-form-token") ?? fields.get("token") });
  const upload = await receiveUpload(incoming, tempDir, { fields: fieldNames, beforeFile: ensureOurs, stillAllowed });
  const { fields, name, sha256, sourceDetails } = upload;
  try {
    const kind = kindOf(fields.get("kind"));
    const take = fields.get("take") ?? "";
    const parts = [visit.person.memberId, fields.get("page") ?? "", kind, take, sourceDetails, name, sha256];
    const idempotencyKey = `portal-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
    return { kind, upload, take, idempotencyKey };
  } catch (error) {
    await rm(upload.folder, { recursive: true, force: true });
    throw error;
  }
}

function kindOf(given: string | undefined): ImportKind {
  if (given === "shipments" || given === "activities") return given;
  throw new Rejection("invalid", "Choose the kind: shipments or activities.");
}
