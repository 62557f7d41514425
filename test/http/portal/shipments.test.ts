import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { streamOf } from "../../../src/events/streams.js";
import { changesBetween } from "../../../src/http/portal/pages/shipments/shipmentWords.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { goodsLine, type Story, tell } from "../../support/importStory.js";
import { addMember, heading, signedIn, type Visitor } from "../../support/portal/portal.js";
import { projectLog } from "../../support/projectLog.js";
import { reverse } from "../../support/reversalStory.js";
import { startTestService, type TestService } from "../../support/service.js";

let service: TestService;
let organisationId: string;
let viewer: Visitor;
/** A time after the first version was recorded and before the second. */
let between: string;

/** Ids with characters that have a meaning in an address or in HTML. */
const strange = ["a/b?c#d%2F", "..", "~..", "new", "<b>&amp;", "Ünï ☃ +1"];

async function record(...stories: Story[]) {
  for (const story of stories) {
    const { stream, events } = tell(story);
    await service.eventStore.append(stream, events, noStream);
  }
  await projectLog(service);
}

beforeAll(async () => {
  service = await startTestService();
  ({ id: organisationId } = await service.organisation());
  viewer = await signedIn(service, await addMember(service, organisationId, "viewer"));
  const many = Array.from({ length: 60 }, (_, n) => ({ accept: goodsLine(`MANY-${String(n).padStart(2, "0")}`) }));
  const first = goodsLine("SO-1", { customerId: "CUST-001", customFields: { dock: "7" } });
  const importId = randomUUID();
  await record({ importId, organisationId, kind: "shipments", sourceDetails: "first.csv", rows: [{ accept: first }, ...many] });
  between = (await service.eventStore.last(streamOf.import(importId)))?.recordedAt.toISOString() ?? "";
  const second = goodsLine("SO-1", { destinationSuburb: "Carlton", item: { itemType: "Pallet", itemQuantity: 2 } });
  await record(
    { organisationId, kind: "shipments", sourceDetails: "second.csv", rows: [{ accept: second }] },
    { organisationId, kind: "shipments", sourceDetails: "strange", rows: strange.map((id) => ({ accept: goodsLine(id) })) },
  );
});
afterAll(() => service?.close());

const text = async (path: string, who = viewer) => {
  const response = await who.get(path);
  return { status: response.status, page: await response.text() };
};
const idsIn = (page: string) =>
  [...page.matchAll(/<th scope="row" data-label="Shipment"><a href="[^"]*">(?:<span[^>]*>)?([^<]*)</g)].map(([, id]) => id);

test("shipments are found by the beginning of their id, customer, reference, place and day, and paged", async () => {
  const all = await text("/portal/shipments");
  expect([all.status, heading(all.page), idsIn(all.page).length]).toEqual([200, "Shipments", 50]);
  const next = /href="([^"]*cursor=[^"]*)" rel="next">Next page/.exec(all.page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const rest = await text(next);
  expect(new Set([...idsIn(all.page), ...idsIn(rest.page)]).size).toBe(61 + strange.length);
  const found = async (query: string) => idsIn((await text(`/portal/shipments?${query}`)).page);
  expect(await found("id=SO-")).toEqual(["SO-1"]);
  expect(await found("id=MANY-0")).toHaveLength(10);
  expect(await found("reference=second.csv")).toEqual(["SO-1"]);
  expect(await found("place=carlton")).toEqual([]); // the shipment's postcode is 3000, which is not Carlton's
  expect(await found("place=3000&id=SO-")).toEqual(["SO-1"]);
  expect(await found("place=Sydney%2C+AU&id=MANY-0")).toHaveLength(10);
  expect(await found("customer=CUST-001")).toEqual([]); // the second version has no customer
  expect(await found("from=2026-03-01&to=2026-03-01&id=SO")).toEqual(["SO-1"]); // recorded on the 1st at 21:00 in Sydney
  expect(await found("from=2026-03-02")).toEqual([]);
  expect((await text("/portal/shipments?id=%00")).status).toBe(400);
  expect((await text(`/portal/shipments?id=${"x".repeat(201)}`)).status).toBe(400);
  expect((await text("/portal/shipments?cursor=x")).status).toBe(400);
});

test.each(["/portal/shipments", "/portal/quotes"])("%s: an invalid day is refused, not ignored", async (path) => {
  for (const query of ["from=1%2F3%2F2026", "to=2026-02-30", "from=2026-3-1"]) {
    const { status, page } = await text(`${path}?${query}`);
    expect([query, status]).toEqual([query, 400]);
    expect(page).toContain("must be a day of the calendar, such as 2026-03-01");
  }
  expect((await text(`${path}?from=&to=9999-12-31`)).status).toBe(200);
});

test("a shipment's page shows its route, lines and every version, with the changes", async () => {
  const { status, page } = await text("/portal/shipments/SO-1");
  expect([status, heading(page)]).toEqual([200, "SO-1"]);
  for (const said of ["Sydney 2000 to Carlton 3000", "Versions (", "Version 1", "Version 2", "first.csv", "second.csv"])
    expect(page).toContain(said);
  expect(page).toContain("Destination suburb: <del>Melbourne</del> <ins>Carlton</ins>");
  expect(page).toContain("Custom field dock: <del>7</del>");
  expect(page).toMatch(/Line 1: <del>[^<]*Carton[^<]*<\/del> <ins>[^<]*Pallet[^<]*<\/ins>/);
  expect(page.indexOf("Version 2")).toBeLessThan(page.indexOf("Version 1"));
});

test("a shipment is shown as it was at a given time", async () => {
  const { page } = await text(`/portal/shipments/SO-1?asOf=${encodeURIComponent(between)}`);
  expect(page).toContain("Sydney 2000 to Melbourne 3000");
  expect(page).toContain("Custom fields");
  expect(page).not.toContain("Version 2");
  expect((await text("/portal/shipments/SO-1?asOf=2020-01-01T00:00")).page).toContain("The ledger did not have this shipment at that time");
  expect((await text("/portal/shipments/SO-1?asOf=yesterday")).status).toBe(400);
});

test("as of a time up to which the tables do not have everything yet a shipment's page is answered 503", async () => {
  const { stream, events } = tell({ organisationId, kind: "shipments", rows: [{ accept: goodsLine("SO-2") }] });
  await service.eventStore.append(stream, events, noStream);
  const page = `/portal/shipments/SO-1?asOf=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`;
  expect((await text(page)).status).toBe(503);
  await projectLog(service);
  expect((await text(page)).status).toBe(200);
});

test("a shipment with any id has a page, and the list links to it", async () => {
  const { page } = await text("/portal/shipments?reference=strange");
  const links = [...page.matchAll(/<th scope="row" data-label="Shipment"><a href="([^"]*)"/g)].map(([, link = ""]) =>
    link.replaceAll("&amp;", "&"),
  );
  expect(links).toHaveLength(strange.length);
  for (const link of links) {
    const shown = await text(link);
    expect([link, shown.status, shown.page.includes("Version 1")]).toEqual([link, 200, true]);
  }
});

test("another organisation's shipment is not found, like one that does not exist", async () => {
  const other = await service.organisation();
  const stranger = await signedIn(service, await addMember(service, other.id, "admin"));
  expect((await text("/portal/shipments/SO-1", stranger)).status).toBe(404);
  expect((await text("/portal/shipments/~SO-1", stranger)).status).toBe(404);
  expect((await text("/portal/shipments/SO-1%00")).status).toBe(400);
  expect(idsIn((await text("/portal/shipments", stranger)).page)).toEqual([]);
  // Both organisations have a shipment with this id: each sees its own versions only.
  await record({ organisationId: other.id, kind: "shipments", sourceDetails: "theirs.csv", rows: [{ accept: goodsLine("SO-1") }] });
  expect((await text("/portal/shipments/SO-1", stranger)).page).not.toContain("first.csv");
  expect((await text("/portal/shipments/SO-1")).page).not.toContain("theirs.csv");
});

test("a shipment of many versions is shown in pages of 20 versions", async () => {
  const stories = Array.from(
    { length: 22 },
    (_, n): Story => ({
      ...{ organisationId, kind: "shipments", sourceDetails: `push ${n}` },
      rows: [{ accept: goodsLine("OFTEN", { rateCardAlias: `card ${n}` }) }],
    }),
  );
  await record(...stories);
  const newest = (await text("/portal/shipments/OFTEN")).page;
  expect(newest.match(/<h3>/g)).toHaveLength(20);
  const older = /href="([^"]*version=2)" rel="next">Next page/.exec(newest)?.[1] ?? "";
  const oldest = (await text(older)).page;
  expect(oldest.match(/<h3>/g)).toHaveLength(2);
  expect(oldest).toContain("Rate card alias: <del>card 0</del> <ins>card 1</ins>");
});

test("a reversed version says when, why and by whom, and the version before it is in the ledger again", async () => {
  const member = await addMember(service, organisationId, "operator");
  const [first, second] = [randomUUID(), randomUUID()];
  const version = (importId: string, originSuburb: string): Story => ({
    ...{ importId, organisationId, kind: "shipments", sourceDetails: `${originSuburb}.csv` },
    rows: [{ accept: goodsLine("TWICE", { originSuburb }) }],
  });
  await record(version(first, "Sydney"), version(second, "Ultimo"));
  const reversalId = randomUUID();
  const by = { kind: "member" as const, id: member.memberId };
  await reverse(service.eventStore, {
    organisationId,
    importId: second,
    count: 1,
    reversalId,
    by,
    reason: "Sent <twice>",
    at: inFuture(1),
  });
  await record();
  const { page } = await text("/portal/shipments/TWICE");
  expect(page).toContain("Sydney 2000 to Melbourne 3000");
  const [, newest = "", oldest = ""] = page.split("<h3>");
  expect(newest).toContain('<span class="badge warn">Reversed</span>');
  expect(newest).toContain("Sent &lt;twice&gt;");
  expect(newest).toContain("by The operator");
  expect(newest).toContain(`/portal/imports/${second}#reversal-${reversalId}`);
  expect(oldest).toContain('<span class="badge good">In the ledger</span>');
  const before = (await text(`/portal/shipments/TWICE?asOf=${encodeURIComponent(inFuture(0))}`)).page;
  expect(before).toContain("Ultimo 2000 to Melbourne 3000");
  expect(before).not.toContain("Reversed");

  const operator = await signedIn(service, member);
  const links = (html: string) =>
    [...html.matchAll(/href="[^"]*\/portal\/imports\/([^"/]*)\/reverse\?shipment=TWICE"/g)].map(([, id]) => id);
  expect(links((await text("/portal/shipments/TWICE", operator)).page)).toEqual([first]);
  expect(links(page)).toEqual([]); // a viewer reverses nothing

  await reverse(service.eventStore, { organisationId, importId: first, count: 1, at: inFuture(2) });
  await record();
  const gone = await text("/portal/shipments/TWICE");
  expect([gone.status, gone.page.match(/<h3>/g)?.length]).toEqual([200, 2]);
  expect(gone.page).toContain("This shipment has no current version: all of them are reversed");
  expect((await text(`/portal/shipments/TWICE?asOf=${encodeURIComponent(inFuture(1))}`)).page).toContain("Sydney 2000 to Melbourne 3000");
  const list = (await text("/portal/shipments?id=TWICE")).page;
  expect(idsIn(list)).toEqual([]);
  expect(list).toContain('<a href="/portal/shipments/TWICE">See the history of TWICE</a>');
  expect((await text("/portal/shipments?id=TWIC")).page).not.toContain("See the history of");
});

/** Imports are recorded now. */
const inFuture = (seconds: number) => new Date(Date.UTC(2100, 0, 1, 0, 0, seconds)).toISOString();

test("added and removed lines are changes too", () => {
  const line = { itemType: "Carton", itemQuantity: 1 };
  const [one, two] = [
    { fields: {}, items: [line] },
    { fields: {}, items: [line, { ...line, itemQuantity: "3" }] },
  ];
  expect(changesBetween(one, one, "UTC")).toEqual([]);
  expect(changesBetween(one, two, "UTC")).toEqual([{ what: "Line 2", before: "", after: "Item type Carton, Item quantity 3" }]);
  expect(changesBetween(two, one, "UTC")).toEqual([{ what: "Line 2", before: "Item type Carton, Item quantity 3", after: "" }]);
});
