// Which activities the page shows, from its address, and addresses that show others.
import { limits } from "../../../../domain/imports/limits.js";
import { wallAt } from "../../../../domain/imports/timestamp.js";
import { noImport, Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import { requireImport } from "../../../../queries/imports/importStatus.js";
import { waitUntilTablesKnow } from "../../../../queries/waitUntilTablesKnow.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { downloadCookie } from "../../sessions/cookies.js";
import { timeInWords } from "../../shell/formats.js";
import { type Query, withQuery } from "../../shell/parts.js";
import { presentCatalogue } from "../customers.js";
import { periodOf, periodWords, timeIn } from "../days.js";

export const activitiesPath = "/portal/activities";
/** The page of one activity. */
export const activityPath = (importId: string, row: number) => `${activitiesPath}/${importId}/${row}`;

/** Takes the rows that were chosen to be reversed or corrected. */
export const chosenPath = `${activitiesPath}/reverse`;

/** The customer of activities that name none. No customer's id has brackets. */
export const noCustomer = "(none)";

/** What every part of the page is made from. */
export type ActivitiesView = Awaited<ReturnType<typeof activitiesView>>;

/** Throws a Rejection for a filter that cannot be used, and where the organisation has no import with the id. */
export async function activitiesView(visit: SignedInVisit, deps: PortalDeps) {
  const { query, person } = visit;
  const { now, nameOf } = await presentCatalogue(visit, deps);
  const importId = query["import"] || undefined;
  if (importId !== undefined && !isUuid(importId)) throw noImport();
  const isOfAllDays = importId !== undefined && !query["month"] && !query["from"] && !query["to"];
  /** Undefined: all days, of one import. */
  const period = isOfAllDays ? undefined : periodOf(query, person.timezone, now);
  const customerId = codeIn(query, "customer");
  const codes = { warehouseCode: codeIn(query, "warehouse"), chargeCode: codeIn(query, "charge") };
  const filter = { importId, customerId: customerId === noCustomer ? "" : customerId, ...codes, from: period?.from, to: period?.to };
  const isOfRows = importId !== undefined || query["view"] === "rows";
  /** Of changes: the time after which they were made. */
  const since = isOfRows ? undefined : timeIn(visit, "since", "Changes since");
  /** Totals as they were known at this time; undefined: as they are now. */
  const asOf = importId !== undefined || since ? undefined : timeIn(visit);
  const shows: "totals" | "rows" | "changes" = isOfRows ? "rows" : since ? "changes" : "totals";
  /** A table of totals for each customer, printed on a page of its own. */
  const perCustomer = shows === "totals" && query["pages"] === "customer";
  /** Totals of each warehouse by itself. */
  const byWarehouse = query["by"] === "warehouse";
  /** The import whose activities are listed, also those that no longer count. */
  const only =
    importId === undefined ? undefined : (await requireImport(person.organisationId, { kind: "activities", importId }, deps)).view;
  const time = asOf ?? since;
  if (time) await waitUntilTablesKnow(time, deps);
  return { visit, nameOf, period, only, shows, asOf, since, byWarehouse, perCustomer, filter };
}

function codeIn(query: Readonly<Record<string, string>>, name: string): string | undefined {
  const code = query[name] || undefined;
  if (code && code.length > limits.identifierLength)
    throw new Rejection("invalid", `A code has at most ${limits.identifierLength} characters`);
  return code;
}

/** The page's query, with some parameters changed. */
export function queryOf({ visit, period, shows, asOf, since, byWarehouse, perCustomer }: ActivitiesView, changes: Query = {}): Query {
  const { import: importId, unusual, customer, warehouse, charge } = visit.query;
  const dates = period?.month ? { month: period.month } : { from: period?.firstDay, to: period?.lastDay };
  const shape = { by: byWarehouse ? "warehouse" : "", view: shows === "rows" ? shows : "", pages: perCustomer ? "customer" : "" };
  const times = { asOf: asOf?.toISOString(), since: since?.toISOString() };
  return { ...dates, import: importId, unusual, customer, warehouse, charge, ...shape, ...times, ...changes };
}

export const activitiesPathOf = (view: ActivitiesView, changes: Query = {}): string => withQuery(activitiesPath, queryOf(view, changes));

export const daysInWords = ({ period }: Pick<ActivitiesView, "period">): string => (period ? periodWords(period) : "All days");

/** For a field of a form: a time as clocks in the organisation's zone show it. */
export const wallTime = (at: Date | undefined, { person }: SignedInVisit): string => (at ? wallAt(at.getTime(), person.timezone) : "");

/** What a printed page is of, since it shows neither menu nor filters. `customer`: as the address names it. */
export function printedWords(view: ActivitiesView, customer = view.visit.query["customer"] ?? ""): string[] {
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

/** In the browser: what changes a month's bill afterwards is shown to the person who has downloaded it. */
export const rememberDownload = ({ context, person }: SignedInVisit, { publicUrl }: PortalDeps, month: string, at: Date): void =>
  downloadCookie(publicUrl).write(context, [person.memberId, month, at.toISOString()].join(" "));

/** When this person has last downloaded the totals of the month, in this browser. */
export function lastDownload({ context, person }: SignedInVisit, { publicUrl }: PortalDeps, month: string): Date | undefined {
  const [memberId, ofMonth, text = ""] = (downloadCookie(publicUrl).read(context) ?? "").split(" ");
  const at = new Date(text);
  return memberId === person.memberId && ofMonth === month && !Number.isNaN(at.getTime()) ? at : undefined;
}
