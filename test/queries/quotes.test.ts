// Reading quotes: at first from their stream, later from the projection, also quotes of earlier versions.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { applyOrganisation } from "../../src/commands/organisations/organisation.js";
import { organisationFile as fileShape, type OrganisationFile } from "../../src/domain/catalogue/schema.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { explainQuote, organisationOfQuote } from "../../src/queries/quotes/explainQuote.js";
import { findQuote } from "../../src/queries/quotes/quoteList.js";
import { oldQuote, recordOldQuote } from "../support/oldQuote.js";
import { organisationFile } from "../support/organisationFile.js";
import { projectLog } from "../support/projectLog.js";
import { organisationDeps, startTestService, type TestOrganisation, type TestService } from "../support/service.js";

const path = "/v1/org/quote/getQuote";
const logger = pino({ level: "silent" });

let service: TestService;
let acme: TestOrganisation;
let stranger: TestOrganisation;
let file: OrganisationFile;
beforeAll(async () => {
  service = await startTestService();
  acme = await service.organisation();
  stranger = await service.organisation();
  file = fileShape.parse(organisationFile(acme.id));
});
afterAll(() => service?.close());

/** Has half a surrogate pair, which Postgres does not accept. It was sent, so it must be answered. */
const oddType = "Carton \u0001\\n\t'\"\ud800 ä";

async function quoted(
  customerIds: readonly string[] = ["CUST-001"],
  type = "Carton",
): Promise<{ text: string; ids: string[]; shared: object }> {
  const response = await acme.post(path, {
    general: { customerIds },
    origin: { postalCode: "2000" },
    destination: { postalCode: "3000" },
    items: [{ quantity: 2, length: 0.5, width: 0.5, height: 0.5, weight: 90, type }],
  });
  expect(response.status).toBe(200);
  const text = await response.text();
  const { results, ...shared } = JSON.parse(text) as { results: { quoteId: string }[] };
  return { text, ids: results.map(({ quoteId }) => quoteId), shared };
}

const project = () => projectLog(service);

const rebuilt = () =>
  rebuild({
    ...{ pool: service.pool, eventStore: service.eventStore, logger, signal: new AbortController().signal },
    ...{ migrations: migrationStatements(), projections: allProjections.filter(({ name }) => name === "quotes") },
  });

/** Throws when the event store is read: the quote must come from the table. */
const unavailable = () => {
  throw new Error("not to be asked");
};
const fromTable = (organisation: TestOrganisation, quoteId: string) => {
  const eventStore = { ...service.eventStore, read: unavailable as EventStore["read"] };
  return findQuote(organisation.id, quoteId, { pool: service.pool, eventStore });
};
const anywhere = (organisation: TestOrganisation, quoteId: string) =>
  findQuote(organisation.id, quoteId, { pool: service.pool, eventStore: service.eventStore });

describe("a quote", () => {
  test("is answered exactly as at first: at once from its stream, later from the table without the event store", async () => {
    const { text, ids } = await quoted(["CUST-001"], oddType);
    const quoteId = ids[0] ?? "";
    expect(await anywhere(acme, quoteId)).toBe(text);
    expect(await anywhere(acme, quoteId.toUpperCase())).toBe(text);
    expect(await anywhere(stranger, quoteId)).toBeUndefined();
    await project();
    expect(await fromTable(acme, quoteId)).toBe(text);
    expect(await anywhere(stranger, quoteId)).toBeUndefined();
  });

  test("of a request for several customers is answered alone, the same from the stream, the table and memory", async () => {
    const { text, ids, shared } = await quoted(["CUST-001", "CUST-002"]);
    const { results } = JSON.parse(text) as { results: unknown[] };
    const [first, second] = results.map((result) => JSON.stringify({ ...shared, results: [result] }));
    const read = async (how: typeof anywhere) => Promise.all(ids.map((id) => how(acme, id)));
    expect(await read(anywhere)).toEqual([first, second]);
    expect(await (await acme.get(`${path}/${ids[1]}`)).text()).toBe(second);
    await project();
    expect(await read(fromTable)).toEqual([first, second]);
    for (const id of [`${ids[0]?.slice(0, -1)}3`, ids[0]?.slice(0, 36) ?? ""]) expect(await anywhere(acme, id)).toBeUndefined();
  });

  test("that an earlier version of Waybill recorded is fetched from its stream and from the table", async () => {
    const old = await recordOldQuote(service.eventStore, oldQuote({ organisationId: acme.id, file }));
    const text = JSON.stringify(old.response);
    expect(await anywhere(acme, old.quoteId)).toBe(text);
    await project();
    expect(await fromTable(acme, old.quoteId)).toBe(text);
    expect(await anywhere(stranger, old.quoteId)).toBeUndefined();
    expect(await anywhere(acme, `${old.quoteId}-1`)).toBeUndefined();
  });

  test("whose table row is of an earlier version is read from its stream until the table is rebuilt", async () => {
    const { text, ids } = await quoted();
    const quoteId = ids[0] ?? "";
    await project();
    const row = "update quote_requests set version = version - 1, recorded = '{}' where quotes_id = $1";
    expect((await service.pool.query(row, [quoteId.slice(0, 36)])).rowCount).toBe(1);
    expect(await anywhere(acme, quoteId)).toBe(text);
    await expect(fromTable(acme, quoteId)).rejects.toThrow("not to be asked");
    await rebuilt();
    expect(await fromTable(acme, quoteId)).toBe(text);
  });
});

describe("an explanation", () => {
  test("has each step of each price, computed from the catalogue it was priced with, though that has changed since", async () => {
    const { ids } = await quoted();
    const changed = fileShape.parse(organisationFile(acme.id));
    changed.rateCards = [];
    changed.customers = [];
    const deps = organisationDeps(service.pool, service.eventStore);
    expect((await applyOrganisation(deps, changed, { by: { kind: "cli", id: "test" }, correlationId: "test" })).version).toBe(2);
    const explained = await explainQuote(acme.id, ids[0] ?? "", service);
    expect(explained).toMatchObject({ quoteId: ids[0], catalogueVersion: 1, by: { kind: "key" } });
    expect(explained?.explanation).toMatchObject({ agrees: true, differences: [], noQuoteMessage: "" });
    expect(explained?.explanation.cards[0]).toMatchObject({
      entry: { rateCardId: "road-2026", totalAmount: 118.71 },
      terms: { originZone: "SYD", destinationZone: "MEL", lane: { basic: 12.5, breaks: [{ fromKg: 500, perKg: 0.38 }] } },
      steps: {
        kg: 180,
        kgCharge: [{ perKg: 0.42, charge: "75.6" }],
        amount: 88.1,
        fuelBase: 88.1,
        fuel: 19.82,
        gst: 10.79,
        total: 118.71,
      },
      differences: [],
    });
    expect(await explainQuote(stranger.id, ids[0] ?? "", service)).toBeUndefined();
    expect(await organisationOfQuote(ids[0] ?? "", service)).toBe(acme.id);
  });

  test("also exists for a quote of an earlier version, and names the difference of a changed one", async () => {
    const old = await recordOldQuote(service.eventStore, oldQuote({ organisationId: acme.id, file }));
    expect((await explainQuote(acme.id, old.quoteId, service))?.explanation).toMatchObject({ agrees: true, differences: [] });
    const altered = oldQuote({ organisationId: acme.id, file });
    const { results } = altered.response as { results: { quotes: object[] }[] };
    Object.assign(results[0]?.quotes[0] ?? {}, { totalAmount: 118.72 });
    await recordOldQuote(service.eventStore, altered);
    const { explanation } = (await explainQuote(acme.id, altered.quoteId, service)) ?? {};
    expect(explanation?.agrees).toBe(false);
    expect(explanation?.cards[0]?.differences).toEqual(["totalAmount was recorded as 118.72 and is now computed as 118.71"]);
  });
});

describe("the projection", () => {
  test("is rebuilt to the same rows", async () => {
    await project();
    const { comparisons } = await rebuilt();
    expect(comparisons[0]?.rebuilt.rows).toBeGreaterThan(10);
    expect(comparisons[0]?.live).toEqual(comparisons[0]?.rebuilt);
  });

  test("is filled from the beginning of the log when the tables never had it", async () => {
    await project();
    const everything = async () =>
      (await service.pool.query("select q::text from quotes q union all select r::text from quote_requests r order by 1")).rows;
    const before = await everything();
    await service.pool.query("truncate quotes, quote_requests");
    await service.pool.query("delete from checkpoints where projection = 'quotes'");
    await project();
    expect(await everything()).toEqual(before);
  });
});
