import type { Catalogue } from "../../../../domain/catalogue/catalogue.js";
import { type KnownCode, nearestCodes } from "../../../../domain/nearestCodes.js";
import { Rejection } from "../../../../domain/rejection.js";
import { activityChoices, mostChoices } from "../../../../queries/activities/activityCodes.js";
import { send } from "../../../server/requestFrame.js";
import { defineAnswer, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { presentCatalogue } from "../customers.js";
import { correctionsPath } from "./correctionsFilter.js";

/** The fields whose values the organisation knows. */
export const suggestedFields = ["customerId", "warehouseCode", "chargeCode"] as const;
type SuggestedField = (typeof suggestedFields)[number];

const mostSuggestions = 8;
const longestText = 200;

/** Known values for a cell: those near its text first, then others. */
export const suggestionsAnswer = defineAnswer(`${correctionsPath}/suggestions`, "look", async (visit, deps) => {
  const field = suggestedFields.find((each) => each === visit.query["field"]);
  if (field === undefined) throw new Rejection("invalid", `field must be one of ${suggestedFields.join(", ")}`);
  const text = (visit.query["text"] ?? "").slice(0, longestText);
  return send(visit.context, {
    status: 200,
    body: { suggestions: nearestCodes(text, await knownFor(field, visit, deps), mostSuggestions) },
  });
});

export const knownCustomers = ({ customers }: Catalogue): KnownCode[] =>
  [...customers].map(([value, { name }]) => ({ value, label: name }));

async function knownFor(field: SuggestedField, visit: SignedInVisit, deps: PortalDeps): Promise<Iterable<KnownCode>> {
  if (field === "customerId") {
    const { catalogue } = await presentCatalogue(visit, deps);
    return knownCustomers(catalogue);
  }
  const { warehouseCodes, chargeCodes } = await activityChoices(visit.person.organisationId, deps.pool);
  return (field === "warehouseCode" ? warehouseCodes : chargeCodes).slice(0, mostChoices).map((value) => ({ value }));
}
