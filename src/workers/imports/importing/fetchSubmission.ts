import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { ImportFault } from "../../../commands/imports/judging/importFault.js";
import type { ImportRequested } from "../../../events/importEvents.js";
import { ObjectMissing } from "../../../portErrors.js";
import type { ObjectStore } from "../../../ports/objectStore.js";

/** Copies the submission from the object store to `path` and checks that it has the recorded checksum. */
export async function fetchSubmission(objectStore: ObjectStore, file: ImportRequested["file"], path: string): Promise<void> {
  try {
    await objectStore.fetch(file.key, path);
  } catch (error) {
    if (error instanceof ObjectMissing) throw new ImportFault("The submitted file is no longer stored. Send it again.");
    throw error;
  }
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  if (hash.digest("hex") !== file.sha256) {
    throw new ImportFault("The stored file is not the one that was sent: its checksum differs. Send it again.");
  }
}
