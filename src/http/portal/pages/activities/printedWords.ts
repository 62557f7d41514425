import type { SignedInVisit } from "../../visit.js";
import { type Asked, noCustomer } from "./asked.js";
import type { NameOfCustomer } from "./names.js";

/** What a printed page is of, since it does not show the filters. */
export function printedWords(
  { person }: SignedInVisit,
  { customer, warehouse, charge }: Asked,
  nameOf: NameOfCustomer,
  of = customer,
): string {
  const parts = [
    person.organisationName,
    ...(of ? [of === noCustomer ? "without a customer" : (nameOf(of) ?? of)] : []),
    ...(warehouse ? [`warehouse ${warehouse}`] : []),
    ...(charge ? [`charge code ${charge}`] : []),
  ];
  return `${parts.join(", ")}. Days are those of ${person.timezone}.`;
}
