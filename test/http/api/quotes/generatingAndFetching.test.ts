import { describe, expect, test } from "vitest";
import { applyOrganisation } from "../../../../src/commands/organisations/organisation.js";
import { parseOrganisationFile } from "../../../../src/domain/catalogue/organisationFile.js";
import { organisationDeps } from "../../../support/service.js";
import { catalogue, customers, path, type Response200, rateCard, request, useQuotes } from "./stage.js";

const stage = useQuotes();
const { post, quoted } = stage;

describe("generating quotes", () => {
  test("answers exact prices, enriched places and goods in centimetres", async () => {
    const { origin, destination, goods, results } = await quoted();
    expect(origin).toEqual({
      postalCode: "2000",
      suburb: expect.any(String),
      city: "Sydney",
      state: "NSW",
      stateName: "New South Wales",
      countryCode: "AU",
    });
    expect(destination).toMatchObject({ postalCode: "3000", suburb: "Melbourne", state: "VIC" });
    expect(goods).toEqual([{ type: "Carton", quantity: 2, length: 50, width: 50, height: 50, weight: 90, chargeableWeight: 180 }]);
    expect(results).toEqual([
      {
        customerId: "CUST-001",
        quoteId: expect.stringMatching(/^[0-9a-f-]{36}-1$/),
        noQuoteMessage: "",
        quotes: [
          {
            rateId: expect.any(String),
            serviceName: "Road Standard",
            serviceId: "roadco-std",
            rateCardName: "Card road-2026",
            rateCardId: "road-2026",
            amount: 88.1,
            totalAmount: 118.71,
            gstAmount: 10.79,
            isSpotRate: false,
            spotRateMessage: "",
            deliveryTime: "1-2 business days",
            minTransitTime: 1,
            maxTransitTime: 2,
            transitTimeUnit: "D",
            surcharges: [{ name: expect.any(String), description: expect.any(String), key: "FUEL", amount: 19.82 }],
          },
        ],
      },
    ]);
  });

  test.each<[string, object, number]>([
    ["a fraction of a gram", { quantity: 1, length: 0.001, width: 0.001, height: 0.001, weight: 0.0004 }, 0],
    ["a thousand tonnes", { quantity: 1, length: 1, width: 1, height: 1, weight: 1_000_000 }, 1_000_000],
    ["a fraction of a millimetre", { quantity: 3, length: 0.1234567, width: 0.1, height: 0.1, weight: 0.1 }, 0.926],
  ])("weighs %s exactly", async (_, item, chargeableWeight) => {
    const { goods } = await quoted({ items: [item] });
    expect(goods[0]?.["chargeableWeight"]).toBe(chargeableWeight);
  });

  test("gives fifty customers fifty results in their order, each with a quote id of its own", async () => {
    const { results } = await quoted({ general: { customerIds: customers } });
    expect(results.map(({ customerId }) => customerId)).toEqual(customers);
    expect(new Set(results.map(({ quoteId }) => quoteId)).size).toBe(50);
    for (const { quoteId } of results) expect((await stage.acme.get(`${stage.otherUrl}${path}/${quoteId}`)).status).toBe(200);
  });

  test("puts the cheapest first and marks a spot rate", async () => {
    const { results } = await quoted({ general: { customerIds: ["BOTH"] } });
    expect(results[0]?.quotes.map(({ rateCardId, isSpotRate, spotRateMessage }) => [rateCardId, isSpotRate, spotRateMessage])).toEqual([
      ["spot", true, "This week only"],
      ["road-2026", false, ""],
    ]);
    const rateIds = results[0]?.quotes.map(({ rateId }) => rateId);
    expect(new Set(rateIds).size).toBe(2);
  });

  test.each<[string, object]>([
    ["no rate card for the customer", { general: { customerIds: ["NONE"] } }],
    ["nothing left after the filters", { filters: { carrierIds: ["other"] } }],
    ["no rate for the lane", { destination: { postalCode: "6000" } }],
  ])("explains an empty result: %s", async (message, more) => {
    const { results } = await quoted(more);
    expect(results).toHaveLength(1);
    expect(results[0]?.quotes).toEqual([]);
    expect(results[0]?.noQuoteMessage.toLowerCase()).toContain(message);
  });

  test("uses a changed catalogue on the next request", async () => {
    const changing = await stage.service.organisation((file) => Object.assign(file, catalogue()));
    const amount = async () => {
      const answer = (await (await changing.post(stage.otherUrl + path, request())).json()) as Response200;
      return answer.results[0]?.quotes[0]?.["amount"];
    };
    expect(await amount()).toBe(88.1);
    const { rateCards, ...rest } = catalogue();
    const organisation = { id: changing.id, name: "Changed" };
    const changed = parseOrganisationFile({ ...rest, organisation, rateCards: [rateCard("road-2026", 0.5), ...rateCards.slice(1)] });
    if (!changed.ok) throw new Error(changed.faults.join("; "));
    await applyOrganisation(organisationDeps(stage.service.pool, stage.service.eventStore), changed.file, {
      by: { kind: "cli" as const, id: "test" },
      correlationId: "test",
    });
    expect(await amount()).toBe(102.5);
  });
});

describe("a request for quotes is refused", () => {
  test("with 403 and no partial result when any customer is another organisation's or made up", async () => {
    for (const stranger of ["THEIRS", "made-up"]) {
      const response = await post(request({ general: { customerIds: ["CUST-001", stranger] } }));
      expect(response.status).toBe(403);
      expect(await response.json()).toEqual({ statusCode: 403, message: expect.stringContaining(stranger), error: "Forbidden" });
    }
  });

  const item = request().items[0];
  test.each<[string, object, string[]]>([
    ["no customers", { general: { customerIds: [] } }, ["general.customerIds must contain at least 1 element"]],
    ["51 customers", { general: { customerIds: [...customers, "CUST-051"] } }, ["general.customerIds must contain at most 50 elements"]],
    ["customerIds missing", { general: {} }, ["general.customerIds is required"]],
    ["general missing", { general: undefined }, ["general is required"]],
    ["no items", { items: [] }, ["items must contain at least 1 element"]],
    ["an unknown field", { origin: { postalCode: "2000", postcode: "2000" } }, ["origin.postcode is not a recognised field"]],
    ["an unknown filter", { filters: { carriers: [] } }, ["filters.carriers is not a recognised field"]],
    ["a postcode as a number", { origin: { postalCode: 2000 } }, ["origin.postalCode must be a string"]],
    ["quantity 0", { items: [{ ...item, quantity: 0 }] }, ["items.0.quantity must be at least 1"]],
    ["half an item", { items: [{ ...item, quantity: 0.5 }] }, ["items.0.quantity must be a whole number"]],
    ["a negative weight", { items: [item, { ...item, weight: -1 }] }, ["items.1.weight must be greater than 0"]],
    ["a kilometre and more", { items: [{ ...item, length: 1001 }] }, ["items.0.length must be at most 1000"]],
  ])("for %s, and the path is named", async (_, more, message) => {
    const response = await post(request(more));
    expect(await response.json()).toEqual({ statusCode: 400, message, error: "Bad Request" });
    expect(response.status).toBe(400);
  });

  test.each<[string, object, RegExp[]]>([
    ["an unknown postcode", { origin: { postalCode: "9999" } }, [/^origin\.postalCode /]],
    [
      "two unknown postcodes",
      { origin: { postalCode: "9999" }, destination: { postalCode: "x" } },
      [/^origin\.postalCode /, /^destination\.postalCode /],
    ],
    ["a suburb elsewhere", { destination: { postalCode: "3000", suburbName: "Parramatta" } }, [/^destination\.suburbName /]],
    ["no such country", { destination: { postalCode: "3000", countryCode: "XX" } }, [/^destination\.countryCode /]],
    ["another country's code", { destination: { postalCode: "3000", countryCode: "US" } }, [/^destination\.postalCode /]],
  ])("for %s, naming the field", async (_, more, patterns) => {
    const response = await post(request(more));
    expect(response.status).toBe(400);
    const { message } = (await response.json()) as { message: string[] };
    expect(message).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
  });
});

describe("fetching a quote", () => {
  test("answers at once, also at another process, the first answer with this quote's result", async () => {
    const { results, ...shared } = await quoted({ general: { customerIds: ["CUST-001", "BOTH"] } });
    for (const result of results) {
      const response = await stage.acme.get(`${stage.otherUrl}${path}/${result.quoteId}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ ...shared, results: [result] });
    }
  });

  test("is the same 404 for a made-up id, another organisation's quote, and nonsense", async () => {
    const { results } = await quoted();
    const theirs = results[0]?.quoteId ?? "";
    const ids = ["00000000-0000-7000-8000-000000000000", theirs, theirs.slice(0, 36), "nonsense", "..%2F..%2Fimport-x", "x".repeat(5000)];
    const answers = await Promise.all(ids.map((id) => stage.stranger.get(`${path}/${id}`)));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    for (const body of bodies) expect(body).toEqual({ statusCode: 404, message: "There is no quote with this id", error: "Not Found" });
  });
});
