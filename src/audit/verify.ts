// src/audit compares the projections' tables with the streams. It shares the storage format with the rest of the service, but no code with
// the projections, so that it does not repeat their mistakes. It replays every import and compares its rows, which of them count, and
// the totals. It derives quotes again and reads the stored files. `audit verify` compares the rest of the tables with tables that the
// projections fill anew (src/projections/rebuild/auditTables.ts).
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { PoolClient } from "pg";
import { ObjectMissing } from "../portErrors.js";
import type { EventStore, Position } from "../ports/eventStore.js";
import type { ObjectStore } from "../ports/objectStore.js";
import { inTemporaryFolder } from "../temporaryFolder.js";
import { compareEvidence } from "./compareEvidence.js";
import { type AuditedImport, gatherEvidence, importOwnerOf } from "./evidence/evidence.js";
import { createEvidenceWriter } from "./evidence/evidenceTables.js";
import type { Findings } from "./findings.js";
import { verifyQuotes } from "./quotes/verifyQuotes.js";

export interface VerifyStreamsOptions extends FileSources {
  readonly eventStore: EventStore;
  readonly signal: AbortSignal;
  /** Undefined for all organisations. */
  readonly organisationId: string | undefined;
  /** Whether to read the stored files. */
  readonly files: boolean;
  /** Whether to derive every quote again, rather than a sample. */
  readonly allQuotes?: boolean;
  readonly onProgress?: ((progress: { events: number; fraction: number }) => void) | undefined; // `fraction`: of the work, 0 to 1
}

/**
 * `client` sees the projections' tables under their usual names, as they are at `position`. The result's `events` counts the events of
 * imports, corrections and reversals. Its `imports` has each organisation's number of imports.
 */
export async function verifyStreams(
  { client, position }: { readonly client: PoolClient; readonly position: Position },
  options: VerifyStreamsOptions,
  findings: Findings,
) {
  const { eventStore, organisationId, signal, onProgress } = options;
  const writer = await createEvidenceWriter(client);
  const { imports, events } = await gatherEvidence(writer, { eventStore, until: position, organisationId, signal, findings, onProgress });
  await compareEvidence(client, { organisationId }, findings);
  const importsWithFiles = options.files ? imports : [];
  for (const audited of importsWithFiles) {
    signal.throwIfAborted();
    for (const sentence of await fileFaults(options, audited)) findings.add({ ...importOwnerOf(audited), sentence });
  }
  const quotes = await verifyQuotes(position, options, findings);
  const counts = new Map<string, number>();
  for (const { requested } of imports) counts.set(requested.data.organisationId, (counts.get(requested.data.organisationId) ?? 0) + 1);
  return { events, imports: counts, files: importsWithFiles.length, quotes };
}

interface FileSources {
  readonly objectStore: ObjectStore;
  readonly tempDir: string;
}

/** What is wrong with an import's stored submission or error report, one sentence per fault. */
export async function fileFaults(
  { objectStore, tempDir }: FileSources,
  { requested, ended }: Omit<AuditedImport, "importId">,
): Promise<string[]> {
  const { key, sha256, size } = requested.data.file;
  const report = ended?.type === "ImportCompleted" ? ended.data.report : null;
  const faults: string[] = [];
  const found = await hashFile(objectStore, key, tempDir);
  if (!found) faults.push(`the stored file ${key} is missing`);
  else if (found.sha256 !== sha256) faults.push(`the stored file ${key} has sha-256 ${found.sha256}, recorded was ${sha256}`);
  else if (found.size !== size) faults.push(`the stored file ${key} has ${found.size} bytes, recorded were ${size}`);
  if (report && !(await objectStore.exists(report.key))) faults.push(`the error report ${report.key} is missing`);
  return faults;
}

async function hashFile(objectStore: ObjectStore, key: string, tempDir: string): Promise<{ sha256: string; size: number } | undefined> {
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
