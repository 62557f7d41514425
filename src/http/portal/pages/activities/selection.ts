// Which activities the page shows, from its address, and addresses that show others.
import { limits } from "../../../../domain/imports/limits.js";
import { wallAt } from "../../../../domain/imports/timestamp.js";
import { noImport, Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import type { ActivityFilter } from "../../../../queries/activities/activityFilter.js";
import { requireImport } from "../../../../queries/imports/importStatus.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import type { Query } from "../../links.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { timeInWords } from "../../shell/formats.js";
import { timeIn } from "../asOf.js";
import type { NameOfCustomer } from "../customers.js";
import { type Period, periodOf, periodWords } from "../days.js";

export const activitiesPath = "/portal/activities";
/** Takes the rows that were chosen to be reversed. */
export const chosenPath = `${activitiesPath}/reverse`;
/** The page of one activity. */
export const activityPath = (importId: string, row: number) => `${activitiesPath}/${importId}/${row}`;

/** The customer of activities that name none. No customer's id has brackets. */
export const noCustomer = "(none)";

export interface Selection {
  /** Undefined: all days, of one import. */
  readonly period: Period | undefined;
  /** The import whose activities are listed, also those that no longer count; empty for all imports. */
  readonly importId: string;
  /** Of an import: only its unusual rows. */
  readonly unusual: boolean;
  /** The customer, warehouse and charge code in the address; empty for all. */
  readonly customer: string;
  readonly warehouse: string;
  readonly charge: string;
  readonly view: "totals" | "rows" | "changes";
  /** Totals as they were known at this time; undefined: as they are now. */
  readonly asOf: Date | undefined;
  /** Of the view of changes: the time after which they were made. */
  readonly since: Date | undefined;
  /** Totals of each warehouse by itself. */
  readonly byWarehouse: boolean;
  /** A table of totals for each customer, printed on a page of its own. */
  readonly perCustomer: boolean;
  readonly filter: ActivityFilter;
}

export function selectionOf(visit: SignedInVisit, now: Date): Selection {
  const { query, person } = visit;
  const importId = query["import"] ?? "";
  if (importId !== "" && !isUuid(importId)) throw noImport();
  const isOfAllDays = importId !== "" && !query["month"] && !query["from"] && !query["to"];
  const period = isOfAllDays ? undefined : periodOf(query, person.timezone, now);
  const [customer, warehouse, charge] = [codeOf(query, "customer"), codeOf(query, "warehouse"), codeOf(query, "charge")];
  const filter = {
    importId: importId || undefined,
    customerId: customer === noCustomer ? "" : customer || undefined,
    warehouseCode: warehouse || undefined,
    chargeCode: charge || undefined,
    from: period?.from,
    to: period?.to,
  };
  const isOfRows = importId !== "" || query["view"] === "rows";
  const since = isOfRows ? undefined : timeIn(visit, "since", "Changes since");
  const asOf = importId !== "" || since ? undefined : timeIn(visit);
  const view = isOfRows ? "rows" : since ? "changes" : "totals";
  const perCustomer = view === "totals" && query["pages"] === "customer";
  const byWarehouse = query["by"] === "warehouse";
  const unusual = importId !== "" && query["unusual"] === "yes";
  return { period, importId, unusual, customer, warehouse, charge, view, asOf, since, byWarehouse, perCustomer, filter };
}

/** The import that the selection is of. Throws a Rejection where the organisation has none with its id. */
export async function onlyImport(visit: SignedInVisit, { importId }: Selection, deps: PortalDeps): Promise<ImportView | undefined> {
  if (importId === "") return undefined;
  return (await requireImport(visit.person.organisationId, { kind: "activities", importId }, deps)).view;
}

function codeOf(query: Readonly<Record<string, string>>, name: string): string {
  const code = query[name] ?? "";
  if (code.length > limits.identifierLength) throw new Rejection("invalid", `A code has at most ${limits.identifierLength} characters`);
  return code;
}

/** What every part of the page is made from. */
export interface ActivitiesView {
  readonly visit: SignedInVisit;
  readonly selection: Selection;
  readonly nameOf: NameOfCustomer;
}

/** The page's query, with some parameters changed. */
export function queryOf(selection: Selection, changes: Query = {}): Query {
  const { period, importId, unusual, customer, warehouse, charge, view, asOf, since, byWarehouse, perCustomer } = selection;
  const dates = period?.month ? { month: period.month } : { from: period?.firstDay, to: period?.lastDay };
  const shape = { by: byWarehouse ? "warehouse" : "", view: view === "rows" ? view : "", pages: perCustomer ? "customer" : "" };
  const times = { asOf: asOf?.toISOString(), since: since?.toISOString() };
  return { ...dates, import: importId, unusual: unusual ? "yes" : "", customer, warehouse, charge, ...shape, ...times, ...changes };
}

export const daysInWords = ({ period }: Selection): string => (period ? periodWords(period) : "All days");

/** For a field of a form: a time as clocks in the organisation's zone show it. */
export const wallTime = (at: Date | undefined, { person }: SignedInVisit): string | undefined =>
  at && wallAt(at.getTime(), person.timezone);

export const activitiesAddress = ({ visit, selection }: Pick<ActivitiesView, "visit" | "selection">, changes: Query = {}): string =>
  visit.links.to(activitiesPath, queryOf(selection, changes));

/** What a printed page is of, since it shows neither menu nor filters. `of`: the customer. */
export function printedWords({ visit: { person }, selection, nameOf }: ActivitiesView, of = selection.customer): string[] {
  const { warehouse, charge, asOf, since } = selection;
  const time = asOf ?? since;
  return [
    `${person.organisationName}, activities, ${daysInWords(selection)}`,
    [
      of === "" ? "All customers" : of === noCustomer ? "Without a customer" : (nameOf(of) ?? of),
      ...(warehouse ? [`warehouse ${warehouse}`] : []),
      ...(charge ? [`charge code ${charge}`] : []),
    ].join(", "),
    ...(time ? [`${asOf ? "As known on" : "Changes since"} ${timeInWords(time, person.timezone, true)}`] : []),
    `Days and times are those of ${person.timezone}`,
  ];
}
