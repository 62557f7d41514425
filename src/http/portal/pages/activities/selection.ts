// Reads from the address of a page which activities the page shows, and builds the addresses of pages that show others.
import { limits } from "../../../../domain/imports/limits.js";
import { wallAt } from "../../../../domain/imports/timestamp.js";
import { importNotFound, Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import { requireImport } from "../../../../queries/imports/importStatus.js";
import { waitUntilTablesKnow } from "../../../../queries/waitUntilTablesKnow.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { downloadCookie } from "../../sessions/cookies.js";
import { timeInWords } from "../../shell/formats.js";
import { type Query, withQuery } from "../../shell/markup.js";
import { currentCatalogue } from "../customers.js";
import { periodFromQuery, periodInWords, timeFromQuery } from "../days.js";

export const activitiesPath = "/portal/activities";
/** The page of one activity. */
export const activityPath = (importId: string, row: number) => `${activitiesPath}/${importId}/${row}`;
/** The page for rows that were selected to be reversed or corrected. */
export const selectionPath = `${activitiesPath}/reverse`;

/** The filter value for activities without a customer. No customer's id has brackets. */
export const noCustomer = "(none)";

export type ActivitiesView = Awaited<ReturnType<typeof activitiesView>>;

/** Throws a Rejection for an invalid filter, and if the organisation has no import with the id. */
export async function activitiesView(visit: SignedInVisit, deps: PortalDeps) {
  const { query, person } = visit;
  const { now, nameOf } = await currentCatalogue(visit, deps);
  const importId = query["import"] || undefined;
  if (importId !== undefined && !isUuid(importId)) throw importNotFound();
  const coversAllDays = importId !== undefined && !query["month"] && !query["from"] && !query["to"];
  /** Undefined for all days of one import. */
  const period = coversAllDays ? undefined : periodFromQuery(query, person.timezone, now);
  const customerId = codeIn(query, "customer");
  const codes = { warehouseCode: codeIn(query, "warehouse"), chargeCode: codeIn(query, "charge") };
  const filter = { importId, customerId: customerId === noCustomer ? "" : customerId, ...codes, from: period?.from, to: period?.to };
  const showsRows = importId !== undefined || query["view"] === "rows";
  /** The page shows the changes after this time. */
  const since = showsRows ? undefined : timeFromQuery(visit, "since", "Changes since");
  /** The page shows what was known at this time; undefined for the present. */
  const asOf = importId !== undefined || since ? undefined : timeFromQuery(visit);
  const tableName: "totals" | "rows" | "changes" = showsRows ? "rows" : since ? "changes" : "totals";
  /** Each customer has its own table of totals, printed on its own page. */
  const perCustomer = tableName === "totals" && query["pages"] === "customer";
  /** Totals are broken down by warehouse. */
  const byWarehouse = query["by"] === "warehouse";
  /** Set if the page lists the activities of this import, including those that no longer count. */
  const shownImport =
    importId === undefined ? undefined : (await requireImport(person.organisationId, { kind: "activities", importId }, deps)).view;
  const time = asOf ?? since;
  if (time) await waitUntilTablesKnow(time, deps);
  return { visit, nameOf, period, shownImport, tableName, asOf, since, byWarehouse, perCustomer, filter };
}

function codeIn(query: Readonly<Record<string, string>>, name: string): string | undefined {
  const code = query[name] || undefined;
  if (code && code.length > limits.identifierLength)
    throw new Rejection("invalid", `A code has at most ${limits.identifierLength} characters`);
  return code;
}

/** The page's query, with some parameters changed. */
export function queryOf({ visit, period, tableName, asOf, since, byWarehouse, perCustomer }: ActivitiesView, changes: Query = {}): Query {
  const { import: importId, unusual, customer, warehouse, charge } = visit.query;
  const dates = period?.month ? { month: period.month } : { from: period?.firstDay, to: period?.lastDay };
  const shape = { by: byWarehouse ? "warehouse" : "", view: tableName === "rows" ? tableName : "", pages: perCustomer ? "customer" : "" };
  const times = { asOf: asOf?.toISOString(), since: since?.toISOString() };
  return { ...dates, import: importId, unusual, customer, warehouse, charge, ...shape, ...times, ...changes };
}

export const activitiesPathOf = (view: ActivitiesView, changes: Query = {}): string => withQuery(activitiesPath, queryOf(view, changes));

export const daysInWords = ({ period }: Pick<ActivitiesView, "period">): string => (period ? periodInWords(period) : "All days");

/** The value of a form's time field: wall time in the organisation's time zone. */
export const wallTime = (at: Date | undefined, { person }: SignedInVisit): string => (at ? wallAt(at.getTime(), person.timezone) : "");

/** The lines that head a printed page, which shows neither menu nor filters. `customer` is as in the address. */
export function printedLines(view: ActivitiesView, customer = view.visit.query["customer"] ?? ""): string[] {
  const { person } = view.visit;
  const { warehouseCode, chargeCode } = view.filter;
  const time = view.asOf ?? view.since;
  return [
    `${person.organisationName}, activities, ${daysInWords(view)}`,
    [
      customer === "" ? "All customers" : customer === noCustomer ? "Without a customer" : (view.nameOf(customer) ?? customer),
      ...(warehouseCode ? [`warehouse ${warehouseCode}`] : []),
      ...(chargeCode ? [`charge code ${chargeCode}`] : []),
    ].join(", "),
    ...(time ? [`${view.asOf ? "As known on" : "Changes since"} ${timeInWords(time, person.timezone, true)}`] : []),
    `Days and times are those of ${person.timezone}`,
  ];
}

/** Sets a cookie, so that the overview can point out later changes to a month that this person has downloaded. */
export const rememberDownload = ({ context, person }: SignedInVisit, { publicUrl }: PortalDeps, month: string, at: Date): void =>
  downloadCookie(publicUrl).write(context, [person.memberId, month, at.toISOString()].join(" "));

/** When this person downloaded the totals of `month` in this browser; undefined if their last download was of another month. */
export function lastDownload({ context, person }: SignedInVisit, { publicUrl }: PortalDeps, month: string): Date | undefined {
  const [memberId, downloadedMonth, text = ""] = (downloadCookie(publicUrl).read(context) ?? "").split(" ");
  const at = new Date(text);
  return memberId === person.memberId && downloadedMonth === month && !Number.isNaN(at.getTime()) ? at : undefined;
}
