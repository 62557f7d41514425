import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSample } from "../../src/audit/quotes/verifyQuotes.js";
import { verify } from "../../src/cli/audit/verify.js";
import { organisationFile as fileShape, type OrganisationFile } from "../../src/domain/catalogue/schema.js";
import { oldQuote, recordOldQuote } from "../support/oldQuote.js";
import { organisationFile } from "../support/organisationFile.js";
import { projectLog } from "../support/projectLog.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";

let service: TestService;
let acme: TestOrganisation;
let file: OrganisationFile;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.organisation();
  file = fileShape.parse(organisationFile(acme.id));
  await acme.post("/v1/org/quote/getQuote", {
    general: { customerIds: ["CUST-001", "CUST-002"] },
    origin: { postalCode: "2000" },
    destination: { postalCode: "3000" },
    items: [{ quantity: 1, length: 0.1, width: 0.1, height: 0.1, weight: 180, type: "half a character: \ud800" }],
  });
  await recordOldQuote(service.eventStore, oldQuote({ organisationId: acme.id, file }));
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

  test("finds a quote whose price comes out differently when computed again, though the tables agree with its event", async () => {
    const cheaper = fileShape.parse(organisationFile(acme.id));
    for (const card of cheaper.rateCards) card.fuelLevyPercent = 22;
    const wrong = await recordOldQuote(service.eventStore, oldQuote({ organisationId: acme.id, file: cheaper }));
    const unknown = await recordOldQuote(service.eventStore, oldQuote({ organisationId: acme.id, file, catalogueVersion: 9 }));
    await projectLog(service);
    for (const all of [false, true]) {
      const found = await sentences(all);
      expect(found).toContain(`quote ${wrong.quoteId}: road-2026: fuel was recorded as 19.38 and is now computed as 19.82`);
      expect(found).toContain(`quote ${unknown.quoteId}: the organisation's stream holds no catalogue version 9`);
      expect(found.filter((sentence) => !sentence.includes(wrong.quoteId) && !sentence.includes(unknown.quoteId))).toEqual([]);
    }
  });
});

test("a sample has every item up to its size, then that many different items", () => {
  const sample = createSample<number>(5);
  for (let n = 0; n < 3; n += 1) sample.offer(n);
  expect(sample.items).toEqual([0, 1, 2]);
  for (let n = 3; n < 1_000; n += 1) sample.offer(n);
  expect(new Set(sample.items).size).toBe(5);
});
