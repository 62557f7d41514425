// `audit log`: fills the log of an organisation anew from its streams, and compares it with the table.
import type { Pool } from "pg";
import { addDifferences, maxShownFindings, newFindings } from "../../audit/findings.js";
import type { VerifyStreamsOptions } from "../../audit/verify.js";
import type { LogEntry } from "../../domain/log/entry.js";
import { namedEntry, sentenceOf, sentenceText } from "../../domain/log/sentences.js";
import { log } from "../../projections/models/log.js";
import { auditTables } from "../../projections/rebuild/auditTables.js";
import { allLogEntries } from "../../queries/log/logEntries.js";
import { logNames } from "../../queries/log/logNames.js";
import { countText } from "../progress.js";
import { findingLines } from "./auditText.js";
import { silentLogger } from "./verify.js";

interface VerifyLogOptions extends Pick<VerifyStreamsOptions, "eventStore" | "signal" | "onProgress"> {
  readonly pool: Pool;
  readonly organisationId: string;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

type VerifiedLog = Awaited<ReturnType<typeof verifyLog>>;

/** Returns the entries that the streams give, oldest first, and how the table differs from them. */
export async function verifyLog({ organisationId, from, to, ...options }: VerifyLogOptions) {
  const findings = newFindings();
  const { differences, result } = await auditTables(
    {
      ...options,
      logger: silentLogger,
      projections: [log],
      // Rows of imports have no entries in the log.
      isWanted: ({ metadata, type }) => metadata.organisation === organisationId && type !== "RowAccepted" && type !== "RowRejected",
      scope: { organisationId, from, to },
      maxDifferences: maxShownFindings,
    },
    async (client) => {
      const entries: LogEntry[] = [];
      for await (const page of allLogEntries(organisationId, { from, to }, client)) entries.push(...page);
      return { entries: entries.reverse(), names: await logNames(organisationId, entries, client) };
    },
  );
  addDifferences(findings, differences);
  return { ...result, findings };
}

/** The lines that `audit log` prints: all entries, then how many differences the table has, and the first differences. */
export function logText({ entries, names, findings }: VerifiedLog): string[] {
  const lines = entries.map((entry) => `${entry.at.toISOString()}  ${sentenceText(sentenceOf(entry, names))}`);
  const entryCount = countText(entries.length, "entry", "entries");
  if (findings.count === 0) return [...lines, `${entryCount}. The log agrees with the streams.`];
  const [differenceCount = "", ...differences] = findingLines(findings, ({ sentence }) => sentence);
  return [...lines, `${entryCount}. ${differenceCount}`, ...differences];
}

export const logJson = ({ entries, names, findings }: VerifiedLog) => ({
  entries: entries.map((entry) => namedEntry(entry, names)),
  differences: findings.count,
  first: findings.first.map(({ sentence }) => sentence),
});
