import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseOrganisationFile } from "../../../../src/domain/catalogue/organisationFile.js";
import { catalogueAt } from "../../../../src/queries/organisations/organisations.js";
import { addMember, heading, signedIn, type Visitor } from "../../../support/portal/portal.js";
import { addOwnThings, addSecondVersion, changeCatalogue, ownOf } from "../../../support/portal/portalCatalogue.js";
import { startTestService, type TestService } from "../../../support/service.js";

let service: TestService;
let organisationId: string;
let viewer: Visitor;
let admin: Visitor;

/** An id with characters that have a meaning in an address or in HTML. */
const strange = ["a/b?c#d%2F <b>&amp; Ünï", ".", "..", "new", "~new", "%7E"];

beforeAll(async () => {
  service = await startTestService();
  ({ id: organisationId } = await service.organisation((file) => {
    for (let n = 0; n < 120; n += 1)
      file.customers.push({ id: `MANY-${String(n).padStart(3, "0")}`, name: `Many ${n}`, carrierIds: ["airco"], rateCardIds: [] });
    addOwnThings(file);
    for (const id of strange) file.customers.push({ id, name: `Odd-${strange.indexOf(id)}-one`, carrierIds: [], rateCardIds: [] });
  }));
  const member = await addMember(service, organisationId, "admin");
  admin = await signedIn(service, member);
  viewer = await signedIn(service, await addMember(service, organisationId, "viewer"));
  await addSecondVersion(service, organisationId, member);
});
afterAll(() => service?.close());

const open = async (path: string, who = viewer) => {
  const response = await who.get(path);
  return { status: response.status, page: await response.text() };
};
const rowsOf = (page: string) => [...page.matchAll(/<th scope="row"[^>]*>(.*?)<\/th>/gs)].map(([, cell = ""]) => textOf(cell));
const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

describe("the lists", () => {
  test("show customers first, 50 to a page, with the next page one link away", async () => {
    const { page } = await open("/portal/catalogue");
    expect(heading(page)).toBe("Catalogue");
    expect(rowsOf(page)).toHaveLength(50);
    expect(rowsOf(page).slice(0, 3)).toEqual(["Acme Retail CUST-001", "Beta Books CUST-002", "Many 0 MANY-000"]);
    const next = /<a href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(rowsOf((await open(next)).page)[0]).toBe("Many 48 MANY-048");
    expect(rowsOf((await open("/portal/catalogue?after=100")).page)).toHaveLength(28);
  });

  test.each([
    ["", "acme", ["Acme Retail CUST-001"]],
    ["", "retail cust-0", ["Acme Retail CUST-001"]],
    ["carriers", "roadco", ["RoadCo roadco"]],
    ["services", "roadco standard", ["Road Standard roadco-std"]],
    ["zone-maps", "hubs mel", ["hubs"]],
    ["rate-cards", "rail", ["Rail 2027"]],
    ["custom-fields", "proj", ["Project project"]],
    ["no such list", "beta", ["Beta Books CUST-002"]],
  ])("of %j find %j", async (list, search, found) => {
    expect(
      rowsOf((await open(`/portal/catalogue?${new URLSearchParams({ list, search })}`)).page).map((row) =>
        row.replace(` ${ownOf(organisationId)}`, ""),
      ),
    ).toEqual(found);
  });

  test("say so where nothing fits, and take no wrong place in a list for an error", async () => {
    expect((await open("/portal/catalogue?search=nothing")).page).toContain("No customers match this search");
    for (const from of ["-1", "x", "99999999999", "9999999"]) expect((await open(`/portal/catalogue?after=${from}`)).status).toBe(200);
  });

  test("offer changes to admins only", async () => {
    for (const [who, offered] of [
      [admin, true],
      [viewer, false],
    ] as const) {
      expect((await open("/portal/catalogue", who)).page.includes("Add customer")).toBe(offered);
      expect((await open("/portal/catalogue", who)).page.includes("Upload organisation file")).toBe(offered);
      expect((await open("/portal/catalogue/customers/CUST-001", who)).page.includes("/customers/CUST-001/change")).toBe(offered);
    }
  });
});

describe("the page of a thing", () => {
  test.each([
    ["customers/CUST-001", "Acme Retail", ["AirCo", "Road 2026"]],
    ["carriers/roadco", "RoadCo", ["Cost centre", "Road Standard", "Beta Books"]],
    ["services/roadco-std", "Road Standard", ["RoadCo", "250 kg per cubic metre", "Road 2026"]],
    ["zone-maps/hubs", "hubs", ["2000-2249", "Road 2026"]],
    ["rate-cards/road-2026", "Road 2026", ["1 Jan 2026 to 30 June 2027", "SYD MEL", "0.44", "500 0.38", "1 2 D", "Acme Retail"]],
    ["rate-cards/OWN", "Rail 2027", ["Not valid yet", "SYD * 18.50", "1.125", "An item longer than 2 m, To zones MEL", "Per item 40.00"]],
    ["custom-fields/costCentre", "Cost centre", ["customFields.costCentre", "RoadCo"]],
  ])("%s shows what it is and where it is used", async (address, title, shown) => {
    const { page } = await open(`/portal/catalogue/${address.replace("OWN", ownOf(organisationId))}`);
    expect(heading(page)).toBe(title);
    for (const text of shown) expect(textOf(page)).toContain(text);
  });

  test.each(strange.map((id, index) => [id, index]))("is found by the id %j, and so is its form", async (_, index) => {
    const { page } = await open(`/portal/catalogue?search=odd-${index}-one`);
    const link = /<a href="(\/portal\/catalogue\/customers\/[^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const { status, page: found } = await open(new URL(link, service.url).pathname); // as a browser reads the address
    expect([status, heading(found)]).toEqual([200, `Odd-${index}-one`]);
    expect(found).not.toContain("<b>");
    const change = await open(new URL(`${link}/change`, service.url).pathname, admin);
    expect([change.status, heading(change.page)]).toEqual([200, `Change Odd-${index}-one`]);
  });

  test("of another organisation does not exist, like a made-up one", async () => {
    const other = await service.organisation((file) =>
      file.customers.push({ id: "THEIRS", name: "Theirs", carrierIds: [], rateCardIds: [] }),
    );
    expect(other.id).not.toBe(organisationId);
    for (const kind of ["customer", "carrier", "service", "zone-map", "rate-card", "custom-field"])
      for (const id of ["THEIRS", "made-up"]) expect((await open(`/portal/catalogue/${kind}s/${id}`)).status).toBe(404);
  });

  test("a zone is found by its name and by a postcode that it holds", async () => {
    const zones = async (search: string) => rowsOf((await open(`/portal/catalogue/zone-maps/hubs?search=${search}`)).page);
    expect(await zones("syd")).toEqual(expect.arrayContaining(["SYD"]));
    expect((await zones("2100")).filter((row) => /^[A-Z]{3}$/.test(row))).toEqual(["SYD"]);
    expect((await zones("9999")).filter((row) => /^[A-Z]{3}$/.test(row))).toEqual([]);
  });
});

describe("the versions", () => {
  test("are listed newest first, with who applied them and what changed", async () => {
    const { page } = await open("/portal/catalogue/versions");
    expect(rowsOf(page)).toEqual(["2", "1"]);
    expect(textOf(page)).toContain("The admin");
    expect(textOf(page)).toContain("The command line");
    expect(textOf(page)).toContain("Rate card road-2026: Valid to none -&gt; 2027-06-30");
  });

  test("a row that an earlier release has stored shows that more is not known yet", async () => {
    const { id } = await service.organisation();
    await service.pool.query("update catalogues set applied_at = null, applied_by = null, changes = null where organisation_id = $1", [id]);
    const who = await signedIn(service, await addMember(service, id, "viewer"));
    const { status, page } = await open("/portal/catalogue/versions", who);
    expect([status, textOf(page)]).toEqual([200, expect.stringContaining("Not known yet")]);
  });

  test("any two can be compared, in both directions", async () => {
    const { page } = await open("/portal/catalogue/changes?from=1&to=2");
    expect(textOf(page)).toContain("1 added, 1 changed");
    expect(textOf(page)).toContain("Per kg, SYD to MEL: 0.42 -&gt; 0.44");
    const back = await open("/portal/catalogue/changes?from=2&to=1");
    expect(textOf(back.page)).toContain("1 changed, 1 removed");
    expect((await open("/portal/catalogue/changes?from=2&to=2")).page).toContain("Nothing differs");
  });

  test.each([
    ["from=1&to=3", 404],
    ["from=0&to=1", 400],
    ["from=x&to=1", 400],
    ["from=1", 200],
    ["", 200],
    ["from=1&to=9999999999", 400],
  ])("?%s is %i", async (query, status) => {
    expect((await open(`/portal/catalogue/changes?${query}`)).status).toBe(status);
  });

  test("each can be downloaded as the organisation file, which can be applied as it is", async () => {
    const response = await viewer.get("/portal/catalogue/organisation.json?version=1");
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${organisationId}-version-1.json"`);
    const text = await response.text();
    const parsed = parseOrganisationFile(JSON.parse(text));
    expect(parsed).toEqual({ ok: true, file: await catalogueAt(organisationId, 1, service.pool) });
    expect(Object.keys(JSON.parse(text))).toEqual([
      "organisation",
      "customFields",
      "carriers",
      "services",
      "zoneMaps",
      "rateCards",
      "customers",
    ]);
    expect(Object.keys(JSON.parse(text).rateCards[0].lanes[0]).slice(0, 2)).toEqual(["from", "to"]);
    for (const [version, status] of Object.entries({ "3": 404, x: 400, "": 400 }))
      expect((await viewer.get(`/portal/catalogue/organisation.json?version=${version}`)).status).toBe(status);
  });

  test("a change of hundreds of lanes is shown in pages, and the list of versions names a few", async () => {
    const { id } = await service.organisation((file) => {
      file.zoneMaps[0]?.zones.push(...Array.from({ length: 80 }, (_, n) => ({ zone: `Z${n}`, country: "AU", postcodes: [`${5000 + n}`] })));
    });
    const member = await addMember(service, id, "admin");
    await changeCatalogue(service, id, member, (file) => {
      for (const zone of file.zoneMaps[0]?.zones ?? [])
        zone.postcodes = [...(zone.postcodes ?? []), `${Number(zone.postcodes?.[0]?.slice(0, 4)) + 1000}`];
    });
    const who = await signedIn(service, member);
    expect(textOf((await open("/portal/catalogue/versions", who)).page)).toContain("All 82 changes");
    const first = await open("/portal/catalogue/changes?from=1&to=2", who);
    expect(rowsOf(first.page)).toHaveLength(50);
    const next = /<a href="([^"]+)" rel="next"/.exec(first.page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(rowsOf((await open(next, who)).page)).toHaveLength(32);
  });
});
