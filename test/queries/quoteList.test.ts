import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { organisationFile as fileShape } from "../../src/domain/catalogue/schema.js";
import { oldQuote, recordOldQuote } from "../support/oldQuote.js";
import { organisationFile } from "../support/organisationFile.js";
import { projectLog } from "../support/projectLog.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";

const path = "/v1/org/quote/getQuote";

let service: TestService;
let stranger: TestOrganisation;
beforeAll(async () => {
  service = await startTestService();
  stranger = await service.organisation();
});
afterAll(() => service?.close());

describe("the list of quotes", () => {
  interface Listed {
    quoteId: string;
    customerId: string;
    generatedAt: string;
    cheapest: { totalAmount: number } | null;
  }
  let lister: TestOrganisation;
  let expected: string[];
  const list = async (query = "", organisation = lister) => {
    const response = await organisation.get(`/v1/org/quotes?${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as { items: Listed[]; nextCursor: string | null };
  };
  beforeAll(async () => {
    lister = await service.organisation();
    const own = fileShape.parse(organisationFile(lister.id));
    const old = oldQuote({ organisationId: lister.id, file: own, at: new Date("2026-02-03T04:05:06.789Z") });
    await recordOldQuote(service.eventStore, old);
    const ask = async (customerIds: string[]) => {
      const body = {
        general: { customerIds },
        origin: { postalCode: "2000" },
        destination: { postalCode: "3000" },
        items: [{ quantity: 1, length: 0.1, width: 0.1, height: 0.1, weight: 180 }],
      };
      const { results } = (await (await lister.post(path, body)).json()) as { results: { quoteId: string }[] };
      return results.map(({ quoteId }) => quoteId).toReversed();
    };
    const [first, second] = [await ask(["CUST-001", "CUST-002"]), await ask(["CUST-002"])];
    expected = [...second, ...first, old.quoteId];
    await projectLog(service);
  });

  test("shows the newest quote first, with the cheapest price or the reason why there is none", async () => {
    const { items, nextCursor } = await list();
    expect(items.map(({ quoteId }) => quoteId)).toEqual(expected);
    expect(nextCursor).toBeNull();
    expect(items[2]).toEqual({
      quoteId: expected[2],
      customerId: "CUST-001",
      generatedAt: expect.stringMatching(/^2\d{3}-.*Z$/),
      origin: expect.objectContaining({ postalCode: "2000", state: "NSW" }),
      destination: expect.objectContaining({ suburb: "Melbourne" }),
      serviceCount: 1,
      cheapest: { serviceName: "Road Standard", totalAmount: 118.71 },
      noQuoteMessage: "",
    });
    expect(items[1]).toMatchObject({
      customerId: "CUST-002",
      serviceCount: 0,
      cheapest: null,
      noQuoteMessage: expect.stringMatching(/\w/),
    });
    expect(items[3]).toMatchObject({ generatedAt: "2026-02-03T04:05:06.789Z", cheapest: { totalAmount: 118.71 } });
    for (const { quoteId } of items) expect((await lister.get(`${path}/${quoteId}`)).status).toBe(200);
  });

  test("is paged, and filtered by customer and by time, which includes `from` and excludes `to`", async () => {
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { items: Listed[]; nextCursor: string | null } = await list(`limit=1${cursor ? `&cursor=${cursor}` : ""}`);
      paged.push(...page.items.map(({ quoteId }) => quoteId));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(expected);
    const ids = async (query: string) => (await list(query)).items.map(({ quoteId }) => quoteId);
    expect(await ids("customerId=CUST-001")).toEqual([expected[2], expected[3]]);
    expect(await ids("customerId=made-up")).toEqual([]);
    expect(await ids("to=2026-02-03T04:05:06.789Z")).toEqual([]);
    expect(await ids("to=2026-02-03T04:05:06.790Z&from=2026-02-03T15:05:06.789%2B11:00")).toEqual([expected[3]]);
    expect(await ids("from=2026-02-03T04:05:06.790Z&customerId=CUST-002")).toEqual([expected[0], expected[1]]);
  });

  test("is the organisation's own, and a cursor belongs to the list it came from", async () => {
    expect((await list("", stranger)).items).toEqual([]);
    const { nextCursor } = await list("limit=1");
    for (const [query, organisation] of [
      [`cursor=${nextCursor}`, stranger],
      [`cursor=${nextCursor}&customerId=CUST-001`, lister],
      ["from=yesterday", lister],
      ["to=0000-01-01T00:00:00Z", lister],
      ["to=2026-02-30T00:00:00Z", lister],
      ["limit=0", lister],
      ["limit=501", lister],
      [`customerId=${"x".repeat(65)}`, lister],
    ] as const)
      expect((await organisation.get(`/v1/org/quotes?${query}`)).status, query.slice(0, 40)).toBe(400);
    expect((await lister.get("/v1/org/quotes?customerId=%00&limit=500")).status).toBeLessThan(500);
  });
});
