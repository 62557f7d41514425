import { readFile, rm } from "node:fs/promises";
import { Rejection } from "../../../../domain/rejection.js";
import { receiveUpload } from "../../../server/receiveUpload.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import { ensureFromOwnPage } from "../../visits.js";

export interface OrganisationText {
  readonly name: string;
  readonly text: string;
}

/** A larger file is checked for so long that other people's pages would wait. */
export const largestCatalogue = 2 * 1024 * 1024;

/** The uploaded file, as text. */
export async function receiveOrganisationFile(visit: SignedInVisit, deps: PortalDeps): Promise<OrganisationText> {
  const { context: c, stillAllowed } = visit;
  const incoming = c.env?.incoming;
  if (!incoming) throw new Error("an upload needs a socket");
  const beforeFile = (fields: ReadonlyMap<string, string>) => ensureFromOwnPage(visit, deps, fields.get("token"));
  const { folder, path, name, size } = await receiveUpload(incoming, deps.tempDir, { fields: ["token"], beforeFile, stillAllowed });
  try {
    if (size > largestCatalogue)
      throw new Rejection(
        "tooLarge",
        `The file has ${size} bytes; here it may have ${largestCatalogue}. Apply a larger one with org apply`,
      );
    const text = await readFile(path, "utf8");
    return { name, text: text.replace(/^\uFEFF/, "") };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
