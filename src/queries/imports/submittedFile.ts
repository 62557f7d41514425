import { isUuid } from "../../domain/uuid.js";
import { decodeOn } from "../../events/codec.js";
import { streamOf } from "../../events/streams.js";
import type { Sources } from "./importStatus.js";
import { findImportRow } from "./importView.js";

/** The file as it was sent; of a JSON push, the file that was made of it. Undefined for an unknown import. */
export async function submittedFile(
  organisationId: string,
  importId: string,
  { pool, eventStore }: Sources,
): Promise<{ readonly key: string; readonly name: string } | undefined> {
  if (!isUuid(importId)) return undefined;
  const row = await findImportRow(organisationId, { kind: undefined, importId }, pool);
  if (row) return { key: row.fileKey, name: row.fileName };
  for await (const stored of eventStore.read(streamOf.import(importId), { max: 1 })) {
    const event = decodeOn("import", stored);
    if (event?.type !== "ImportRequested" || event.data.organisationId !== organisationId) return undefined;
    return { key: event.data.file.key, name: event.data.file.name };
  }
  return undefined;
}
