// `audit verify`: the live tables against tables that the projections fill anew from the log, and those against the streams by the audit's own
// code. A row that somebody changed differs from the first, a mistake of a projection from the second.
import type { Pool } from "pg";
import { pino } from "pino";
import { addDifferences, newFindings, shownFindings } from "../../audit/findings.js";
import { type StreamOptions, verifyStreams } from "../../audit/verify.js";
import { allProjections } from "../../projections/allProjections.js";
import { auditTables } from "../../projections/rebuild/auditTables.js";

export type Verification = Awaited<ReturnType<typeof verify>>;

/** The findings name what cannot be read, so the projections need not log it. */
export const silentLogger = pino({ level: "silent" });

export async function verify(options: StreamOptions & { readonly pool: Pool }) {
  const { pool, eventStore, signal, organisationId, onProgress } = options;
  const half = (before: number) =>
    onProgress && ((done: { events: number; share: number }) => onProgress({ ...done, share: before + done.share / 2 }));
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
      most: shownFindings,
      onProgress: half(0),
    },
    (client, position) => verifyStreams({ client, position }, { ...options, onProgress: half(0.5) }, findings),
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
