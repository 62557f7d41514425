// Replays every import and every quote from its stream, and compares each ledger row, total, import, rejected row, stored file and quote with it.
import type { Pool } from "pg";
import type { EventStore, Position } from "../ports/eventStore.js";
import { type FileSources, fileFaults } from "./checkFiles.js";
import { compareCorrections } from "./comparing/compareCorrections.js";
import { compareCounted } from "./comparing/compareCounted.js";
import { compareGroups } from "./comparing/compareGroups.js";
import { compareImports } from "./comparing/compareImports.js";
import { compareReversals } from "./comparing/compareReversals.js";
import { compareRows, rowTables } from "./comparing/compareRows.js";
import { compareHidden, compareShipments } from "./comparing/compareShipments.js";
import { compareTotals } from "./comparing/compareTotals.js";
import { compareVersions } from "./comparing/compareVersions.js";
import { type Evidence, gatherEvidence, ownerOf } from "./evidence/evidence.js";
import { type Findings, newFindings } from "./findings.js";
import { type QuoteVerification, verifyQuotes } from "./quotes/verifyQuotes.js";
import { type Snapshot, withSnapshot } from "./snapshot.js";

export interface VerifyOptions extends FileSources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly signal: AbortSignal;
  /** Undefined for all organisations. */
  readonly organisationId: string | undefined;
  /** False: stored files are not read. */
  readonly files: boolean;
  /** True: every quote is derived again; false: a sample. */
  readonly allQuotes?: boolean;
  readonly onProgress?: (progress: { events: number; share: number }) => void;
}

export interface Verification {
  readonly findings: Findings;
  readonly position: Position;
  readonly events: number;
  readonly imports: number;
  readonly rows: Readonly<
    Record<"activities" | "shipment_lines" | "rejections" | "shipments" | "versions" | "corrections" | "reversals" | "totals", number>
  >;
  readonly files: number;
  readonly quotes: QuoteVerification;
  readonly organisations: readonly { readonly organisationId: string; readonly imports: number; readonly findings: number }[];
}

export function verify(options: VerifyOptions): Promise<Verification> {
  return withSnapshot(options, async (snapshot) => {
    const findings = newFindings();
    const { eventStore, organisationId, signal, onProgress } = options;
    const evidence = await gatherEvidence({ eventStore, until: snapshot.position, organisationId, signal, findings, onProgress });
    await compareImports(snapshot.client, evidence.imports, { organisationId }, findings);
    const rows = await compareTables(snapshot, options, evidence, findings);
    const files = options.files ? await checkFiles(options, evidence, findings) : 0;
    const quotes = await verifyQuotes(snapshot, options, findings);
    return {
      findings,
      position: snapshot.position,
      events: evidence.events,
      imports: evidence.imports.size,
      rows,
      files,
      quotes,
      organisations: perOrganisation(evidence, findings),
    };
  });
}

async function compareTables(
  { client }: Snapshot,
  { eventStore, organisationId, signal }: VerifyOptions,
  evidence: Evidence,
  findings: Findings,
) {
  const rows = { activities: 0, shipment_lines: 0, rejections: 0, shipments: 0, versions: 0, corrections: 0, reversals: 0, totals: 0 };
  const positions = organisationId === undefined ? undefined : [...evidence.imports.keys()];
  for (const table of rowTables) {
    signal.throwIfAborted();
    rows[table] = await compareRows({ client, eventStore, findings }, table, evidence.imports, positions);
  }
  rows.totals = await compareTotals(client, evidence.imports, organisationId, findings);
  await compareCounted(client, evidence.counted, organisationId, findings);
  rows.shipments = await compareShipments(client, evidence, organisationId, findings);
  await compareHidden(client, evidence, organisationId, findings);
  rows.versions = await compareVersions(client, evidence.imports, organisationId, findings);
  rows.corrections = await compareCorrections(client, evidence.corrections, { organisationId }, findings);
  rows.reversals = await compareReversals(client, evidence, { organisationId }, findings);
  if (findings.count === 0) await compareGroups(client, { organisationId }, findings); // a wrong row would be reported again as a wrong count
  return rows;
}

async function checkFiles(options: VerifyOptions, { imports }: Evidence, findings: Findings): Promise<number> {
  for (const audited of imports.values()) {
    options.signal.throwIfAborted();
    for (const sentence of await fileFaults(options, audited)) findings.add({ ...ownerOf(audited), sentence });
  }
  return imports.size;
}

function perOrganisation({ imports }: Evidence, { byOrganisation }: Findings): Verification["organisations"] {
  const counts = new Map<string, number>([...byOrganisation.keys()].map((id) => [id, 0]));
  for (const { requested } of imports.values()) {
    const { organisationId } = requested.data;
    counts.set(organisationId, (counts.get(organisationId) ?? 0) + 1);
  }
  return [...counts]
    .map(([organisationId, count]) => ({ organisationId, imports: count, findings: byOrganisation.get(organisationId) ?? 0 }))
    .sort((a, b) => (a.organisationId < b.organisationId ? -1 : 1));
}
