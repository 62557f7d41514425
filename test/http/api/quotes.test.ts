import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyOrganisation } from "../../../src/commands/organisations/organisationApply.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import { streamOf } from "../../../src/events/streams.js";
import { quoteResponse } from "../../../src/http/api/routes/quoteResponse.js";
import { organisationDeps, startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

const path = "/v1/org/quote/getQuote";

const rateCard = (id: string, perKg: number, more: object = {}) => ({
  id,
  name: `Card ${id}`,
  serviceId: "roadco-std",
  zoneMapId: "hubs",
  validFrom: "2020-01-01",
  lanes: [{ from: "SYD", to: "MEL", basic: 12.5, perKg, minimum: 20, transit: { min: 1, max: 2, unit: "D" } }],
  fuelLevyPercent: 22.5,
  ...more,
});

const customers = Array.from({ length: 50 }, (_, index) => `CUST-${String(index + 1).padStart(3, "0")}`);

const catalogue = () => ({
  carriers: [{ id: "roadco", name: "RoadCo" }],
  services: [{ id: "roadco-std", carrierId: "roadco", name: "Road Standard", type: "DOMESTIC", class: "STANDARD" }],
  zoneMaps: [
    {
      id: "hubs",
      zones: [
        { zone: "SYD", country: "AU", postcodes: ["2000-2249"] },
        { zone: "MEL", country: "AU", postcodes: ["3000-3207"] },
      ],
    },
  ],
  rateCards: [
    rateCard("road-2026", 0.42),
    rateCard("spot", 0.1, { spot: { message: "This week only", expiresAt: "2999-01-01T00:00:00Z" } }),
  ],
  customers: [
    ...customers.map((customer) => ({ id: customer, name: customer, carrierIds: ["roadco"], rateCardIds: ["road-2026"] })),
    { id: "BOTH", name: "Both cards", rateCardIds: ["road-2026", "spot"] },
    { id: "NONE", name: "No card" },
  ],
});

const request = (more: object = {}) => ({
  general: { customerIds: ["CUST-001"] },
  origin: { postalCode: "2000" },
  destination: { postalCode: "3000" },
  items: [{ quantity: 2, length: 0.5, width: 0.5, height: 0.5, weight: 90, type: "Carton" }],
  ...more,
});

interface Response200 {
  origin: Record<string, string>;
  destination: Record<string, string>;
  goods: Record<string, unknown>[];
  results: { customerId: string; quoteId: string; noQuoteMessage: string; quotes: Record<string, unknown>[] }[];
}

let service: TestService;
let acme: TestOrganisation;
let stranger: TestOrganisation;
let otherUrl: string;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.organisation((file) => Object.assign(file, catalogue()));
  stranger = await service.organisation((file) => Object.assign(file, { customers: [{ id: "THEIRS", name: "Theirs" }] }));
  otherUrl = await service.startAnotherApi();
});
afterAll(() => service?.close());

const post = (body: unknown) => acme.post(path, body);
const quoted = async (more: object = {}): Promise<Response200> => {
  const response = await post(request(more));
  expect(response.status).toBe(200);
  const body = (await response.json()) as Response200;
  expect(quoteResponse.strict().parse(body)).toEqual(body);
  return body;
};

describe("a request that is too large to record is refused, whole, for the part that is:", () => {
  const wordy = Array.from({ length: 25 }, (_, index) => `wordy-${index}`);
  const wordyCustomers = ["WORDY-1", "WORDY-2", "WORDY-3", "WORDY-4"];
  const surchargesOf = (card: string) =>
    Array.from({ length: 50 }, (_, index) => ({
      key: `S${index}`,
      name: `Surcharge ${index}`,
      description: `${card} `.padEnd(200, "d"),
      when: { always: true },
      charge: { flat: 1 },
    }));
  const services = wordy.map((id) => ({ id, carrierId: "roadco", name: id, type: "DOMESTIC", class: "STANDARD" }));
  const cardId = (customer: string, serviceId: string) => `${customer}-${serviceId}`.toLowerCase();
  const cards = wordyCustomers.flatMap((customer) =>
    wordy.map((serviceId) =>
      rateCard(cardId(customer, serviceId), 1, { serviceId, surcharges: surchargesOf(cardId(customer, serviceId)) }),
    ),
  );
  const file = () => ({
    ...catalogue(),
    services: [...catalogue().services, ...services],
    rateCards: [...catalogue().rateCards, ...cards],
    customers: [
      ...catalogue().customers,
      ...wordyCustomers.map((id) => ({ id, name: id, rateCardIds: wordy.map((serviceId) => cardId(id, serviceId)) })),
    ],
  });
  const refusal = async (organisation: TestOrganisation, more: object): Promise<unknown> => {
    const head = await service.eventStore.head();
    const response = await organisation.post(path, request(more));
    if (response.status !== 400) return response.status;
    expect(await service.eventStore.head()).toEqual(head);
    return ((await response.json()) as { message: unknown }).message;
  };
  const limit = "at most 1048576 bytes can be recorded of one request";
  const escaped = "\u0001".repeat(98);
  const manyItems = Array.from({ length: 1_000 }, () => ({ ...request().items[0], type: `a${escaped}z` }));
  const values = Array.from({ length: 500 }, (_, index) => `${index}${escaped.slice(5)}z`);
  let organisation: TestOrganisation;
  beforeAll(async () => {
    organisation = await service.organisation((given) => Object.assign(given, file()));
  });

  test("the customers' rate cards, of which fewer customers or filters leave less", async () => {
    expect(await refusal(organisation, { general: { customerIds: wordyCustomers } })).toEqual([
      `the matching rate cards of the customers hold too much text: ${limit}. Send fewer customers at once, ` +
        "or narrow the request with filters (carrierIds, serviceIds, rateCardIds, serviceTypes, serviceClasses)",
    ]);
    expect(await refusal(organisation, { general: { customerIds: ["WORDY-1"] } })).toBe(200);
    const filters = { serviceIds: wordy.slice(0, 5) };
    expect(await refusal(organisation, { general: { customerIds: wordyCustomers }, filters })).toBe(200);
  });

  test("the items", async () => {
    const filters = { carrierIds: values, serviceIds: values };
    expect(await refusal(organisation, { items: manyItems, filters })).toEqual([
      `items hold too much text: ${limit}. Shorten their types or send fewer of them`,
    ]);
    expect(await refusal(organisation, { items: manyItems })).toBe(200);
  });

  test("the filters", async () => {
    const filters = { carrierIds: values, serviceIds: values, rateCardIds: values, serviceTypes: values };
    expect(await refusal(organisation, { filters })).toEqual([`filters hold too much text: ${limit}. Send fewer values in them`]);
  });
});

describe("a request is recorded as one event", () => {
  const eventOf = async (quoteId: string) => {
    const event = await service.eventStore.last(streamOf.quotes(quoteId.slice(0, 36)));
    expect(event).toMatchObject({ type: "QuotesGenerated", revision: 0n, id: quoteId.slice(0, 36) });
    return event?.data as { items: unknown; by: unknown };
  };
  const services = ["std", "exp", "air"].map((id) => ({
    id,
    carrierId: "roadco",
    name: `Road ${id}`,
    type: "DOMESTIC",
    class: "STANDARD",
  }));
  const surcharges = [
    { key: "TAILLIFT", name: "Tail lift", description: "Delivery by tail lift", when: { always: true }, charge: { flat: 25 } },
  ];
  const cardsOf = (customer: string) =>
    services.map(({ id }) => rateCard(`${customer}-${id}`.toLowerCase(), 0.42, { serviceId: id, surcharges }));
  let organisation: TestOrganisation;
  beforeAll(async () => {
    organisation = await service.organisation((given) =>
      Object.assign(given, {
        ...catalogue(),
        services,
        rateCards: customers.flatMap(cardsOf),
        customers: customers.map((id) => ({ id, name: id, rateCardIds: cardsOf(id).map((card) => card.id) })),
      }),
    );
  });
  const sizeFor = async (customerIds: readonly string[]): Promise<number> => {
    const response = await organisation.post(path, request({ general: { customerIds } }));
    const { results } = (await response.json()) as Response200;
    expect(results.map(({ quotes }) => quotes.length)).toEqual(customerIds.map(() => 3));
    const { items, ...rest } = await eventOf(results[0]?.quoteId ?? "");
    expect(items).toHaveLength(1);
    return Buffer.byteLength(JSON.stringify(rest));
  };

  test("of at most 2 KB beyond its items for one customer with three rate cards", async () => {
    expect(await sizeFor(["CUST-001"])).toBeLessThan(2_000);
  });

  test("of at most 60 KB for fifty customers with three rate cards each, no two of them the same", async () => {
    expect(await sizeFor(customers)).toBeLessThan(60_000);
  });

  test("that names the key which asked, in its data and its metadata", async () => {
    const { results } = await quoted();
    const { rows } = await service.pool.query<{ key_id: string }>("select key_id from api_keys where organisation_id = $1", [acme.id]);
    const quoteId = results[0]?.quoteId ?? "";
    expect((await eventOf(quoteId)).by).toEqual({ kind: "key", id: rows[0]?.key_id });
    const stored = await service.eventStore.last(streamOf.quotes(quoteId.slice(0, 36)));
    expect(stored?.metadata).toMatchObject({ organisation: acme.id, actor: `key:${rows[0]?.key_id}`, v: 1 });
  });
});

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
    for (const { quoteId } of results) expect((await acme.get(`${otherUrl}${path}/${quoteId}`)).status).toBe(200);
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
    const changing = await service.organisation((file) => Object.assign(file, catalogue()));
    const amount = async () => {
      const answer = (await (await changing.post(otherUrl + path, request())).json()) as Response200;
      return answer.results[0]?.quotes[0]?.["amount"];
    };
    expect(await amount()).toBe(88.1);
    const { rateCards, ...rest } = catalogue();
    const organisation = { id: changing.id, name: "Changed" };
    const changed = parseOrganisationFile({ ...rest, organisation, rateCards: [rateCard("road-2026", 0.5), ...rateCards.slice(1)] });
    if (!changed.ok) throw new Error(changed.faults.join("; "));
    await applyOrganisation(organisationDeps(service.pool, service.eventStore), changed.file, {
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
  ])("for %s, by path", async (_, more, message) => {
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
  test("answers at once, at every process, what was answered first, with its one result", async () => {
    const { results, ...shared } = await quoted({ general: { customerIds: ["CUST-001", "BOTH"] } });
    for (const result of results) {
      const response = await acme.get(`${otherUrl}${path}/${result.quoteId}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ ...shared, results: [result] });
    }
  });

  test("is the same 404 for a made-up id, another organisation's quote, and nonsense", async () => {
    const { results } = await quoted();
    const theirs = results[0]?.quoteId ?? "";
    const ids = ["00000000-0000-7000-8000-000000000000", theirs, theirs.slice(0, 36), "nonsense", "..%2F..%2Fimport-x", "x".repeat(5000)];
    const answers = await Promise.all(ids.map((id) => stranger.get(`${path}/${id}`)));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    for (const body of bodies) expect(body).toEqual({ statusCode: 404, message: "There is no quote with this id", error: "Not Found" });
  });
});

test("with the event store away a quote is not answered, since it could not be kept", async () => {
  await service.store.kill();
  try {
    const response = await post(request());
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  } finally {
    await service.store.restart();
  }
  await expect.poll(async () => (await post(request())).status).toBe(200);
});
