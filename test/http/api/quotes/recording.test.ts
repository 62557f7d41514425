// A request for quotes is recorded as one event of bounded size before it is answered.
import { beforeAll, describe, expect, test } from "vitest";
import { streamOf } from "../../../../src/events/streams.js";
import type { TestOrganisation } from "../../../support/service.js";
import { startTestEventStore } from "../../../support/stores/eventStore.js";
import { catalogue, customers, path, type Response200, rateCard, request, useQuotes } from "./stage.js";

const stage = useQuotes(startTestEventStore);
const { post, quoted } = stage;

describe("a request that is too large to record is refused, and the message names the part that is too large:", () => {
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
    const head = await stage.service.eventStore.head();
    const response = await organisation.post(path, request(more));
    if (response.status !== 400) return response.status;
    expect(await stage.service.eventStore.head()).toEqual(head);
    return ((await response.json()) as { message: unknown }).message;
  };
  const limit = "at most 1048576 bytes can be recorded of one request";
  const escaped = "\u0001".repeat(98);
  const manyItems = Array.from({ length: 1_000 }, () => ({ ...request().items[0], type: `a${escaped}z` }));
  const values = Array.from({ length: 500 }, (_, index) => `${index}${escaped.slice(5)}z`);
  let organisation: TestOrganisation;
  beforeAll(async () => {
    organisation = await stage.service.organisation((given) => Object.assign(given, file()));
  });

  test("the customers' rate cards; with fewer customers or with filters it is accepted", async () => {
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
    const event = await stage.service.eventStore.last(streamOf.quotes(quoteId.slice(0, 36)));
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
    organisation = await stage.service.organisation((given) =>
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

  test("of at most 60 KB for fifty customers with three different rate cards each", async () => {
    expect(await sizeFor(customers)).toBeLessThan(60_000);
  });

  test("that names the API key of the request, in its data and its metadata", async () => {
    const { results } = await quoted();
    const { rows } = await stage.service.pool.query<{ key_id: string }>("select key_id from api_keys where organisation_id = $1", [
      stage.acme.id,
    ]);
    const quoteId = results[0]?.quoteId ?? "";
    expect((await eventOf(quoteId)).by).toEqual({ kind: "key", id: rows[0]?.key_id });
    const stored = await stage.service.eventStore.last(streamOf.quotes(quoteId.slice(0, 36)));
    expect(stored?.metadata).toMatchObject({ organisation: stage.acme.id, actor: `key:${rows[0]?.key_id}`, v: 1 });
  });
});

test("while the event store is away a request for quotes is answered 503, since it cannot be recorded", async () => {
  await stage.service.store.kill();
  try {
    const response = await post(request());
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  } finally {
    await stage.service.store.restart();
  }
  await expect.poll(async () => (await post(request())).status).toBe(200);
});
