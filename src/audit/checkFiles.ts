import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { ObjectMissing } from "../portErrors.js";
import type { ObjectStore } from "../ports/objectStore.js";
import { inTemporaryFolder } from "../temporaryFolder.js";
import type { AuditedImport } from "./evidence/evidence.js";

export interface FileSources {
  readonly objectStore: ObjectStore;
  readonly tempDir: string;
}

/** What is wrong with the stored submission or error report of an import; usually nothing. */
export async function fileFaults({ objectStore, tempDir }: FileSources, { requested, ended }: AuditedImport): Promise<string[]> {
  const { key, sha256, size } = requested.data.file;
  const report = ended?.type === "ImportCompleted" ? ended.data.report : null;
  const faults: string[] = [];
  const found = await hashOf(objectStore, key, tempDir);
  if (!found) faults.push(`the stored file ${key} is missing`);
  else if (found.sha256 !== sha256) faults.push(`the stored file ${key} has sha-256 ${found.sha256}, recorded was ${sha256}`);
  else if (found.size !== size) faults.push(`the stored file ${key} has ${found.size} bytes, recorded were ${size}`);
  if (report && !(await objectStore.exists(report.key))) faults.push(`the error report ${report.key} is missing`);
  return faults;
}

async function hashOf(objectStore: ObjectStore, key: string, tempDir: string): Promise<{ sha256: string; size: number } | undefined> {
  return inTemporaryFolder(tempDir, "audit-", async (folder) => {
    const path = join(folder, "file");
    try {
      await objectStore.fetch(key, path);
      const hash = createHash("sha256");
      let size = 0;
      for await (const chunk of createReadStream(path)) {
        hash.update(chunk as Buffer);
        size += (chunk as Buffer).length;
      }
      return { sha256: hash.digest("hex"), size };
    } catch (error) {
      if (error instanceof ObjectMissing) return undefined;
      throw error;
    }
  });
}
