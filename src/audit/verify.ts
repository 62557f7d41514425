// src/audit compares the projections' tables with the streams. It shares the storage format with the rest of the service and no code of the
// projections, so that a mistake in a projection is not repeated here.
// Replays every import from its stream, and compares which rows were accepted, which of them count and the totals with a ledger; derives quotes
// again; reads the stored files. Everything else in the tables is compared with tables that the
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
import { type AuditedImport, gatherEvidence, ownerOf } from "./evidence/evidence.js";
import { createEvidence } from "./evidence/evidenceTables.js";
import type { Findings } from "./findings.js";
import { verifyQuotes } from "./quotes/verifyQuotes.js";

export interface StreamOptions extends FileSources {
  readonly eventStore: EventStore;
  readonly signal: AbortSignal;
  /** Undefined for all organisations. */
  readonly organisationId: string | undefined;
  /** False: stored files are not read. */
  readonly files: boolean;
  /** True: every quote is derived again; false: a sample. */
  readonly allQuotes?: boolean;
  readonly onProgress?: ((progress: { events: number; share: number }) => void) | undefined;
}

/**
 * `client` finds the ledger's tables under their names, as they are at this position of the event log. `events`: of imports, their corrections and
 * reversals. `imports`: how many each organisation has.
 */
export async function verifyStreams(
  { client, position }: { readonly client: PoolClient; readonly position: Position },
  options: StreamOptions,
  findings: Findings,
) {
  const { eventStore, organisationId, signal, onProgress } = options;
  const writer = await createEvidence(client);
  const { imports, events } = await gatherEvidence(writer, { eventStore, until: position, organisationId, signal, findings, onProgress });
  await compareEvidence(client, { organisationId }, findings);
  const withFiles = options.files ? imports : [];
  for (const audited of withFiles) {
    signal.throwIfAborted();
    for (const sentence of await fileFaults(options, audited)) findings.add({ ...ownerOf(audited), sentence });
  }
  const quotes = await verifyQuotes(position, options, findings);
  const counts = new Map<string, number>();
  for (const { requested } of imports) counts.set(requested.data.organisationId, (counts.get(requested.data.organisationId) ?? 0) + 1);
  return { events, imports: counts, files: withFiles.length, quotes };
}

interface FileSources {
  readonly objectStore: ObjectStore;
  readonly tempDir: string;
}

/** What is wrong with the stored submission or error report of an import; usually nothing. */
export async function fileFaults(
  { objectStore, tempDir }: FileSources,
  { requested, ended }: Omit<AuditedImport, "importId">,
): Promise<string[]> {
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
