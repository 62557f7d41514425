import { actorName, sentenceOf, sentenceText } from "../../domain/log/sentences.js";
import { countOf, numberText } from "../progress.js";
import type { VerifiedLog } from "./verifyLog.js";

/** The lines that `audit log` prints: each entry, and whether the table has it too. */
export function logText({ entries, names, findings }: VerifiedLog): string[] {
  const lines = entries.map((entry) => `${entry.at.toISOString()}  ${sentenceText(sentenceOf(entry, names))}`);
  const counted = countOf(entries.length, "entry", "entries");
  if (findings.count === 0) return [...lines, `${counted}. The log agrees with the streams.`];
  const rest = findings.count - findings.first.length;
  return [
    ...lines,
    `${counted}. ${countOf(findings.count, "difference", "differences")}:`,
    ...findings.first.map(({ sentence }) => `  ${sentence}`),
    ...(rest > 0 ? [`  ... and ${numberText(rest)} more`] : []),
  ];
}

export const logJson = ({ entries, names, findings }: VerifiedLog) => ({
  entries: entries.map((entry) => {
    const { id, at, by, what, event, about, stream, revision } = entry;
    const text = sentenceText(sentenceOf(entry, names));
    return { id, at, by: { ...by, name: actorName(by, names) }, what, event, text, about, stream, revision: Number(revision) };
  }),
  differences: findings.count,
  first: findings.first.map(({ sentence }) => sentence),
});
