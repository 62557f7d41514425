import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { maxFileBytes } from "../../../../src/http/portal/pages/catalogue/fileForm.js";
import { versionAndClockOf } from "../../../../src/queries/organisations/organisations.js";
import { addMember, formToken, signedIn, type TestMember, type Visitor } from "../../../support/portal/portal.js";
import { changeCatalogue } from "../../../support/portal/portalCatalogue.js";
import { formsIn } from "../../../support/portal/renderedForms.js";
import { startTestService, type TestService } from "../../../support/service.js";

let service: TestService;
let organisationId: string;
let member: TestMember;
let admin: Visitor;
beforeAll(async () => {
  service = await startTestService();
});
beforeAll(async () => {
  ({ id: organisationId } = await service.organisation());
  member = await addMember(service, organisationId, "admin");
  admin = await signedIn(service, member);
});
afterAll(() => service?.close());

const path = "/portal/catalogue/upload";
const version = async () => (await versionAndClockOf(organisationId, service.pool)).catalogueVersion;

// biome-ignore lint/suspicious/noExplicitAny: the tests change the file in every way
type Json = any;
const downloaded = async (): Promise<Json> => (await admin.get(`/portal/catalogue/organisation.json?version=${await version()}`)).json();

async function upload(content: string, who = admin) {
  const response = await who.upload(path, { token: await formToken(who) }, new File([content], "next.json", { type: "application/json" }));
  return { status: response.status, to: response.headers.get("location") ?? "", page: await response.text() };
}

async function changed(change: (file: Json) => void): Promise<string> {
  const file = await downloaded();
  change(file);
  return JSON.stringify(file);
}

/** Sends the Apply form of a page as the browser would. */
async function apply(page: string, who = admin) {
  const form = formsIn(page).find(({ action }) => action.endsWith("/apply"));
  if (!form) throw new Error("the page has no form to apply");
  const response = await who.post(form.action, { ...form.fields });
  return { status: response.status, to: response.headers.get("location"), page: await response.text() };
}

const show = async (to: string, who = admin) => {
  const response = await who.get(to);
  return { status: response.status, page: await response.text() };
};

describe("an uploaded organisation file", () => {
  test("shows what it changes, and is applied when that was seen", async () => {
    const before = await version();
    const sent = await upload(
      await changed((file) => {
        file.customers.push({ id: "CUST-900", name: "Nine", carrierIds: [], rateCardIds: [] });
        file.customers.shift();
      }),
    );
    expect(sent.status).toBe(303);
    const { page } = await show(sent.to);
    expect(page).toContain("1 added, 1 removed");
    expect(page).toContain("1 entry is removed.");
    expect(page).toContain("Customer CUST-900");
    expect(await version()).toBe(before);
    expect(await apply(page)).toMatchObject({ status: 303, to: "/portal/catalogue" });
    expect(await version()).toBe(before + 1);
    expect((await downloaded()).customers.map(({ id }: { id: string }) => id)).toEqual(["CUST-002", "CUST-900"]);
    expect((await show(sent.to)).status).toBe(404); // applied, and so not kept
  });

  test("that equals the catalogue has nothing to apply", async () => {
    expect(await upload(`\uFEFF${await changed(() => undefined)}`)).toMatchObject({ status: 303, to: "/portal/catalogue" });
  });

  test.each([
    ["text that is not JSON", () => "{", /The file is not JSON/],
    ["a value that is no object", () => "[]", /the file must be an object/],
    [
      "a file of another organisation",
      async () =>
        changed((file) => {
          file.organisation.id = "other";
        }),
      /organisation\.id must be org-/,
    ],
    [
      "several faults, by their paths",
      async () =>
        changed((file) => {
          file.colour = "red";
          file.customers[0].name = "";
          file.rateCards[0].serviceId = "none";
        }),
      /customers\.0\.name must not be empty.*colour is not a recognised field.*rateCards\.0\.serviceId &quot;none&quot; is not a service of this file/s,
    ],
  ])("is refused for %s", async (_, content, faults) => {
    const before = await version();
    const { status, page } = await upload(await content());
    expect([status, page]).toEqual([400, expect.stringMatching(faults)]);
    expect(page).toContain("Nothing has changed");
    expect(await version()).toBe(before);
  });

  test("a file with thousands of faults names the first ones", async () => {
    const many = Array.from({ length: 3_000 }, () => ({ id: "same", name: "X", carrierIds: ["none"] }));
    const content = await changed((file) => {
      file.customers = many;
    });
    const { status, page } = await upload(content);
    expect(status).toBe(400);
    expect(page).toMatch(/and \d+ more/);
    expect(page.length).toBeLessThan(100_000);
  });

  test("may have as many bytes as the limit, and not one more", async () => {
    const padded = (size: number, text: string) => text.padEnd(size, " ");
    const text = await changed(() => undefined);
    expect((await upload(padded(maxFileBytes, text))).status).toBe(303);
    const { status, page } = await upload(padded(maxFileBytes + 1, text));
    expect([status, page]).toEqual([413, expect.stringContaining("Apply a larger one with org apply")]);
  });

  test("stands beside what another admin has changed since it was uploaded", async () => {
    const sent = await upload(
      await changed((file) => {
        file.organisation.name = "From the file";
      }),
    );
    const { page } = await show(sent.to);
    await changeCatalogue(service, organisationId, member, (file) => {
      file.customers.push({ id: "MEANWHILE", name: "Meanwhile", carrierIds: [], rateCardIds: [] });
    });
    expect((await apply(page)).status).toBe(303);
    const file = await downloaded();
    expect([file.organisation.name, file.customers.some(({ id }: { id: string }) => id === "MEANWHILE")]).toEqual(["From the file", true]);
  });

  test("is its owner's: nobody else sees or applies it, and a later upload replaces it", async () => {
    const sent = await upload(
      await changed((file) => {
        file.organisation.name = "Mine";
      }),
    );
    const { page } = await show(sent.to);
    const colleague = await signedIn(service, await addMember(service, organisationId, "admin"));
    expect((await show(sent.to, colleague)).status).toBe(404);
    const form = formsIn(page).find(({ action }) => action.endsWith("/apply"));
    const stolen = await colleague.post(form?.action ?? "", { ...form?.fields, token: await formToken(colleague) });
    expect(stolen.status).toBe(404);
    await upload(
      await changed((file) => {
        file.organisation.name = "Later";
      }),
    );
    expect((await show(sent.to)).status).toBe(404);
    expect((await apply(page)).status).toBe(404);
  });

  test("is kept for an hour", async () => {
    const sent = await upload(
      await changed((file) => {
        file.organisation.name = "Late";
      }),
    );
    const age = (minutes: number) =>
      service.pool.query("update catalogue_uploads set uploaded_at = now() - make_interval(mins => $2) where member_id = $1", [
        member.memberId,
        minutes,
      ]);
    await age(59);
    expect((await show(sent.to)).status).toBe(200);
    await age(61);
    expect((await show(sent.to)).status).toBe(404);
    const other = await service.organisation();
    const someone = await signedIn(service, await addMember(service, other.id, "admin"));
    await upload("{}", someone); // faulty: it is not kept, and what is too old stays until the next that is
    await someone.upload(
      path,
      { token: await formToken(someone) },
      new File(
        [(await (await someone.get("/portal/catalogue/organisation.json?version=1")).text()).replace("Acme Retail", "Acme Wholesale")],
        "own.json",
      ),
    );
    const { rows } = await service.pool.query("select 1 from catalogue_uploads where member_id = $1", [member.memberId]);
    expect(rows).toEqual([]);
  });

  test("needs the token of the form and an admin", async () => {
    const file = new File(
      [
        await changed((each) => {
          each.organisation.name = "Stolen";
        }),
      ],
      "next.json",
    );
    expect((await admin.upload(path, { token: "x" }, file)).status).toBe(403);
    for (const role of ["operator", "viewer"] as const) {
      const who = await signedIn(service, await addMember(service, organisationId, role));
      expect((await who.upload(path, { token: await formToken(who) }, file)).status).toBe(403);
    }
  });
});
