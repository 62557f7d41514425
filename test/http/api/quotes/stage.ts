// Two APIs on the same stores, an organisation with rate cards, and another with none.
import { afterAll, beforeAll, expect } from "vitest";
import { quoteResponse } from "../../../../src/http/api/routes/quotes.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";
import type { TestEventStore } from "../../../support/stores/eventStore.js";

export const path = "/v1/org/quote/getQuote";

export const rateCard = (id: string, perKg: number, more: object = {}) => ({
  id,
  name: `Card ${id}`,
  serviceId: "roadco-std",
  zoneMapId: "hubs",
  validFrom: "2020-01-01",
  lanes: [{ from: "SYD", to: "MEL", basic: 12.5, perKg, minimum: 20, transit: { min: 1, max: 2, unit: "D" } }],
  fuelLevyPercent: 22.5,
  ...more,
});

export const customers = Array.from({ length: 50 }, (_, index) => `CUST-${String(index + 1).padStart(3, "0")}`);

export const catalogue = () => ({
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

export const request = (more: object = {}) => ({
  general: { customerIds: ["CUST-001"] },
  origin: { postalCode: "2000" },
  destination: { postalCode: "3000" },
  items: [{ quantity: 2, length: 0.5, width: 0.5, height: 0.5, weight: 90, type: "Carton" }],
  ...more,
});

export interface Response200 {
  origin: Record<string, string>;
  destination: Record<string, string>;
  goods: Record<string, unknown>[];
  results: { customerId: string; quoteId: string; noQuoteMessage: string; quotes: Record<string, unknown>[] }[];
}

/** Starts the stage for all tests of a file. */
export function useQuotes(startStore?: () => Promise<TestEventStore>) {
  let service: TestService;
  let acme: TestOrganisation;
  let stranger: TestOrganisation;
  let otherUrl: string;

  beforeAll(async () => {
    service = await startTestService({}, undefined, {}, startStore);
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

  return {
    get service() {
      return service;
    },
    get acme() {
      return acme;
    },
    get stranger() {
      return stranger;
    },
    get otherUrl() {
      return otherUrl;
    },
    ...{ post, quoted },
  };
}
