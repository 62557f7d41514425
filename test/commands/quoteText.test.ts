import { expect, test } from "vitest";
import { quoteTexts } from "../../src/commands/quoteText.js";
import { demoOrganisation } from "../../src/demo/demoOrganisation.js";
import { compileCatalogue } from "../../src/domain/catalogue/catalogue.js";
import { parseOrganisationFile } from "../../src/domain/catalogue/organisationFile.js";
import { priceQuotes } from "../../src/domain/rating/quotes.js";
import { eventSchemas } from "../../src/events/registry.js";

const place = (postalCode: string) => ({
  postalCode,
  suburb: 'Sub "urb" ä',
  city: "C",
  state: "NSW",
  stateName: "New South Wales",
  countryCode: "AU",
});

test("the text of every quote is what its pieces would be as one object, and all customers' are told apart", () => {
  const parsed = parseOrganisationFile(demoOrganisation);
  if (!parsed.ok) throw new Error(parsed.faults.join("; "));
  const { customers } = parsed.file;
  const [origin, destination, filters] = [place("2000"), place("3000"), { serviceTypes: ["DOMESTIC"] }];
  const items = [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30, type: '"Pallet"\n' }];
  const task = {
    catalogue: compileCatalogue(parsed.file),
    customerIds: customers.map(({ id }) => id),
    items,
    origin,
    destination,
    filters,
  };
  // Twice, since much of the second time's text is remembered.
  for (const now of [new Date("2026-06-01T00:00:00Z"), new Date("2026-06-02T00:00:00Z")]) {
    const { goods, results } = priceQuotes({ ...task, now });
    expect(results.some(({ quotes }) => quotes.length > 1)).toBe(true);
    const asked = {
      organisationId: 'de"mo',
      catalogueVersion: 3,
      by: { kind: "key", id: "k-1" } as const,
      requestId: "r-1",
      at: now.toISOString(),
    };
    const named = results.map((result, index) => ({ ...result, quoteId: `id-${index}` }));
    const texts = quoteTexts({ ...asked, origin, destination, goods, filters }, named);

    const answered = named.map(({ quoteId, customerId, noQuoteMessage, quotes }) => ({
      ...{ customerId, quoteId, noQuoteMessage },
      quotes: quotes.map((quote, index) => ({ rateId: `${quoteId}-${index + 1}`, ...quote })),
    }));
    expect(texts.response).toBe(JSON.stringify({ origin, destination, goods, results: answered }));
    for (const [index, { quoteId, response, event }] of texts.quotes.entries()) {
      const { basis, customerId } = named[index] as (typeof named)[number];
      const { organisationId, catalogueVersion, ...rest } = asked;
      const whole = { origin, destination, goods, results: [answered[index]] };
      expect(response).toBe(JSON.stringify(whole));
      expect(event).toBe(
        JSON.stringify({ quoteId, organisationId, customerId, catalogueVersion, response: whole, basis: { ...basis, filters }, ...rest }),
      );
      expect(eventSchemas.QuoteGenerated.parse(JSON.parse(event))).toEqual(JSON.parse(event));
    }
  }
});
