import { type Catalogue, compileCatalogue } from "../../../src/domain/catalogue/catalogue.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import type { OrganisationFileInput } from "../../../src/domain/catalogue/schema.js";
import type { Location } from "../../../src/domain/geography/geography.js";
import type { Item } from "../../../src/domain/rating/quoteRequest.js";
import { type PricedResult, priceQuotes, type QuoteTask } from "../../../src/domain/rating/quotes.js";
import { sampleFile } from "../catalogue/sample.js";

export type CardInput = NonNullable<OrganisationFileInput["rateCards"]>[number];

export function catalogueOf(file: OrganisationFileInput): Catalogue {
  const parsed = parseOrganisationFile(file);
  if (!parsed.ok) throw new Error(parsed.faults.join("\n"));
  return compileCatalogue(parsed.file);
}

/** The sample organisation with its one card changed. */
export function withCard(changes: Partial<CardInput>): Catalogue {
  const file = sampleFile();
  return catalogueOf({ ...file, rateCards: (file.rateCards ?? []).map((card) => ({ ...card, ...changes })) });
}

function place(postalCode: string, suburb: string, state: string, countryCode = "AU"): Location {
  return { postalCode, suburb, city: suburb, state, stateName: state, countryCode };
}

export const sydney = place("2000", "Sydney", "NSW");
export const melbourne = place("3000", "Melbourne", "VIC");
export const perth = place("6000", "Perth", "WA");
export const auckland = place("1010", "Auckland", "AUK", "NZ");

/** A very small item, so that its weight decides the chargeable weight. */
export function item(changes: Partial<Item> = {}): Item {
  return { quantity: 1, length: 0.1, width: 0.1, height: 0.1, weight: 1, ...changes };
}

export function price(task: Partial<QuoteTask> = {}): PricedResult {
  const { results } = priceQuotes({
    catalogue: withCard({}),
    customerIds: ["CUST-001"],
    items: [item({ quantity: 10, weight: 18 })],
    origin: sydney,
    destination: melbourne,
    filters: {},
    now: new Date("2026-11-15T00:00:00Z"),
    ...task,
  });
  const [result] = results;
  if (!result) throw new Error("no result");
  return result;
}
