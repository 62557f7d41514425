// `audit verify`: the live tables against tables that the projections fill anew from the log, and those against the streams by the audit's own
// code. A row that somebody changed differs from the first, a mistake of a projection from the second.
import type { Pool } from "pg";
import { pino } from "pino";
import { type Findings, newFindings, shortJson } from "../../audit/findings.js";
import { type StreamOptions, type VerifiedStreams, verifyStreams } from "../../audit/verify.js";
import type { Position, StoredEvent } from "../../ports/eventStore.js";
import { allProjections } from "../../projections/allProjections.js";
import { auditTables } from "../../projections/rebuild/auditTables.js";
import type { Difference, Differences } from "../../projections/rebuild/compareTables.js";

export interface VerifyOptions extends StreamOptions {
  readonly pool: Pool;
}

export interface Verification extends Pick<VerifiedStreams, "events" | "files" | "quotes"> {
  readonly findings: Findings;
  readonly position: Position;
  readonly imports: number;
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly organisations: readonly { readonly organisationId: string; readonly imports: number; readonly findings: number }[];
}

/** The findings name what cannot be read, so the projections need not log it. */
export const silentLogger = pino({ level: "silent" });
export const shownFindings = 20;

export const isOfOrganisation = (organisationId: string | undefined) =>
  organisationId === undefined ? undefined : ({ metadata }: StoredEvent) => metadata.organisation === organisationId;

export async function verify(options: VerifyOptions): Promise<Verification> {
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
      isWanted: isOfOrganisation(organisationId),
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

export function addDifferences(findings: Findings, { first, count, byOrganisation }: Differences): void {
  const rest = new Map(byOrganisation);
  for (const difference of first) {
    const { organisationId, importId } = difference;
    findings.add({ organisationId: organisationId ?? undefined, importId: importId ?? undefined, sentence: sentenceOf(difference) });
    if (organisationId !== null) rest.set(organisationId, (rest.get(organisationId) ?? 0) - 1);
  }
  findings.addCount(count - first.length, rest);
}

const isSecret = (column: string) => /hash|sha256/.test(column);

function sentenceOf({ table, key, what, columns }: Difference): string {
  const place = `${table}, ${Object.entries(key)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")}`;
  if (what === "missing") return `${place}: the row is missing`;
  if (what === "extra") return `${place}: the streams have no such row`;
  const values = (columns ?? []).map(({ name, live, rebuilt }) =>
    isSecret(name) ? `${name} is another` : `${name} is ${shortJson(live)}, the streams say ${shortJson(rebuilt)}`,
  );
  return `${place}: ${values.join("; ")}`;
}
