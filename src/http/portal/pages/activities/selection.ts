// Which activities the page shows, from its address, and addresses that show others.
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { ActivityFilter } from "../../../../queries/activities/activityFilter.js";
import type { Query } from "../../links.js";
import type { SignedInVisit } from "../../page.js";
import type { NameOfCustomer } from "../customers.js";
import { type Period, periodOf } from "../days.js";

export const activitiesPath = "/portal/activities";

/** The customer of activities that name none. No customer's id has brackets. */
export const noCustomer = "(none)";

export interface Selection {
  readonly period: Period;
  /** The customer, warehouse and charge code in the address; empty for all. */
  readonly customer: string;
  readonly warehouse: string;
  readonly charge: string;
  readonly view: "totals" | "rows";
  /** Totals of each warehouse by itself. */
  readonly byWarehouse: boolean;
  /** A table of totals for each customer, printed on a page of its own. */
  readonly perCustomer: boolean;
  readonly filter: ActivityFilter & { readonly from: Date; readonly to: Date };
}

export function selectionOf({ query, person }: SignedInVisit, now: Date): Selection {
  const period = periodOf(query, person.timezone, now);
  const [customer, warehouse, charge] = [codeOf(query, "customer"), codeOf(query, "warehouse"), codeOf(query, "charge")];
  const filter = {
    customerId: customer === noCustomer ? "" : customer || undefined,
    warehouseCode: warehouse || undefined,
    chargeCode: charge || undefined,
    from: period.from,
    to: period.to,
  };
  const view = query["view"] === "rows" ? "rows" : "totals";
  const perCustomer = view === "totals" && query["pages"] === "customer";
  return { period, customer, warehouse, charge, view, byWarehouse: query["by"] === "warehouse", perCustomer, filter };
}

function codeOf(query: Readonly<Record<string, string>>, name: string): string {
  const code = query[name] ?? "";
  if (code.length > limits.identifierLength) throw new Rejection("invalid", `A code has at most ${limits.identifierLength} characters`);
  return code;
}

/** What every part of the page is made from. */
export interface OfActivities {
  readonly visit: SignedInVisit;
  readonly selection: Selection;
  readonly nameOf: NameOfCustomer;
}

/** The page's query, with some parameters changed. */
export function queryOf({ period, customer, warehouse, charge, view, byWarehouse, perCustomer }: Selection, changes: Query = {}): Query {
  const dates = period.month ? { month: period.month } : { from: period.firstDay, to: period.lastDay };
  const shape = { by: byWarehouse ? "warehouse" : "", view: view === "rows" ? view : "", pages: perCustomer ? "customer" : "" };
  return { ...dates, customer, warehouse, charge, ...shape, ...changes };
}

export const addressOf = ({ visit, selection }: Pick<OfActivities, "visit" | "selection">, changes: Query = {}): string =>
  visit.links.to(activitiesPath, queryOf(selection, changes));

/** What a printed page is of, since it does not show the filters. `of`: the customer. */
export function printedWords({ visit: { person }, selection, nameOf }: OfActivities, of = selection.customer): string {
  const { warehouse, charge } = selection;
  const parts = [
    person.organisationName,
    ...(of ? [of === noCustomer ? "without a customer" : (nameOf(of) ?? of)] : []),
    ...(warehouse ? [`warehouse ${warehouse}`] : []),
    ...(charge ? [`charge code ${charge}`] : []),
  ];
  return `${parts.join(", ")}. Days are those of ${person.timezone}.`;
}
