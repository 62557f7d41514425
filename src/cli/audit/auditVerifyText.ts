import type { Verification } from "../../audit/verify.js";
import { table } from "../outcome.js";
import { countOf, number } from "../progress.js";

export function verificationText({ findings, position, events, imports, rows, files, quotes, organisations }: Verification): string[] {
  const { activities, shipments, versions, rejections, totals } = rows;
  const lines = [
    `Verified ${countOf(imports, "import", "imports")} (${countOf(events, "event", "events")}, up to position ${position.commit}): ${[
      countOf(activities, "activity", "activities"),
      countOf(totals, "total", "totals"),
      countOf(shipments, "shipment", "shipments"),
      countOf(versions, "version", "versions"),
      countOf(rejections, "rejected row", "rejected rows"),
      countOf(files, "stored file", "stored files"),
    ].join(", ")}.`,
    quoteLine(quotes),
    ...table(
      ["ORGANISATION", "IMPORTS", "DIFFERENCES"],
      organisations.map((each) => [each.organisationId, String(each.imports), String(each.findings)]),
    ),
  ];
  if (findings.count === 0) return [...lines, "Everything agrees with the streams."];
  const told = findings.first.map(
    ({ organisationId, importId, sentence }) => `  ${organisationId ?? "-"}  ${importId ?? "-"}  ${sentence}`,
  );
  const rest = findings.count - findings.first.length;
  return [
    ...lines,
    `${countOf(findings.count, "difference", "differences")}:`,
    ...told,
    ...(rest > 0 ? [`  ... and ${number(rest)} more`] : []),
  ];
}

function quoteLine({ quotes, requests, derived, seconds }: Verification["quotes"]): string {
  const again = derived === quotes ? "all of them derived again" : `a sample of ${number(derived)} derived again (--all-quotes: all)`;
  return `Verified ${countOf(quotes, "quote", "quotes")} of ${countOf(requests, "request", "requests")}, ${again}, in ${seconds.toFixed(1)} s.`;
}

export function verificationJson({ findings, position, ...rest }: Verification) {
  return { ...rest, position: String(position.commit), differences: findings.count, first: findings.first };
}
