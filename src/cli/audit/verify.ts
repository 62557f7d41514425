// `audit verify` compares the live tables with tables that the projections fill anew from the log. This finds rows that somebody changed.
// Then the code of src/audit compares the new tables with the streams. This finds mistakes of projections. Each is half of the progress.
import type { Pool } from "pg";
import { pino } from "pino";
import { addDifferences, maxShownFindings, newFindings } from "../../audit/findings.js";
import { type VerifyStreamsOptions, verifyStreams } from "../../audit/verify.js";
import { allProjections } from "../../projections/allProjections.js";
import { auditTables } from "../../projections/rebuild/auditTables.js";

export type Verification = Awaited<ReturnType<typeof verify>>;

/** For the projections. `audit verify` itself reports events of imports and quotes that cannot be read. */
export const silentLogger = pino({ level: "silent" });

export async function verify(options: VerifyStreamsOptions & { readonly pool: Pool }) {
  const { pool, eventStore, signal, organisationId, onProgress } = options;
  const onHalfProgress = (start: number) =>
    onProgress && ((half: { events: number; fraction: number }) => onProgress({ ...half, fraction: start + half.fraction / 2 }));
  const findings = newFindings();
  const audited = await auditTables(
    {
      pool,
      eventStore,
      signal,
      logger: silentLogger,
      projections: allProjections,
      isWanted: organisationId === undefined ? undefined : ({ metadata }) => metadata.organisation === organisationId,
      scope: { organisationId },
      maxDifferences: maxShownFindings,
      onProgress: onHalfProgress(0),
    },
    (client, position) => verifyStreams({ client, position }, { ...options, onProgress: onHalfProgress(0.5) }, findings),
  );
  addDifferences(findings, audited.differences);
  const { events, imports, files, quotes } = audited.result;
  const organisations = [...new Set([...imports.keys(), ...findings.byOrganisation.keys()])].sort().map((id) => ({
    organisationId: id,
    imports: imports.get(id) ?? 0,
    findings: findings.byOrganisation.get(id) ?? 0,
  }));
  const total = [...imports.values()].reduce((sum, count) => sum + count, 0);
  const { position, rows } = audited;
  return { findings, position, events, imports: total, rows, files, quotes, organisations };
}
