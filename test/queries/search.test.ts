// What the search finds: exact matches first, then beginnings, ten of each kind, and nothing of another organisation.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findCustomers } from "../../src/http/portal/pages/search.js";
import { noStream } from "../../src/ports/eventStore.js";
import { findActivities, findImports, findQuotes, findShipments, maxFound } from "../../src/queries/search.js";
import { activity, goodsLine, type Story, tell } from "../support/importStory.js";
import { addMember, heading, signedIn } from "../support/portal/portal.js";
import { projectLog } from "../support/projectLog.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";

let service: TestService;
let own: TestOrganisation;
let other: TestOrganisation;
const importId = randomUUID();
const fileOf = (name: string) => ({ key: "k", name, format: "csv" as const, size: 1, sha256: "0".repeat(64) });

beforeAll(async () => {
  service = await startTestService();
  [own, other] = [await service.organisation(), await service.organisation()];
  const picks = (references: readonly string[]) =>
    references.map((reference) => ({ accept: activity({ reference, customerId: "CUST-001" }) }));
  const stories: Omit<Story, "organisationId">[] = [
    {
      importId,
      kind: "activities",
      sourceDetails: "Oktober",
      file: fileOf("kunde-10.csv"),
      source: "file",
      rows: picks(["WMS-10", "WMS-1"]),
    },
    { kind: "activities", sourceDetails: "Oktober, second part", rows: picks(["WMS-11", "WMS-1"]) },
    { kind: "activities", sourceDetails: "100% _done_", rows: picks(Array.from({ length: 12 }, (_, n) => `MANY-${n}`)) },
    { kind: "shipments", sourceDetails: "Orders", rows: ["SHP-1", "SHP-10", "SHP-2"].map((id) => ({ accept: goodsLine(id) })) },
    { kind: "activities", sourceDetails: "Oktober, running", rows: picks(["WMS-12"]), end: "running" },
  ];
  for (const organisation of [own, other])
    for (const story of stories) {
      const { stream, events } = tell({
        ...story,
        organisationId: organisation.id,
        importId: organisation === own ? story.importId : undefined,
      } as Story);
      await service.eventStore.append(stream, events, noStream);
    }
  await projectLog(service);
});
afterAll(() => service?.close());

const referencesOf = (found: readonly { reference: string }[]) => found.map(({ reference }) => reference);

test("an import is found by its id, its reference and its file's name, in capitals or not", async () => {
  const find = (text: string) => findImports(own.id, text, service.pool);
  expect(referencesOf(await find("oktober"))).toEqual(["Oktober", "Oktober, running", "Oktober, second part"]); // then the newest first
  for (const text of [importId, importId.slice(0, 8), importId.slice(0, 4).toUpperCase(), "KUNDE-10.csv", "kunde"])
    expect(
      (await find(text)).map((found) => found.importId),
      text,
    ).toContain(importId);
  expect(referencesOf(await find("100% _"))).toEqual(["100% _done_"]); // no sign means something else
  for (const text of ["%", "ktober", importId.slice(0, 3), "zz"]) expect(await find(text), text).toEqual([]);
});

test("a shipment is found by its id, and in capitals where it is typed in small letters", async () => {
  const find = async (text: string) => (await findShipments(own.id, text, service.pool)).map(({ shipmentId }) => shipmentId);
  expect(await find("SHP-1")).toEqual(["SHP-1", "SHP-10"]);
  expect(await find("shp-")).toEqual(["SHP-1", "SHP-10", "SHP-2"]);
  expect(await find("HP-1")).toEqual([]);
});

test("an activity of a completed import is found by its reference; no more than ten are", async () => {
  const find = (text: string) => findActivities(own.id, text, service.pool);
  expect(referencesOf(await find("WMS-1"))).toEqual(["WMS-1", "WMS-1", "WMS-11", "WMS-10"]);
  expect(referencesOf(await find("wms-10"))).toEqual(["WMS-10"]);
  expect(await find("many-")).toHaveLength(maxFound);
  expect(await find("WMS-12")).toEqual([]);
});

test("a quote is found by its id, by that of its request, and by the beginning of both", async () => {
  const body = {
    general: { customerIds: ["CUST-001", "CUST-002"] },
    origin: { postalCode: "2000" },
    destination: { postalCode: "3000" },
    items: [{ quantity: 1, length: 0.1, width: 0.1, height: 0.1, weight: 180 }],
  };
  const answer = await own.post("/v1/org/quote/getQuote", body);
  const ids = ((await answer.json()) as { results: { quoteId: string }[] }).results.map(({ quoteId }) => quoteId);
  await projectLog(service);
  const find = async (text: string, of = own) => (await findQuotes(of.id, text, service.pool)).map(({ quoteId }) => quoteId);
  expect(ids).toHaveLength(2);
  expect(await find(ids[1] ?? "")).toEqual([ids[1]]);
  const requestId = (ids[0] ?? "").replace(/-1$/, "");
  expect(await find(requestId)).toEqual(ids);
  expect(await find(requestId.slice(0, 13))).toEqual(ids);
  expect(await find(requestId, other)).toEqual([]);
});

test("a customer is found by id or name: the exact one first", () => {
  const customers = [
    { id: "ACME-2", name: "Acme Two" },
    { id: "X", name: "Acme" },
    { id: "Y", name: "Not Acme" },
  ];
  expect(findCustomers(customers, "acme").map(({ id }) => id)).toEqual(["X", "ACME-2"]);
  expect(
    findCustomers(
      Array.from({ length: 20 }, (_, n) => ({ id: `C${n}`, name: "" })),
      "c",
    ),
  ).toHaveLength(maxFound);
});

test("every role finds by the field of the frame what its organisation has, and leads there", async () => {
  const viewer = await signedIn(service, await addMember(service, own.id, "viewer"));
  const page = async (text: string) => (await viewer.get(`/portal/search?q=${encodeURIComponent(text)}`)).text();
  expect(await (await viewer.get("/portal/help")).text()).toContain('action="/portal/search"');
  const found = await page(" Oktober ");
  expect(heading(found)).toBe("Search: Oktober");
  expect(found).toContain(`href="/portal/imports/${importId}"`);
  expect(await page("SHP-10")).toContain('href="/portal/shipments/SHP-10"');
  expect(await page("WMS-10")).toContain(`href="/portal/activities/${importId}/2"`);
  expect(await page("Acme")).toContain('href="/portal/catalogue/customers/CUST-001"');
  for (const text of ["", "nowhere", "\ud800", "%' or true --", "x".repeat(5_000)]) {
    const answer = await viewer.get(`/portal/search?q=${encodeURIComponent(text.toWellFormed())}`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("Search finds imports by id");
  }
});
