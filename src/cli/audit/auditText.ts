import type { Pool } from "pg";
import type { Finding, Findings } from "../../audit/findings.js";
import type { RecordedVersion } from "../../audit/history/shipmentVersions.js";
import type { Location } from "../../domain/geography/geography.js";
import type { NameOf } from "../../domain/principal.js";
import type { ExplainedCard } from "../../domain/rating/explain.js";
import type { Item } from "../../domain/rating/quoteRequest.js";
import type { ImportColumns } from "../../events/importEvents.js";
import { principalNames } from "../../queries/organisations/organisations.js";
import type { ExplainedQuote } from "../../queries/quotes/explainQuote.js";
import { tableLines } from "../outcome.js";
import { countText, withSeparators } from "../progress.js";
import type { Verification } from "./verify.js";

/** Names principals for an auditor. A worker is shown by its id, in which its host and process id are. */
export async function auditNames(organisationId: string, pool: Pool): Promise<NameOf> {
  const nameOf = await principalNames(organisationId, pool);
  return (by) => (by.kind === "worker" ? `worker ${by.id}` : nameOf(by));
}

/** The lines that `audit quote` prints. */
export function quoteText({ quoteId, organisationId, catalogueVersion, by, recorded, explanation }: ExplainedQuote, nameOf: NameOf) {
  const { customerId, at, origin, destination, items } = recorded;
  const { today, cards, differences, noQuoteMessage } = explanation;
  return [
    `quote ${quoteId} for ${customerId} of ${organisationId}, priced ${at.toISOString()} by catalogue version ${catalogueVersion} for ${nameOf(by)}`,
    `from ${locationText(origin)} to ${locationText(destination)}, by the rates valid on ${today}`,
    ...items.map(itemLine),
    ...cards.flatMap(cardLines),
    ...(noQuoteMessage === "" ? [] : [noQuoteMessage]),
    ...differences.map((sentence) => `DIFFERS: ${sentence}`),
  ];
}

const locationText = ({ suburb, state, postalCode, countryCode }: Location): string => `${suburb} ${state} ${postalCode} ${countryCode}`;

function itemLine({ quantity, type, length, width, height, weight }: Item): string {
  return `  ${quantity} x ${type ?? "item"}, ${length} x ${width} x ${height} m, ${weight} kg each`;
}

function cardLines({ entry, terms, steps, differences }: ExplainedCard): string[] {
  const { lane, originZone, destinationZone, cubicFactor, fuelLevyPercent, gstApplies } = terms;
  return [
    `${entry.rateCardId} (${entry.serviceId}), zone ${originZone} to ${destinationZone}, lane ${lane.from} to ${lane.to}`,
    figureLine(`${steps.kg} kg`, `${steps.exactKg} kg at ${cubicFactor} kg per cubic metre, rounded up`),
    figureLine(money(steps.basic), "basic"),
    ...steps.kgCharge.map(({ kg, perKg, charge }) => figureLine(unroundedMoney(charge), `${kg} kg at ${perKg}`)),
    figureLine(money(steps.amount), steps.minimumApplied ? "freight, raised to the minimum" : "freight"),
    ...steps.surcharges.map(({ key, name, amount }) => figureLine(money(amount), `${name} (${key})`)),
    figureLine(money(steps.fuel), `fuel, ${fuelLevyPercent}% of ${money(steps.fuelBase)}`),
    figureLine(money(steps.gst), gstApplies ? `GST, 10% of ${money(steps.gstBase)}` : "GST, not within Australia"),
    figureLine(money(steps.total), differences.length === 0 ? "total, as it was answered" : "total, which is NOT as it was recorded"),
    ...differences.map((sentence) => `  DIFFERS: ${sentence}`),
  ];
}

const money = (amount: number): string => amount.toFixed(2);
/** At least two decimals, and more where the amount has them. */
const unroundedMoney = (text: string): string => {
  const [whole, decimals = ""] = text.split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
};
const figureLine = (figure: string, meaning: string): string => `  ${figure.padStart(14)}  ${meaning}`;

export function shipmentText(shipmentId: string, versions: readonly RecordedVersion[], nameOf: NameOf): string[] {
  return [
    `Shipment ${shipmentId}: ${versions.length} version${versions.length === 1 ? "" : "s"}`,
    ...versions.flatMap((version, index) => versionText(version, index, nameOf)),
  ];
}

function versionText(version: RecordedVersion, index: number, nameOf: NameOf): string[] {
  const { importId, by, requestId, fileName, sourceDetails, pushedAt, rows, fields, items, reversed } = version;
  return [
    "",
    `Version ${index + 1}, ${ledgerState(version)}`,
    `  import  ${importId}, row${rows.length === 1 ? "" : "s"} ${rows.join(", ")} of ${fileName} (${sourceDetails})`,
    `  pushed  ${pushedAt} by ${nameOf(by)}, request ${requestId}`,
    ...(reversed ? [`  reversed  ${reversed.at} by ${nameOf(reversed.by)}: ${reversed.reason}`] : []),
    ...Object.entries(fields).map(([name, value]) => `  ${name} = ${valueText(value)}`),
    ...items.map((item, line) => `  item ${line + 1} = ${valueText(item)}`),
  ];
}

function ledgerState({ importId, writtenAt, shownAt, supersededBy, reversed }: RecordedVersion): string {
  if (supersededBy === null) return reversed ? `in the ledger from ${shownAt}, reversed ${reversed.at}` : `in the ledger from ${shownAt}`;
  const why =
    supersededBy === importId
      ? "a later element of the same import replaced it"
      : `import ${supersededBy} was pushed later and already there`;
  return `completed ${writtenAt}, never in the ledger: ${why}`;
}

const valueText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function verificationText({ findings, position, events, imports, rows, files, quotes, organisations }: Verification): string[] {
  const rowCount = (table: string, one: string, many: string) => countText(rows[table] ?? 0, one, many);
  const lines = [
    `Verified ${countText(imports, "import", "imports")} (${countText(events, "event", "events")}, up to position ${position.commit}): ${[
      rowCount("activities", "activity", "activities"),
      rowCount("activity_totals", "total", "totals"),
      rowCount("shipments", "shipment", "shipments"),
      rowCount("shipment_versions", "version", "versions"),
      rowCount("rejections", "rejected row", "rejected rows"),
      countText(files, "stored file", "stored files"),
    ].join(", ")}.`,
    quoteLine(quotes),
    ...tableLines(
      ["ORGANISATION", "IMPORTS", "DIFFERENCES"],
      organisations.map((each) => [each.organisationId, String(each.imports), String(each.findings)]),
    ),
  ];
  if (findings.count === 0) return [...lines, "Everything agrees with the streams."];
  return [
    ...lines,
    ...findingLines(findings, ({ organisationId, importId, sentence }) => `${organisationId ?? "-"}  ${importId ?? "-"}  ${sentence}`),
  ];
}

/** The first line has the number of differences. A line follows for each difference that is kept as a sentence. */
export function findingLines({ count, first }: Findings, textOf: (finding: Finding) => string): string[] {
  const hidden = count - first.length;
  return [
    `${countText(count, "difference", "differences")}:`,
    ...first.map((finding) => `  ${textOf(finding)}`),
    ...(hidden > 0 ? [`  ... and ${withSeparators(hidden)} more`] : []),
  ];
}

function quoteLine({ quotes, requests, derived, seconds }: Verification["quotes"]): string {
  const coverage =
    derived === quotes ? "all of them derived again" : `a sample of ${withSeparators(derived)} derived again (--all-quotes: all)`;
  return `Verified ${countText(quotes, "quote", "quotes")} of ${countText(requests, "request", "requests")}, ${coverage}, in ${seconds.toFixed(1)} s.`;
}

export function verificationJson({ findings, position, ...rest }: Verification) {
  return { ...rest, position: String(position.commit), differences: findings.count, first: findings.first };
}

/** The lines of `audit import` that say for which field each column of the file was used. */
export function columnLines({ headings, fixed = {}, dateOrder, decimal, by, at }: ImportColumns, nameOf: NameOf): string[] {
  const fields = Object.entries(headings).map(([heading, field]) => `${oneLine(heading)}: ${field ?? "left out"}`);
  const values = Object.entries(fixed).map(([field, value]) => `${field} is ${oneLine(value)} in every row`);
  const order = dateOrder === undefined ? [] : [`dates such as 03/04/2026 are ${dateOrder === "dayFirst" ? "day first" : "month first"}`];
  const numbers = decimal === undefined ? [] : [`numbers have a decimal ${decimal}`];
  return [
    `Columns       chosen ${at} by ${nameOf(by)}`,
    ...[...fields, ...values, ...order, ...numbers].map((line) => `              ${line}`),
  ];
}

/** Replaces line breaks, which a heading may have. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ");
