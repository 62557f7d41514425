import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generateQuotes } from "../../../src/commands/quotes/generateQuotes.js";
import { quoteRequest } from "../../../src/domain/rating/quoteRequest.js";
import { quoteIdOf } from "../../../src/events/quoteEvents.js";
import { moneyIn, priceLines } from "../../../src/http/portal/pages/quotes/quoteResults.js";
import { explainRequest } from "../../../src/queries/quotes/explainQuote.js";
import { addMember, formToken, signedIn, type Visitor } from "../../support/portal/portal.js";
import { projectLog } from "../../support/projectLog.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

let service: TestService;
let organisation: TestOrganisation;
let operator: Visitor;
let viewer: Visitor;

beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  operator = await signedIn(service, await addMember(service, organisation.id, "operator"));
  viewer = await signedIn(service, await addMember(service, organisation.id, "viewer"));
});
afterAll(() => service?.close());

const good = {
  ...{ customer: "CUST-001", "origin.postcode": "2000", "destination.postcode": "3000" },
  ...{ quantity: "2", length: "0.5", width: "0.4", height: "0.4", weight: "30" },
};

async function send(fields: Record<string, string>, who = operator) {
  const response = await who.post("/portal/quotes", { token: await formToken(who), ...fields });
  return { status: response.status, location: response.headers.get("location") ?? "", page: await response.text() };
}

test("the form shows the prices that the API answers, and how each is made up", async () => {
  const { status, location } = await send(good);
  expect([status, location]).toEqual([303, expect.stringMatching(/^\/portal\/quotes\?quote=/)]);
  const page = await (await viewer.get(location)).text();
  const quoteId = new URL(location, service.url).searchParams.get("quote") ?? "";
  const answered = (await (await organisation.get(`/v1/org/quote/getQuote/${quoteId}`)).json()) as {
    results: { quotes: { serviceName: string; totalAmount: number }[] }[];
  };
  const [first] = answered.results[0]?.quotes ?? [];
  expect(page).toContain(String(first?.serviceName));
  expect(page).toContain((first?.totalAmount ?? 0).toFixed(2));
  for (const said of ["Chargeable weight", "Basic charge", "Freight", "GST, 10% of", "Acme Retail"]) expect(page).toContain(said);
});

const inputValue = (page: string, name: string) => new RegExp(`name="${name.replace(".", "\\.")}"[^>]* value="([^"]*)"`).exec(page)?.[1];

test("the form beside the prices is filled in with what was asked, and an empty one is a link away", async () => {
  const asked = { ...good, quantity: "7", type: "Pallet & lid", "destination.suburb": "Melbourne" };
  const { location } = await send(asked);
  const page = await (await operator.get(location)).text();
  expect(page).toMatch(/value="CUST-001" checked/);
  for (const name of ["origin.postcode", "destination.postcode", "destination.suburb", "quantity", "length", "weight"] as const)
    expect([name, inputValue(page, name)]).toEqual([name, asked[name]]);
  expect(inputValue(page, "type")).toBe("Pallet &amp; lid");
  expect(page).toContain('<a class="button quiet" href="/portal/quotes">Clear form</a>');
  const empty = await (await operator.get("/portal/quotes")).text();
  expect([inputValue(empty, "quantity"), empty.includes("Clear form")]).toEqual(["", false]);
  // The filled form asks for the same again.
  const again = Object.fromEntries(Object.keys(asked).map((name) => [name, inputValue(page, name)?.replace("&amp;", "&") ?? ""]));
  expect((await send({ ...again, customer: "CUST-001" })).status).toBe(303);
});

test("a quote of 200 items fills the form in, and one of 201 does not: the form takes no more", async () => {
  const item = { quantity: 1, length: 0.1, width: 0.1, height: 0.1, weight: 1 };
  for (const [count, rows] of [
    [199, 199],
    [200, 200],
    [201, 3],
  ] as const) {
    const body = {
      general: { customerIds: ["CUST-001"] },
      ...{ origin: { postalCode: "2000" }, destination: { postalCode: "3000" } },
      items: Array.from({ length: count }, () => item),
    };
    const answer = (await (await organisation.post("/v1/org/quote/getQuote", body)).json()) as { results: { quoteId: string }[] };
    const page = await (await operator.get(`/portal/quotes?quote=${answer.results[0]?.quoteId}`)).text();
    expect([count, page.match(/ name="quantity"/g)?.length]).toEqual([count, rows]);
    expect([count, page.includes(`The quote above has ${count} items.`)]).toEqual([count, count > 200]);
  }
});

test("a quote stands in the list of recent quotes as soon as it is made, once, and where the filter fits", async () => {
  const { id, post } = await service.organisation();
  const who = await signedIn(service, await addMember(service, id, "operator"));
  const listed = async (address: string) => {
    const page = await (await who.get(address)).text();
    const list = page.slice(page.indexOf("Quotes, newest first"));
    return [...list.matchAll(/\?quote=([0-9a-f-]+)"/g)].map(([, quoteId]) => quoteId);
  };
  const { location } = await send({ ...good }, who);
  const quoteId = new URL(location, service.url).searchParams.get("quote");
  expect(await listed("/portal/quotes")).toEqual([]); // the tables do not have it: nothing projects here
  const shown = listed(location);
  await projectLog(service);
  expect(await shown).toEqual([quoteId]);
  expect(await listed(`${location}&customer=CUST-001`)).toEqual([quoteId]);
  expect(await listed(`${location}&customer=CUST-002`)).toEqual([]);
  expect(await listed(`${location}&from=2020-01-01&to=2020-01-31`)).toEqual([]);
  // One that the list has passed is not put before newer ones.
  const body = { general: { customerIds: ["CUST-001"] }, origin: { postalCode: "2000" }, destination: { postalCode: "3000" } };
  const item = { quantity: 1, length: 0.1, width: 0.1, height: 0.1, weight: 1 };
  for (let count = 0; count < 50; count += 1) await post("/v1/org/quote/getQuote", { ...body, items: [item] });
  await projectLog(service);
  const newer = await listed(location);
  expect([newer.length, newer.includes(quoteId ?? "")]).toEqual([50, false]);
});

test("prices are shown in the organisation's currency, which is AUD where its file names none", async () => {
  const { location } = await send(good);
  const page = await (await viewer.get(location)).text();
  expect(page).toContain("Total (AUD)");
  expect(page).toMatch(/<strong>\$\d+\.\d\d<\/strong>/);
  const kiwi = await service.organisation((file) => {
    Object.assign(file.organisation, { currency: "NZD" });
  });
  const member = await signedIn(service, await addMember(service, kiwi.id, "operator"));
  const { location: theirs } = await send(good, member);
  const other = await (await member.get(theirs)).text();
  expect(other).toContain("Total (NZD)");
  expect(other).toMatch(/<strong>NZD\s\d+\.\d\d<\/strong>/);
});

test("a currency that nobody knows, or that has no cents, is shown like any other", () => {
  expect([moneyIn("QQQ").cents(12), moneyIn("JPY").cents(12)]).toEqual(["QQQ\u00a012.00", "JPY\u00a012.00"]);
});

test("a rate keeps its decimals, and an amount its cents", () => {
  const { cents, exact } = moneyIn("AUD");
  expect([cents(1234.5), exact(0.4225), exact("75.6"), exact("0.123456789012")]).toEqual([
    "$1,234.50",
    "$0.4225",
    "$75.60",
    "$0.123456789012",
  ]);
});

test("faults are shown in the form's own words, and the form keeps its values", async () => {
  const cases: [Record<string, string>, string][] = [
    [{ ...good, customer: "" }, "Choose at least one customer"],
    [{ ...good, quantity: "x" }, "Quantity of item 1"],
    [{ ...good, weight: "0" }, "Weight (kg each) of item 1"],
    [{ ...good, "origin.postcode": "0000" }, "Origin postcode"],
  ];
  const { customer: _, ...nobody } = good;
  cases.push([nobody, "Choose at least one customer"]);
  for (const [fields, said] of cases) {
    const { status, page } = await send(fields);
    expect([status, page.includes(said)]).toEqual([400, true]);
    expect(page).toContain('value="3000"');
  }
});

test("a viewer sees quotes and cannot make them; another organisation's quote is a 404", async () => {
  expect(await (await viewer.get("/portal/quotes")).text()).not.toContain("Get quotes");
  expect((await send(good, viewer)).status).toBe(403);
  const { location } = await send(good);
  const other = await service.organisation();
  const stranger = await signedIn(service, await addMember(service, other.id, "admin"));
  expect((await stranger.get(location)).status).toBe(404);
  expect((await stranger.get(`/portal/quotes?quote=${randomUUID()}-1`)).status).toBe(404);
  expect((await operator.get("/portal/quotes?quote=x")).status).toBe(404);
});

test("places are suggested by the beginning of a postcode or of a suburb", async () => {
  const places = async (start: string) => {
    const response = await viewer.get(`/portal/quotes/places?start=${encodeURIComponent(start)}`, { accept: "application/json" });
    return ((await response.json()) as { places: { postalCode: string; suburb: string }[] }).places;
  };
  for (const { postalCode } of await places("200")) expect(postalCode).toMatch(/^200/);
  expect((await places("200")).length).toBeGreaterThan(0);
  // 0800 may have lost its zero in a spreadsheet.
  expect((await places("800")).map(({ postalCode }) => postalCode)).toEqual(expect.arrayContaining(["0800", "8001"]));
  expect(await places("2000")).toContainEqual({ postalCode: "2000", suburb: "Sydney", state: "NSW" });
  expect((await places("melb")).map(({ suburb }) => suburb)).toContain("Melbourne");
  expect([await places("2"), await places("%"), await places("x".repeat(500))]).toEqual([[], [], []]);
  expect((await places("20")).length).toBe(12);
});

test("the lines of every price add up to its total, to the cent", async () => {
  const { deps } = service;
  const catalogue = await deps.catalogues(organisation.id, 1);
  const from = {
    organisationId: organisation.id,
    catalogueVersion: 1,
    by: { kind: "cli", id: "test" },
    requestId: "x",
    now: new Date(),
  } as const;
  let cards = 0;
  for (let round = 0; round < 40; round += 1) {
    const item = () => ({ quantity: 1 + (round % 7), length: 0.13 * (1 + round), width: 0.37, height: 0.41, weight: 0.7 + round * 3.3 });
    const body = {
      general: { customerIds: ["CUST-001"] },
      ...{ origin: { postalCode: "2000" }, destination: { postalCode: "3000" } },
      items: Array.from({ length: 1 + (round % 3) }, item),
    };
    const deps_ = { eventStore: service.eventStore, catalogue, geography: deps.geography };
    const { event } = await generateQuotes(deps_, quoteRequest.parse(body), from);
    const found = await explainRequest(organisation.id, quoteIdOf({ quotesId: event.quotesId, number: 1 }), service);
    for (const card of found?.[0]?.explanation.cards ?? []) {
      const cents = (figure: string) => Math.round(Number(figure.replace(/[$,]/g, "")) * 100);
      const sum = priceLines(card, moneyIn("AUD")).reduce((total, { adds, figure }) => (adds ? total + cents(figure) : total), 0);
      expect(sum).toBe(cents(card.entry.totalAmount.toFixed(2)));
      cards += 1;
    }
  }
  expect(cards).toBeGreaterThanOrEqual(40);
});
