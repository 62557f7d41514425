import { beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../../../src/domain/imports/limits.js";
import { maxJudgedRows } from "../../../../src/http/portal/pages/corrections/judgeAgainPage.js";
import { addMember, formToken, signedIn, type TestMember, type Visitor } from "../../../support/portal/portal.js";
import { changeCatalogue } from "../../../support/portal/portalCatalogue.js";
import { formsIn } from "../../../support/portal/renderedForms.js";
import { until } from "../../../support/processes.js";
import { activity, useRejectedRows } from "./stage.js";

const stage = useRejectedRows();
const path = "/portal/corrections/judge-again";
let member: TestMember;
let admin: Visitor;
beforeAll(async () => {
  member = await addMember(stage.service, stage.organisation.id, "admin");
  admin = await signedIn(stage.service, member);
});

async function push(customerId: string, count: number, more: Record<string, unknown> = {}): Promise<string> {
  const activities = Array.from({ length: count }, (_, n) => ({ ...activity, customerId, reference: `R-${n}`, ...more }));
  return pushed("/v1/org/fulfilment/activities", { activities });
}

async function pushed(to: string, body: unknown): Promise<string> {
  const answer = await stage.organisation.post(to, body);
  if (answer.status !== 202) throw new Error(await answer.text());
  const { importId } = (await answer.json()) as { importId: string };
  await stage.completed(importId);
  return importId;
}

const addCustomer = (id: string) =>
  changeCatalogue(stage.service, stage.organisation.id, member, (file) => {
    file.customers.push({ id, name: id, carrierIds: [], rateCardIds: [] });
  });

const text = (page: string) => page.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const show = async (address = path, who = stage.who) => (await who.get(address)).text();
const figures = (page: string) =>
  /Rows checked ([\d,]+) Accepted now ([\d,]+) Still rejected ([\d,]+)/
    .exec(text(page))
    ?.slice(1)
    .map((figure) => Number(figure.replaceAll(",", "")));
const formOf = (page: string) => formsIn(page).find(({ action, method }) => method === "post" && action.endsWith("/judge-again"));

async function submit(page: string) {
  const form = formOf(page);
  if (!form) throw new Error("nothing to submit");
  const response = await stage.who.post(form.action, { ...form.fields });
  const after = response.headers.get("location");
  return { status: response.status, said: after ? text(await show(after)) : await response.text() };
}

/** The imports that correct an import, and how many rows each has recorded. */
async function corrections(importId: string): Promise<{ processed: number; rows: number }[]> {
  const { rows } = await stage.service.pool.query<{ processed: number; rows: number }>(
    `select processed, jsonb_array_length(corrects -> 'rows') as rows
       from imports where corrects ->> 'importId' = $1 and status = 'completed' order by position`,
    [importId],
  );
  return rows;
}

describe("Judge again", () => {
  test("finds nothing while the catalogue still lacks the customer, and leads an admin to adding it", async () => {
    await push("CUST 014", 2);
    const page = await show();
    expect(figures(page)).toEqual([2, 0, 2]);
    expect(formOf(page)).toBeUndefined();
    expect(page).not.toContain("Add customer"); // the operator cannot add one
    for (const address of [path, "/portal/corrections"]) {
      const link = /href="([^"]*customers\/new[^"]*)"/.exec(await show(address, admin))?.[1]?.replaceAll("&amp;", "&");
      expect(link).toBe("/portal/catalogue/customers/new?id=CUST+014&back=judge-again");
    }
  });

  test("after the customer is added it shows the rows by their reason, and sends them as they were", async () => {
    const importId = await push("CUST-020", 3);
    const form = formsIn(await show("/portal/catalogue/customers/new?id=CUST-020&back=judge-again", admin)).find(({ action }) =>
      action.endsWith("/new"),
    );
    const fields = { token: await formToken(admin), ...form?.fields, name: "Twenty" };
    for (const name of ["carrierIds", "rateCardIds"]) delete (fields as Record<string, string>)[name];
    const draft = await admin.post("/portal/catalogue/customers/new", fields);
    const apply = formsIn(await show(draft.headers.get("location") ?? "", admin)).find(({ action }) => action.endsWith("/apply"));
    const added = await admin.post(apply?.action ?? "", { ...apply?.fields });
    expect(added.headers.get("location")).toBe(path);
    const page = await show();
    expect(figures(page)).toEqual([5, 3, 2]);
    expect(text(page)).toMatch(/Customer not found Activities 3/);
    expect(await submit(page)).toMatchObject({ status: 303, said: expect.stringContaining("3 rows submitted in 1 new import.") });
    await until("they are recorded", async () => (await corrections(importId)).length === 1);
    expect(await corrections(importId)).toEqual([{ processed: 3, rows: 3 }]);
    expect(figures(await show())).toEqual([2, 0, 2]);
  });

  test("a form that is sent twice sends the rows once", async () => {
    const importId = await push("CUST-021", 1);
    await addCustomer("CUST-021");
    const page = await show();
    await Promise.all([submit(page), submit(page)]);
    await until("it is recorded", async () => (await corrections(importId)).length === 1);
    expect((await submit(page)).said).toContain("No rows were submitted");
    expect(await corrections(importId)).toEqual([{ processed: 1, rows: 1 }]);
  });

  test("a shipment goes with all of its lines or not at all", async () => {
    const line = (itemQuantity: number) => ({ itemType: "Carton", itemQuantity, itemWeight: 2.5 });
    const shipment = (shipmentId: string, quantities: number[]) => ({
      ...{ shipmentId, customerId: "CUST-022", originPostCode: "2000", destinationPostCode: "3000" },
      items: quantities.map(line),
    });
    const importId = await pushed("/v1/org/shipments/imports", { shipments: [shipment("WHOLE", [1, 2]), shipment("HALF", [1, -1])] });
    await addCustomer("CUST-022");
    const page = await show();
    const accepted = figures(page)?.[1];
    expect(accepted).toBe(2);
    await submit(page);
    await until("it is recorded", async () => (await corrections(importId)).length === 1);
    expect(await corrections(importId)).toEqual([{ processed: expect.any(Number), rows: 2 }]);
  });

  test("an element that a later one of its push has superseded is not offered; of two that are sent the later wins", async () => {
    const element = (shipmentId: string, customerId: string, itemQuantity: number) => ({
      ...{ shipmentId, customerId, originPostCode: "2000", destinationPostCode: "3000" },
      items: [{ itemType: "Carton", itemQuantity }],
    });
    const importId = await pushed("/v1/org/shipments/imports", {
      shipments: [element("NEW", "CUST-026", 5), element("NEW", "", 7), element("BOTH", "CUST-026", 5), element("BOTH", "CUST-026", 7)],
    });
    const before = figures(await show())?.[1] ?? 0;
    await addCustomer("CUST-026");
    const page = await show();
    expect(figures(page)?.[1]).toBe(before + 2);
    await submit(page);
    await until("they are recorded", async () => (await corrections(importId)).length === 1);
    expect(await corrections(importId)).toEqual([{ processed: 2, rows: 2 }]);
    for (const shipmentId of ["NEW", "BOTH"]) {
      const answer = await stage.organisation.get(`/v1/org/ledger/shipments/${shipmentId}`);
      expect(await answer.json()).toMatchObject({ items: [{ itemQuantity: 7 }] });
    }
  });

  test("more rows of an import than one correction takes go in several", async () => {
    const importId = await push("CUST-023", limits.rowsPerCorrection + 1);
    await addCustomer("CUST-023");
    expect(await submit(await show())).toMatchObject({ said: expect.stringContaining("501 rows submitted in 2 new imports.") });
    await until("all are recorded", async () => (await corrections(importId)).length === 2);
    expect((await corrections(importId)).map(({ rows }) => rows)).toEqual([500, 1]);
  });

  test("rows that others have taken since are left to them", async () => {
    const importId = await push("CUST-024", 1);
    await addCustomer("CUST-024");
    const page = await show();
    await stage.ask("rows/dismiss", { importId, rows: [1], note: "mine" });
    expect((await submit(page)).said).toContain("No rows were submitted");
    expect(await corrections(importId)).toEqual([]);
  });

  test("judges a bounded number of rows at once, and the next ones from a link", async () => {
    await push("CUST-025", maxJudgedRows + 1);
    await addCustomer("CUST-025");
    const page = await show();
    expect(figures(page)?.[1]).toBe(maxJudgedRows);
    const next = /<a href="([^"]*)">Check the next rows/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const rest = await show(next);
    expect(figures(rest)?.[1]).toBe(1);
    expect((await submit(rest)).said).toContain("1 row submitted in 1 new import.");
  });

  test.each(["shipments=x", "activities=x"])("?%s is a sentence and no error", async (query) => {
    expect((await stage.who.get(`${path}?${query}`)).status).toBe(400);
  });
});
