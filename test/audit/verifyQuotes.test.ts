import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createSample } from "../../src/audit/quotes/verifyQuotes.js";
import { verify } from "../../src/audit/verify.js";
import { organisationFile as fileShape, type OrganisationFile } from "../../src/domain/catalogue/schema.js";
import { oldQuote, recordOldQuote } from "../support/oldQuote.js";
import { organisationFile } from "../support/organisationFile.js";
import { projectLog } from "../support/projectLog.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";

let service: TestService;
let acme: TestOrganisation;
let file: OrganisationFile;
let request: string;
let old: string;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.organisation();
  file = fileShape.parse(organisationFile(acme.id));
  const response = await acme.post("/v1/org/quote/getQuote", {
    general: { customerIds: ["CUST-001", "CUST-002"] },
    origin: { postalCode: "2000" },
    destination: { postalCode: "3000" },
    items: [{ quantity: 1, length: 0.1, width: 0.1, height: 0.1, weight: 180, type: "half a character: \ud800" }],
  });
  request = ((await response.json()) as { results: { quoteId: string }[] }).results[0]?.quoteId.slice(0, 36) ?? "";
  old = (await recordOldQuote(service.eventStore, oldQuote({ organisationId: acme.id, file }))).quoteId;
  await projectLog(service);
});
afterAll(() => service?.close());

const run = (allQuotes: boolean, organisationId?: string) =>
  verify({
    ...{ pool: service.pool, eventStore: service.eventStore, objectStore: service.objectStore, tempDir: service.deps.tempDir },
    ...{ signal: new AbortController().signal, organisationId, files: false, allQuotes },
  });
const sentences = async (allQuotes = false) => (await run(allQuotes)).findings.first.map(({ sentence }) => sentence);

describe("verify", () => {
  test.each([false, true])(
    "finds nothing wrong with unchanged quotes, and says how many prices it computed again (all: %s)",
    async (all) => {
      const { findings, quotes } = await run(all);
      expect(findings.first).toEqual([]);
      expect(quotes).toEqual({ requests: 2, quotes: 3, derived: 3, seconds: expect.any(Number) });
      expect(quotes.seconds).toBeGreaterThan(0);
      expect((await run(all, "another-organisation")).quotes).toMatchObject({ requests: 0, quotes: 0, derived: 0 });
    },
  );

  describe("finds in the tables", () => {
    afterEach(async () => {
      await service.pool.query("truncate quotes, quote_requests; delete from checkpoints where projection = 'quotes'");
      await projectLog(service);
      expect(await sentences()).toEqual([]);
    });

    test.each<[string, () => string, () => string[]]>([
      [
        "a changed answer",
        () => `update quote_requests set recorded = replace(recorded, '118.71', '118.7') where quotes_id = '${request}'`,
        () => [`quote ${request}: quote_requests.recorded is not as the stream says`],
      ],
      [
        "a changed place",
        () => `update quote_requests set origin = '{}' where quotes_id = '${old}'`,
        () => [`quote ${old}: quote_requests.origin is not as the stream says`],
      ],
      [
        "a changed row of the list",
        () => `update quotes set cheapest_total = 1 where quotes_id = '${old}'`,
        () => [`quote ${old}: its rows in quotes are not as the stream says`],
      ],
      [
        "a quote that is gone from the list",
        () => `delete from quotes where quotes_id = '${request}' and number = 2`,
        () => [`quote ${request}: its rows in quotes are not as the stream says`],
      ],
      [
        "a request that is gone",
        () => `delete from quote_requests where quotes_id = '${request}'`,
        () => [`quote ${request}: it is missing from quote_requests`, `quote ${request}: quotes lists it, quote_requests does not hold it`],
      ],
      [
        "a quote from nowhere",
        () => `insert into quote_requests select '00000000-0000-7000-8000-000000000000', organisation_id, alone, quoted_at, origin, destination, recorded
                 from quote_requests where quotes_id = '${request}'`,
        () => ["quote 00000000-0000-7000-8000-000000000000: quote_requests has it, but there is no such stream"],
      ],
    ])("%s", async (_, change, expected) => {
      await service.pool.query(change());
      expect(await sentences()).toEqual(expected());
    });
  });

  test("finds a quote whose price comes out differently when computed again, though the tables agree with its event", async () => {
    const cheaper = fileShape.parse(organisationFile(acme.id));
    for (const card of cheaper.rateCards) card.fuelLevyPercent = 22;
    const wrong = await recordOldQuote(service.eventStore, oldQuote({ organisationId: acme.id, file: cheaper }));
    const unknown = await recordOldQuote(service.eventStore, oldQuote({ organisationId: acme.id, file, catalogueVersion: 9 }));
    await projectLog(service);
    for (const all of [false, true]) {
      const found = await sentences(all);
      expect(found).toContain(`quote ${wrong.quoteId}: road-2026: fuel was recorded as 19.38 and comes out as 19.82`);
      expect(found).toContain(`quote ${unknown.quoteId}: the organisation's stream holds no catalogue version 9`);
      expect(found.filter((sentence) => !sentence.includes(wrong.quoteId) && !sentence.includes(unknown.quoteId))).toEqual([]);
    }
  });
});

test("a sample has every item up to its size, then that many different items", () => {
  const sample = createSample<number>(5);
  for (let n = 0; n < 3; n += 1) sample.offer(n);
  expect(sample.taken).toEqual([0, 1, 2]);
  for (let n = 3; n < 1_000; n += 1) sample.offer(n);
  expect(new Set(sample.taken).size).toBe(5);
});
