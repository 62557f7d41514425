import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrganisationFile } from "../../../../src/domain/catalogue/schema.js";
import { streamOf } from "../../../../src/events/streams.js";
import { maxFileBytes } from "../../../../src/http/portal/pages/catalogue/fileForm.js";
import { catalogueAt, versionAndClockOf } from "../../../../src/queries/organisations/organisations.js";
import { addMember, formToken, signedIn, type TestMember, type Visitor } from "../../../support/portal/portal.js";
import { changeCatalogue } from "../../../support/portal/portalCatalogue.js";
import { formsIn } from "../../../support/portal/renderedForms.js";
import { startTestService, type TestService } from "../../../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

interface Stage {
  readonly organisationId: string;
  readonly member: TestMember;
  readonly admin: Visitor;
}

async function stage(): Promise<Stage> {
  const { id: organisationId } = await service.organisation();
  const member = await addMember(service, organisationId, "admin");
  return { organisationId, member, admin: await signedIn(service, member) };
}

const present = async (organisationId: string): Promise<{ version: number; file: OrganisationFile }> => {
  const { catalogueVersion: version } = await versionAndClockOf(organisationId, service.pool);
  const file = await catalogueAt(organisationId, version, service.pool);
  if (!file) throw new Error("no catalogue");
  return { version, file };
};

const customers = "/portal/catalogue/customers";
/** Sends a form. What it changes is shown before it is applied. */
const send = async ({ admin }: Stage, path: string, fields: Record<string, string | string[]>, version = "1") => {
  const response = await admin.post(path, { token: await formToken(admin), version, ...fields });
  return { status: response.status, to: response.headers.get("location") ?? "", page: await response.text() };
};
const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&gt;", ">")
    .replaceAll(/\s+/g, " ");
/** Presses Apply on the page that a form has led to. */
const apply = async ({ admin }: Stage, to: string, more: Record<string, string> = {}) => {
  const page = await (await admin.get(to)).text();
  const form = formsIn(page).find(({ action }) => action.endsWith("/apply"));
  const response = await admin.post(form?.action ?? "", { ...form?.fields, ...more });
  const answer = { status: response.status, to: response.headers.get("location") ?? "", page: await response.text() };
  return { shown: textOf(page), ...answer };
};
const change = async (of: Stage, path: string, fields: Record<string, string | string[]>, version = "1") => {
  const sent = await send(of, path, fields, version);
  expect([sent.status, sent.to]).toEqual([303, expect.stringMatching(/^\/portal\/catalogue\/apply\?draft=/)]);
  return apply(of, sent.to);
};
/** What is wrong: one sentence stands at its field, several stand above the form. */
const notice = (page: string) =>
  (/<div class="notice[^"]*"[^>]*>(.*?)<\/div>/s.exec(page)?.[1] ?? /<p class="field-fault"[^>]*>(.*?)<\/p>/s.exec(page)?.[1] ?? "")
    .replaceAll(/<\/?(p|li|ul)>/g, "\n")
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .split("\n")
    .filter((line) => line !== "");

describe("a customer", () => {
  test("is added by a form: the same events as org apply, by the member", async () => {
    const of = await stage();
    const fields = { id: " CUST-014 ", name: "Delta Toys", carrierIds: "airco", rateCardIds: "road-2026" };
    const { status, to, shown } = await change(of, `${customers}/new`, fields);
    expect(shown).toContain("1 added. Nothing has been applied yet.");
    expect([status, to]).toEqual([303, "/portal/catalogue/customers/CUST-014"]);
    const { version, file } = await present(of.organisationId);
    expect(version).toBe(2);
    expect(file.customers.at(-1)).toEqual({ id: "CUST-014", name: "Delta Toys", carrierIds: ["airco"], rateCardIds: ["road-2026"] });
    const last = await service.eventStore.last(streamOf.organisation(of.organisationId));
    expect(last).toMatchObject({
      type: "CatalogueApplied",
      data: { version: 2, changes: ["Customer CUST-014 added"], by: { kind: "member", id: of.member.memberId } },
    });
  });

  test("has its id filled in from the address", async () => {
    const { admin } = await stage();
    const form = formsIn(await (await admin.get(`${customers}/new?id=CUST%20014`)).text()).find(({ action }) => action.endsWith("/new"));
    expect(form?.fields).toMatchObject({ id: "CUST 014", version: "1" });
  });

  test("is changed, keeps the order of its rate cards, and a form that is sent twice is recorded once", async () => {
    const of = await stage();
    await changeCatalogue(service, of.organisationId, of.member, (file) => {
      const [card] = file.rateCards;
      if (card) file.rateCards.unshift({ ...card, id: "road-spot", spot: { message: "", expiresAt: "2030-01-01T00:00:00Z" } });
    });
    const fields = { name: "Acme Retail Group", carrierIds: "roadco", rateCardIds: "road-2026", rateCardIdsOthers: "road-spot, road-2026" };
    for (const shownNow of ["Name: Acme Retail -> Acme Retail Group", "No changes"]) {
      const { status, shown } = await change(of, `${customers}/CUST-001/change`, fields, "2");
      const { version: recorded, file } = await present(of.organisationId);
      expect([status, recorded, shown]).toEqual([303, 3, expect.stringContaining(shownNow)]);
      expect(file.customers[0]).toEqual({
        ...{ id: "CUST-001", name: "Acme Retail Group", carrierIds: ["roadco"] },
        rateCardIds: ["road-2026", "road-spot"],
      });
    }
  });

  test.each([
    ["without a name", { id: "X", name: " " }, ["Name must not be empty."]],
    ["without an id", { id: "", name: "X" }, ["Id must not be empty."]],
    ["with an id of 65 characters", { id: "x".repeat(65), name: "X" }, ["Id must be at most 64 characters long."]],
    ["with an id that is there", { id: "CUST-001", name: "X" }, ["There is a customer CUST-001 already"]],
    ["with an unknown carrier", { id: "X", name: "X", carrierIds: "nobody" }, ['Carriers: "nobody" is not a carrier of this file.']],
    ["with an unknown card", { id: "X", name: "X", rateCardIdsOthers: "none" }, ['Rate cards: "none" is not a rate card of this file.']],
  ])("%s is refused in the form's words, and the form keeps what was typed", async (_, fields, lines) => {
    const of = await stage();
    const { status, page } = await send(of, `${customers}/new`, fields);
    expect([status, notice(page), page.includes("field-fault")]).toEqual([400, lines, true]);
    expect(formsIn(page).find(({ action }) => action.endsWith("/new"))?.fields).toMatchObject({ id: fields.id, version: "1" });
    expect((await present(of.organisationId)).version).toBe(1);
  });

  test("with an id of 64 characters is taken", async () => {
    expect((await send(await stage(), `${customers}/new`, { id: "x".repeat(64), name: "X" })).status).toBe(303);
  });

  test("that is not there cannot be changed", async () => {
    const of = await stage();
    expect((await of.admin.get(`${customers}/NOBODY/change`)).status).toBe(404);
    expect((await send(of, `${customers}/NOBODY/change`, { name: "X" })).status).toBe(404);
  });

  test.each(["", "0", "x", "7", "1e3"])("a form that says it was made from version %j is refused", async (version) => {
    const of = await stage();
    expect((await send(of, `${customers}/new`, { id: "X", name: "X" }, version)).status).toBe(400);
    expect((await present(of.organisationId)).version).toBe(1);
  });
});

describe("two admins at once", () => {
  /** A draft of the second, and then a change of the first. */
  async function draftAndChange(fields: Record<string, string>, first: (file: OrganisationFile) => void) {
    const of = await stage();
    const other = await addMember(service, of.organisationId, "admin");
    const { to } = await send(of, `${customers}/CUST-001/change`, fields);
    await changeCatalogue(service, of.organisationId, other, first);
    return { of, to };
  }

  test("who changed different things: the second is told, and both changes stand", async () => {
    const { of, to } = await draftAndChange({ name: "Renamed", carrierIds: "airco", rateCardIds: "road-2026" }, (file) => {
      file.customers.push({ id: "FIRST", name: "First", carrierIds: [], rateCardIds: [] });
      if (file.customers[0]) file.customers[0].carrierIds = ["airco", "roadco"];
    });
    const { shown, status } = await apply(of, to);
    expect(shown).toMatch(/The admin changed the catalogue on .+, after you had begun\. Both changes are kept\./);
    expect(status).toBe(303);
    const { file, version } = await present(of.organisationId);
    expect([version, file.customers[0], file.customers.at(-1)?.id]).toEqual([
      3,
      { id: "CUST-001", name: "Renamed", carrierIds: ["airco", "roadco"], rateCardIds: ["road-2026"] },
      "FIRST",
    ]);
  });

  test.each([
    ["mine", "Second"],
    ["theirs", "First"],
  ])("who changed the same thing: the second sees both, is asked, and keeps %s", async (keep, name) => {
    const { of, to } = await draftAndChange({ name: "Second", carrierIds: "roadco", rateCardIds: "road-2026" }, (file) => {
      if (file.customers[0]) file.customers[0].name = "First";
    });
    const asked = await apply(of, to); // without an answer
    expect([asked.status, (await present(of.organisationId)).version]).toEqual([409, 2]);
    expect(textOf(asked.page)).toMatch(/Changed by both of you.*Customer CUST-001: Name Acme Retail First Second/);
    const old = await apply(of, to, { keep, version: "1" }); // an answer to what an older version asked
    expect(old.status).toBe(409);
    expect((await apply(of, to, { keep })).status).toBe(303);
    const { file } = await present(of.organisationId);
    expect([file.customers[0]?.name, file.customers[0]?.carrierIds]).toEqual([name, ["roadco"]]);
  });

  test("of whom one removes what the other changes: asked as well", async () => {
    const { of, to } = await draftAndChange({ name: "Second" }, (file) => void file.customers.shift());
    const asked = await apply(of, to);
    expect([asked.status, textOf(asked.page)]).toEqual([409, expect.stringMatching(/Customer CUST-001 changed removed changed/)]);
    expect((await apply(of, to, { keep: "theirs" })).status).toBe(303);
    expect((await present(of.organisationId)).file.customers.map(({ id }) => id)).toEqual(["CUST-002"]);
  });

  test("whose changes do not go together: the second is told what is at fault", async () => {
    const fields = { name: "Acme Retail", carrierIds: "airco", carrierIdsOthers: "roadco", rateCardIds: "road-2026" };
    const { of, to } = await draftAndChange(fields, (file) => {
      file.carriers.shift();
      file.services = [];
      file.rateCards = [];
      for (const customer of file.customers) Object.assign(customer, { carrierIds: ["airco"], rateCardIds: [] });
    });
    const { status, page } = await apply(of, to);
    expect([status, notice(page)]).toEqual([400, ['Customer CUST-001: Carriers: "roadco" is not a carrier of this file.']]);
    expect((await present(of.organisationId)).version).toBe(2);
  });

  test("two forms applied at the same moment are both recorded", async () => {
    const of = await stage();
    const other = { ...of, admin: await signedIn(service, await addMember(service, of.organisationId, "admin")) };
    const drafts = await Promise.all([of, other].map(async (each, n) => send(each, `${customers}/new`, { id: `N${n}`, name: "N" })));
    const answers = await Promise.all([of, other].map(async (each, n) => apply(each, drafts[n]?.to ?? "")));
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const { version, file } = await present(of.organisationId);
    expect([
      version,
      file.customers
        .slice(-2)
        .map(({ id }) => id)
        .sort(),
    ]).toEqual([3, ["N0", "N1"]]);
  });
});

describe("everything else by forms", () => {
  const sent: [string, Record<string, string>, (file: OrganisationFile) => unknown, unknown][] = [
    ["custom-fields/new", { key: "dock", label: "Dock" }, (file) => file.customFields.at(-1), { key: "dock", label: "Dock" }],
    ["custom-fields/costCentre/change", { label: "Cost" }, (file) => file.customFields[0], { key: "costCentre", label: "Cost" }],
    [
      "carriers/new",
      { id: "sea", name: "SeaCo", mandatoryCustomFields: "costCentre" },
      (file) => file.carriers.at(-1),
      { id: "sea", name: "SeaCo", mandatoryCustomFields: ["costCentre"] },
    ],
    [
      "services/new",
      { id: "sea-std", carrierId: "roadco", name: "Sea", type: "DOMESTIC", class: "ECONOMY", cubicFactor: "" },
      (file) => file.services.at(-1),
      { id: "sea-std", carrierId: "roadco", name: "Sea", type: "DOMESTIC", class: "ECONOMY" },
    ],
    [
      "zone-maps/new",
      { id: "nz", "zones.zone": "AKL", "zones.country": "NZ", "zones.postcodes": "1010-1072, 2010" },
      (file) => file.zoneMaps.at(-1),
      { id: "nz", zones: [{ zone: "AKL", country: "NZ", postcodes: ["1010-1072", "2010"] }] },
    ],
    [
      "zone-maps/hubs/zones/new",
      { zone: "REST", country: "AU", postcodes: "" },
      (file) => file.zoneMaps[0]?.zones.at(-1),
      { zone: "REST", country: "AU" },
    ],
    [
      "rate-cards/new",
      {
        ...{
          id: "air",
          name: "Air",
          serviceId: "roadco-std",
          zoneMapId: "hubs",
          validFrom: "2026-01-01",
          validTo: "",
          breakMethod: "total",
        },
        ...{ "lanes.from": "SYD", "lanes.to": "*", "lanes.basic": "10", "lanes.transit.min": "1", "lanes.transit.max": "2" },
        ...{ "lanes.transit.unit": "D", fuelLevyPercent: "12.5" },
      },
      (file) => file.rateCards.at(-1),
      expect.objectContaining({
        ...{ id: "air", validTo: null, spot: null, surcharges: [], fuelLevyPercent: 12.5 },
        lanes: [{ from: "SYD", to: "*", basic: 10, perKg: 0, minimum: 0, breaks: [], transit: { min: 1, max: 2, unit: "D" } }],
      }),
    ],
    [
      "rate-cards/road-2026/surcharges/new",
      { key: "HEAVY", name: "Heavy", "when.itemHeavierThan": "30", "charge.perItem": "12.5", fuelApplies: "on" },
      (file) => file.rateCards[0]?.surcharges.at(-1),
      { key: "HEAVY", name: "Heavy", description: "", when: { itemHeavierThan: 30 }, charge: { perItem: 12.5 }, fuelApplies: true },
    ],
    [
      "organisation",
      { name: "Renamed", cubicFactor: "200", timezone: "Australia/Perth", currency: "NZD" },
      (file) => file.organisation,
      expect.objectContaining({ name: "Renamed", cubicFactor: 200, timezone: "Australia/Perth", currency: "NZD" }),
    ],
  ];
  test.each(sent)("%s", async (path, fields, find, expected) => {
    const of = await stage();
    expect((await change(of, `/portal/catalogue/${path}`, fields)).status).toBe(303);
    expect(find((await present(of.organisationId)).file)).toEqual(expected);
  });

  const card = {
    ...{ name: "Road 2026", serviceId: "roadco-std", zoneMapId: "hubs", breakMethod: "total" },
    ...{ fuelLevyPercent: "", validFrom: "2026-02-01", validTo: "" },
  };

  test("the days of a rate card are changed and ended, and a spot rate begins and ends", async () => {
    const of = await stage();
    const path = "/portal/catalogue/rate-cards/road-2026/change";
    const { shown } = await change(of, path, { ...card, validTo: "2026-12-31", "spot.expiresAt": "2026-12-31T00:00:00Z" });
    expect(shown).toContain("Valid to: none -> 2026-12-31");
    const { file } = await present(of.organisationId);
    expect(file.rateCards[0]).toMatchObject({
      validFrom: "2026-02-01",
      validTo: "2026-12-31",
      spot: { expiresAt: "2026-12-31T00:00:00Z" },
    });
    expect(file.rateCards[0]?.lanes).toHaveLength(1);
    await change(of, path, card, "2");
    expect((await present(of.organisationId)).file.rateCards[0]).toMatchObject({ validTo: null, spot: null, fuelLevyPercent: 0 });
  });

  test.each([
    ["custom-fields/new", { key: "shipmentId", label: "X" }, /^Key "shipmentId" is already the name of a field\./],
    ["custom-fields/new", { key: "9", label: "X" }, /^Key must be a letter followed by/],
    ["custom-fields/new", { key: "project", label: "X" }, /^There is a custom field project already/],
    ["custom-fields/project/change", { label: "" }, /^Label must not be empty\./],
    ["carriers/new", { id: "a b", name: "X" }, /^Id must be letters, digits/],
    ["services/new", { id: "x", name: "X", type: "A", class: "B", carrierId: "none" }, /^Carrier "none" is not a carrier of this file\./],
    [
      "zone-maps/hubs/zones/new",
      { zone: "X", country: "AU", postcodes: "2000-2249" },
      /^Postcodes, X \(AU\): "2000-2249" of zone "X" overlaps Zone map hubs: Postcodes, SYD/,
    ],
    ["organisation", { name: "X", cubicFactor: "abc", timezone: "Moon" }, /^Cubic factor must be a number\./],
    ["rate-cards/road-2026/change", { ...card, validFrom: "2026-02-30" }, /^Valid from must be a date/],
    ["rate-cards/road-2026/change", { ...card, validTo: "2026-01-31" }, /^Valid to must not be before validFrom\./],
    ["rate-cards/road-2026/change", { ...card, fuelLevyPercent: "1001" }, /^Fuel levy must be at most 1000\./],
  ])("%s refuses %j", async (path, fields, line) => {
    const of = await stage();
    const { status, page } = await send(of, `/portal/catalogue/${path}`, fields);
    expect([status, notice(page)[0]]).toEqual([400, expect.stringMatching(line)]);
    expect((await present(of.organisationId)).version).toBe(1);
  });

  test("a validity that would give a customer two prices on a day names the customer", async () => {
    const of = await stage();
    await changeCatalogue(service, of.organisationId, of.member, (file) => {
      const [old] = file.rateCards;
      if (!old) return;
      old.validTo = "2026-12-31";
      file.rateCards.push({ ...old, id: "road-2027", validFrom: "2027-01-01", validTo: null });
      file.customers[0]?.rateCardIds.push("road-2027");
    });
    const { status, page } = await send(of, "/portal/catalogue/rate-cards/road-2026/change", card, "2");
    expect([status, notice(page)]).toEqual([
      400,
      [expect.stringMatching(/^Customer CUST-001: Rate cards: "road-2027" overlaps the validity of "road-2026"/)],
    ]);
  });

  test.each([
    ["carriers/roadco", /^Carrier roadco is used by 1 service \(roadco-std\) and \d customers? \(.+\)\. Change those first/],
    ["services/roadco-std", /^Service roadco-std is used by 1 rate card \(road-2026\)/],
    ["zone-maps/hubs", /^Zone map hubs is used by 1 rate card/],
    ["rate-cards/road-2026", /^Rate card road-2026 is used by \d customer/],
    ["custom-fields/costCentre", /^Custom field costCentre is used by 1 carrier \(roadco\)/],
  ])("%s cannot be removed while it is used, and the page says by what", async (path, line) => {
    const of = await stage();
    const { status, page } = await send(of, `/portal/catalogue/${path}/remove`, {});
    expect([status, notice(page)[0]]).toEqual([400, expect.stringMatching(line)]);
  });

  test("what nothing uses is removed: a customer, a zone; a zone with lanes is not", async () => {
    const of = await stage();
    await changeCatalogue(service, of.organisationId, of.member, (file) => {
      file.zoneMaps[0]?.zones.push({ zone: "SPARE", country: "NZ" });
    });
    const { file } = await present(of.organisationId);
    const place = file.zoneMaps[0]?.zones.length ?? 0;
    await change(of, `/portal/catalogue/zone-maps/hubs/zones/${place}`, { zone: "SPARE", country: "NZ", remove: "on" }, "2");
    await change(of, `${customers}/CUST-002/remove`, {}, "3");
    const after = (await present(of.organisationId)).file;
    expect([after.zoneMaps[0]?.zones.length, after.customers.map(({ id }) => id)]).toEqual([place - 1, ["CUST-001"]]);
    const used = await send(of, "/portal/catalogue/zone-maps/hubs/zones/1", { zone: "SYD", country: "AU", remove: "on" }, "4");
    expect([used.status, notice(used.page)[0]]).toEqual([400, "Zone SYD is used by 1 rate card (road-2026). Change those first"]);
  });
});

describe("the lanes of a rate card", () => {
  const path = "/portal/catalogue/rate-cards/road-2026";
  const lanes = ["SYD MEL 12.5 0.42 20 1 2 D 500 0.38", "MEL SYD 10 0.3 15", "* MEL 30 0.9 0"];
  const columns = ["from", "to", "basic", "perKg", "minimum", "transitMin", "transitMax", "transitUnit", "fromKg1", "perKg1"];
  const csv = [columns.join(), ...lanes.map((lane) => lane.replaceAll(" ", ","))].join("\n");

  /** Version 2 has three lanes. */
  async function stageOfLanes(): Promise<Stage> {
    const of = await stage();
    expect((await apply(of, (await upload(of, csv)).to)).status).toBe(303);
    return of;
  }
  async function upload({ admin }: Stage, content: string | Blob, name = "lanes.csv") {
    const response = await admin.upload(`${path}/lanes/upload`, { token: await formToken(admin) }, new File([content], name));
    return { status: response.status, to: response.headers.get("location") ?? "", page: await response.text() };
  }
  /** The table's fields as a browser sends them, with some cells changed. */
  function table(change: Record<number, string>, chosen: string[] = [], act = "save", more: Record<string, string> = {}) {
    const rows = [...lanes, "", "", ""].map((lane, row) => (change[row] ?? lane).split(" "));
    const cells = columns.map((column, place) => [column, rows.map((row) => row[place] ?? "")] as const);
    return { ...Object.fromEntries(cells), place: ["0", "1", "2", "", "", ""], chosen, act, ...more };
  }
  const lanesOf = async ({ organisationId }: Stage) => (await present(organisationId)).file.rateCards[0]?.lanes ?? [];
  const briefly = async (of: Stage) => (await lanesOf(of)).map(({ from, to, basic, perKg }) => `${from} ${to} ${basic} ${perKg}`);

  test("are edited in the table: one price, a new lane, an emptied row", async () => {
    const of = await stageOfLanes();
    const page = await (await of.admin.get(path)).text();
    expect(page).toMatch(/<input name="perKg" value="0.42"[^>]*aria-label="Per kg, SYD to MEL"/);
    const edits = { 0: "SYD MEL 12.5 0.45 20 1 2 D 500 0.38", 1: "", 3: "SYD * 1 2 3" };
    const { shown, status, to } = await change(of, `${path}/lanes`, table(edits), "2");
    expect(shown).toContain("Per kg, SYD to MEL: 0.42 -> 0.45");
    expect(shown).toContain("Lane MEL to SYD removed");
    expect([status, to, await briefly(of)]).toEqual([303, path, ["SYD MEL 12.5 0.45", "* MEL 30 0.9", "SYD * 1 2"]]);
    expect((await lanesOf(of))[0]).toMatchObject({ transit: { min: 1, max: 2, unit: "D" }, breaks: [{ fromKg: 500, perKg: 0.38 }] });
  });

  test("with a fault are shown again as they were typed, with what is wrong", async () => {
    const of = await stageOfLanes();
    const { status, page } = await send(of, `${path}/lanes`, table({ 0: "SYD MEL 12,5 0.45 20", 3: "SYD XX 1 2 3" }), "2");
    expect([status, notice(page)]).toEqual([400, ['Lane SYD to MEL: basic "12,5" must be a number; write it such as 12.50']]);
    expect(page).toContain('value="12,5"');
    expect(page).toContain('value="XX"');
    const unknown = await send(of, `${path}/lanes`, table({ 3: "SYD XX 1 2 3" }), "2");
    expect(notice(unknown.page)).toEqual(['To, SYD to XX "XX" is not a zone of zone map "hubs".']);
  });

  test.each([
    [["1"], ["SYD MEL 12.5 0.42", "MEL SYD 10.5 0.315", "* MEL 30 0.9"]],
    [[], ["SYD MEL 13.13 0.441", "MEL SYD 10.5 0.315", "* MEL 31.5 0.945"]],
  ])("have their prices changed by a percentage, those of %j", async (chosen, prices) => {
    const of = await stageOfLanes();
    await change(of, `${path}/lanes`, table({}, chosen, "percent", { percent: "5" }), "2");
    expect(await briefly(of)).toEqual(prices);
  });

  test("are removed when they are ticked, and not all of them", async () => {
    const of = await stageOfLanes();
    await change(of, `${path}/lanes`, table({}, ["0", "2"], "remove"), "2");
    expect(await briefly(of)).toEqual(["MEL SYD 10 0.3"]);
    for (const [chosen, line] of [
      [[], "Tick the lanes to remove first"],
      [["0", "1", "2"], "Lanes must contain at least 1 element."],
    ] as const)
      expect(notice((await send(of, `${path}/lanes`, table({}, [...chosen], "remove"), "2")).page)).toEqual([line]);
  });

  test("of two admins who change two lanes: both prices stand", async () => {
    const of = await stageOfLanes();
    const { to } = await send(of, `${path}/lanes`, table({ 0: "SYD MEL 12.5 0.45 20 1 2 D 500 0.38" }), "2");
    await changeCatalogue(service, of.organisationId, of.member, (file) => {
      Object.assign(file.rateCards[0]?.lanes[1] ?? {}, { perKg: 0.31 });
    });
    expect((await apply(of, to)).status).toBe(303);
    expect(await briefly(of)).toEqual(["SYD MEL 12.5 0.45", "MEL SYD 10 0.31", "* MEL 30 0.9"]);
  });

  test.each(["csv", "xlsx"])("come down as %s and go up again without a change", async (format) => {
    const of = await stageOfLanes();
    const response = await of.admin.get(`${path}/lanes.${format}`);
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="road-2026-lanes.${format}"`);
    const file = await response.blob();
    if (format === "csv") expect((await file.text()).replaceAll(/[\r"]/g, "").split("\n")[1]).toBe(lanes[0]?.replaceAll(" ", ","));
    expect(await upload(of, file, `lanes.${format}`)).toMatchObject({ status: 303, to: path });
    expect((await present(of.organisationId)).version).toBe(2);
  });

  test("of a faulty file are refused by line, and nothing changes", async () => {
    const of = await stageOfLanes();
    const { status, page } = await upload(of, `${csv}\nSYD,XX,1,1,1\n\nMEL,MEL,abc`);
    expect([status, notice(page)]).toEqual([400, ['Line 7: basic "abc" must be a number; write it such as 12.50']]);
    const zone = await upload(of, `${csv}\nSYD,XX,1,1,1`);
    expect(notice(zone.page)).toEqual(['Line 5: to "XX" is not a zone of zone map "hubs"']);
    expect(notice((await upload(of, "from,to\n")).page)[0]).toMatch(/no lanes|no rows/i);
    const large = await upload(of, " ".repeat(maxFileBytes + 1));
    expect([large.status, large.page]).toEqual([413, expect.stringContaining("Apply a larger one with org lanes import")]);
    expect((await present(of.organisationId)).version).toBe(2);
  });

  test("are copied to a new card from a day on, which its customers get", async () => {
    const of = await stageOfLanes();
    const fields = { id: "road-2027", name: "Road 2027", firstDay: "2027-01-01", percent: "10" };
    const { shown, to } = await change(of, `${path}/copy`, fields, "2");
    expect(shown).toContain("Valid to: none -> 2026-12-31");
    expect(shown).toContain("Rate cards: road-2027 added");
    expect(to).toBe("/portal/catalogue/rate-cards/road-2027");
    const { file } = await present(of.organisationId);
    expect(file.rateCards.map((card) => [card.id, card.validTo, card.lanes[1]?.basic])).toEqual([
      ["road-2026", "2026-12-31", 10],
      ["road-2027", null, 11],
    ]);
  });

  test.each([0, 52, 53, 99, 100])(
    "with %i breaks each are a form that is small enough to be sent, with every lane ticked",
    async (count) => {
      const of = await stage();
      const breaks = Array.from({ length: count }, (_, index) => ({ fromKg: index + 1, perKg: 1 }));
      await changeCatalogue(service, of.organisationId, of.member, ({ zoneMaps: [map], rateCards: [card] }) => {
        const names = Array.from({ length: 60 }, (_, zone) => `Z${zone}`);
        map?.zones.push(...names.map((zone, n) => ({ zone, country: "AU", postcodes: [String(4000 + n)] })));
        if (card) card.lanes = names.map((from) => ({ from, to: "SYD", basic: 1, perKg: 1, minimum: 1, breaks }));
      });
      const form = /<form\b[^>]*id="lane-form".*?<\/form>/s.exec(await (await of.admin.get(path)).text())?.[0] ?? "";
      const inputs = [...form.matchAll(/<input\b[^>]*\bname="([^"]+)"[^>]*>/g)];
      const valuesOf = (wanted: string) =>
        inputs.flatMap(([tag, name]) => (name === wanted ? [/\bvalue="([^"]*)"/.exec(tag)?.[1] ?? ""] : []));
      const sent = Object.fromEntries([...new Set(inputs.map(([, name = ""]) => name))].map((name) => [name, valuesOf(name)]));
      expect(sent["chosen"]?.length).toBeGreaterThan(2);
      const { status } = await send(of, `${path}/lanes`, { ...sent, act: "percent", percent: "1" }, "2");
      expect(status).toBe(303);
    },
  );

  test("of a card with 9,025 lanes come in pages, and a price of all is changed at once", async () => {
    const of = await stage();
    await changeCatalogue(service, of.organisationId, of.member, (file) => {
      const [map, card] = [file.zoneMaps[0], file.rateCards[0]];
      const names = Array.from({ length: 93 }, (_, n) => `Z${n}`);
      map?.zones.push(...names.map((zone, n) => ({ zone, country: "AU", postcodes: [String(4000 + n)] })));
      const all = ["SYD", "MEL", ...names];
      if (card) card.lanes = all.flatMap((from) => all.map((to) => ({ from, to, basic: 1, perKg: 1, minimum: 1, breaks: [] })));
    });
    const page = await (await of.admin.get(`${path}?lane=8950`)).text();
    expect([...page.matchAll(/name="place"/g)]).toHaveLength(53);
    expect(page.length).toBeLessThan(400_000);
    const { status } = await change(of, `${path}/lanes`, { act: "percent", percent: "1" }, "2");
    expect([status, new Set((await lanesOf(of)).map(({ perKg }) => perKg))]).toEqual([303, new Set([1.01])]);
  });
});
