import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrganisationFile } from "../../../../src/domain/catalogue/schema.js";
import { streamOf } from "../../../../src/events/streams.js";
import { catalogueAt, presentOf } from "../../../../src/queries/organisations/organisations.js";
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
  const { catalogueVersion: version } = await presentOf(service.pool, organisationId);
  const file = await catalogueAt(service.pool, organisationId, version);
  if (!file) throw new Error("no catalogue");
  return { version, file };
};

const customers = "/portal/catalogue/customers";
const send = async ({ admin }: Stage, path: string, fields: Record<string, string>, version = "1") => {
  const response = await admin.post(path, { token: await formToken(admin), version, ...fields });
  return { status: response.status, to: response.headers.get("location") ?? "", page: await response.text() };
};
const notice = (page: string) =>
  (/<div class="notice[^"]*"[^>]*>(.*?)<\/div>/s.exec(page)?.[1] ?? "")
    .replaceAll(/<\/?(p|li|ul)>/g, "\n")
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .split("\n")
    .filter((line) => line !== "");

describe("a customer", () => {
  test("is added by a form: the same events as org apply, by the member", async () => {
    const of = await stage();
    const fields = { id: " CUST-014 ", name: "Delta Toys", carrierIds: "airco", rateCardIds: "road-2026" };
    const { status, to } = await send(of, `${customers}/new`, fields);
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

  test("is changed, keeps the order of its rate cards, and a form that is sent twice records once", async () => {
    const of = await stage();
    await changeCatalogue(service, of.organisationId, of.member, (file) => {
      const [card] = file.rateCards;
      if (card) file.rateCards.unshift({ ...card, id: "road-spot", spot: { message: "", expiresAt: "2030-01-01T00:00:00Z" } });
    });
    const change = { name: "Acme Retail Group", carrierIds: "roadco", rateCardIds: "road-2026", rateCardIdsOthers: "road-spot, road-2026" };
    for (const [path, version] of [
      [`${customers}/CUST-001/change`, 3],
      [`${customers}/CUST-001/change`, 3],
    ] as const) {
      const { status } = await send(of, path, change, "2");
      const { version: recorded, file } = await present(of.organisationId);
      expect([status, recorded]).toEqual([303, version]);
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
    expect([status, notice(page)]).toEqual([400, lines]);
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
  test("the second is told what the first changed and keeps what was typed; saved again, both changes stand", async () => {
    const of = await stage();
    const first = await addMember(service, of.organisationId, "admin");
    await changeCatalogue(service, of.organisationId, first, (file) => {
      file.customers.push({ id: "FIRST", name: "First", carrierIds: [], rateCardIds: [] });
    });
    const typed = { name: "Typed by the second", carrierIds: "roadco" };
    const told = await send(of, `${customers}/CUST-001/change`, typed);
    expect(told.status).toBe(409);
    expect(notice(told.page)).toEqual([
      expect.stringMatching(
        /^Nothing was saved: The admin changed the catalogue on .+, after you had opened this page\. Check your entries/,
      ),
      "Customer FIRST added",
    ]);
    const form = formsIn(told.page).find(({ action }) => action.includes("/change"));
    expect(form?.fields).toMatchObject({ name: "Typed by the second", version: "2" });
    expect(told.page).toMatch(/value="roadco" checked/);
    expect(told.page).not.toMatch(/value="airco" checked/);
    expect((await present(of.organisationId)).version).toBe(2);

    expect((await send(of, `${customers}/CUST-001/change`, typed, form?.fields["version"])).status).toBe(303);
    const { file } = await present(of.organisationId);
    expect([file.customers[0]?.name, file.customers.at(-1)?.id]).toEqual(["Typed by the second", "FIRST"]);
  });

  test("a fault after the first has changed something does not hide that change", async () => {
    const of = await stage();
    await changeCatalogue(service, of.organisationId, of.member, (file) => void file.customers.pop());
    const faulty = await send(of, `${customers}/new`, { id: "X", name: "" });
    expect(faulty.status).toBe(400);
    const again = formsIn(faulty.page).find(({ action }) => action.endsWith("/new"))?.fields["version"];
    expect((await send(of, `${customers}/new`, { id: "X", name: "X" }, again)).status).toBe(409);
  });

  test("of two forms sent at the same moment one is recorded and the other is told", async () => {
    const of = await stage();
    const answers = await Promise.all(["A", "B"].map((id) => send(of, `${customers}/new`, { id, name: id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect((await present(of.organisationId)).version).toBe(2);
  });
});

describe("a custom field and the validity of a rate card", () => {
  test("are added and changed", async () => {
    const of = await stage();
    expect((await send(of, "/portal/catalogue/custom-fields/new", { key: "dock", label: "Dock" })).status).toBe(303);
    expect((await send(of, "/portal/catalogue/custom-fields/dock/change", { label: "Dock door" }, "2")).status).toBe(303);
    const validity = "/portal/catalogue/rate-cards/road-2026/validity";
    expect((await send(of, validity, { validFrom: "2026-02-01", validTo: "2026-12-31" }, "3")).status).toBe(303);
    const { file, version } = await present(of.organisationId);
    expect(version).toBe(4);
    expect(file.customFields.at(-1)).toEqual({ key: "dock", label: "Dock door" });
    expect(file.rateCards[0]).toMatchObject({ validFrom: "2026-02-01", validTo: "2026-12-31" });
    expect((await send(of, validity, { validFrom: "2026-02-01", validTo: "" }, "4")).status).toBe(303);
    expect((await present(of.organisationId)).file.rateCards[0]?.validTo).toBeNull();
  });

  test.each([
    ["custom-fields/new", { key: "shipmentId", label: "X" }, /^Key "shipmentId" is already the name of a field\./],
    ["custom-fields/new", { key: "9", label: "X" }, /^Key must be a letter followed by/],
    ["custom-fields/new", { key: "project", label: "X" }, /^There is a custom field project already/],
    ["custom-fields/project/change", { label: "" }, /^Label must not be empty\./],
    ["rate-cards/road-2026/validity", { validFrom: "2026-02-30", validTo: "" }, /^Valid from must be a date/],
    ["rate-cards/road-2026/validity", { validFrom: "2026-02-02", validTo: "2026-02-01" }, /^Valid to must not be before validFrom\./],
  ])("%s refuses %j", async (path, fields, line) => {
    const of = await stage();
    const { status, page } = await send(of, `/portal/catalogue/${path}`, fields);
    expect([status, notice(page)[0]]).toEqual([400, expect.stringMatching(line)]);
    expect((await present(of.organisationId)).version).toBe(1);
  });

  test("a validity that would give a customer two prices on a day names the customer", async () => {
    const of = await stage();
    await changeCatalogue(service, of.organisationId, of.member, (file) => {
      const [card] = file.rateCards;
      if (!card) return;
      card.validTo = "2026-12-31";
      file.rateCards.push({ ...card, id: "road-2027", validFrom: "2027-01-01", validTo: null });
      file.customers[0]?.rateCardIds.push("road-2027");
    });
    const { status, page } = await send(of, "/portal/catalogue/rate-cards/road-2026/validity", { validFrom: "2026-01-01" }, "2");
    expect([status, notice(page)]).toEqual([
      400,
      [expect.stringMatching(/^Customer CUST-001: "road-2027" overlaps the validity of "road-2026"/)],
    ]);
  });
});
