// One activity in the portal, with a worker and a projector: what was recorded, and its correction.
import { beforeAll, describe, expect, test } from "vitest";
import { addMember, formToken, heading, signedIn, type Visitor } from "../../support/portal/portal.js";
import { until } from "../../support/processes.js";
import { reverse } from "../../support/reversalStory.js";
import type { TestOrganisation } from "../../support/service.js";
import { ended, good, type Json, json, useCorrections } from "../api/corrections/stage.js";

const stage = useCorrections();
let organisation: TestOrganisation;
let operator: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  organisation = await stage.newOrganisation();
  operator = await signedIn(stage.service, await addMember(stage.service, organisation.id, "operator"));
  viewer = await signedIn(stage.service, await addMember(stage.service, organisation.id, "viewer"));
});

async function push(sourceDetails: string, ...activities: readonly Json[]): Promise<string> {
  const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { sourceDetails, activities }), 202);
  await ended(organisation, "activities", importId);
  return String(importId);
}

const pathOf = (importId: string, row: number | string) => `/portal/activities/${importId}/${row}`;
const words = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
async function page(path: string, who = operator): Promise<{ status: number; html: string; text: string }> {
  const response = await who.get(path);
  const html = await response.text();
  return { status: response.status, html, text: words(html) };
}

const input = (html: string, name: string) =>
  new RegExp(`name="${name.replace(".", "\\.")}"[^>]*? value="([^"]*)"`).exec(html)?.[1]?.replace("&lt;", "<").replace("&gt;", ">");
const fieldNames = ["warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference", "status"];

/** The form as the page shows it, with some fields changed. */
async function formOf(importId: string, row: number, changes: Record<string, string>) {
  const { html } = await page(pathOf(importId, row));
  const shown = fieldNames.map((name) => [`values.${name}`, input(html, `values.${name}`) ?? ""]);
  return {
    ...Object.fromEntries(shown),
    key: input(html, "key") ?? "",
    token: await formToken(operator),
    reason: "Counted twice",
    ...changes,
  };
}
const importIn = (response: Response) => /imports\/([0-9a-f-]{36})/.exec(response.headers.get("location") ?? "")?.[1] ?? "";

const recorded = { ...good, customerId: "CUST-001", reference: "SO <1>", quantity: 1000.25 };

describe("an activity", () => {
  test("is shown with its values, its import and who pushed it; the lists lead to it", async () => {
    const importId = await push("march.csv", recorded);
    const { status, html, text } = await page(pathOf(importId, 1), viewer);
    expect([status, heading(html)]).toEqual([200, "Activity"]);
    expect(text).toMatch(
      /Billing Billed .*Warehouse code SYD1 .*Quantity 1,000\.25 .*Customer Acme Retail CUST-001 .*Reference SO &lt;1&gt;/,
    );
    expect(text).toMatch(/Import march\.csv .*Row 1 .*Submitted by key /);
    expect(html).not.toContain('<form method="post" action="/portal/activities');
    expect(html).toContain(`href="/portal/imports/${importId}/history?row=1"`);
    for (const list of [`/portal/activities?import=${importId}`, "/portal/activities?month=2026-03&view=rows"])
      expect((await page(list)).html).toContain(`href="${pathOf(importId, 1)}"`);
  });

  test("that is not there is not found", async () => {
    const importId = await push("march.csv", recorded);
    const others = await signedIn(stage.service, await addMember(stage.service, (await stage.newOrganisation()).id, "operator"));
    for (const path of [pathOf(importId, 2), pathOf(importId, 0), pathOf(importId, "x"), pathOf("x", 1), pathOf(importId, "99999999999")])
      expect((await page(path)).status).toBe(404);
    expect((await page(pathOf(importId, 1), others)).status).toBe(404);
  });

  test("is corrected by its form, once however often it is sent, and leads to the one in its place", async () => {
    const importId = await push("march.csv", recorded);
    const form = await formOf(importId, 1, { "values.quantity": "7" });
    const answers = [await operator.post(pathOf(importId, 1), form), await operator.post(pathOf(importId, 1), form)];
    const [correction = "", again] = answers.map(importIn);
    expect([answers.map(({ status }) => status), again]).toEqual([[303, 303], correction]);
    const shown = await ended(organisation, "activities", correction);
    expect(shown["correctionOf"]).toEqual({ importId, rows: [1], reason: "Counted twice" });
    await until("the old one is replaced", async () => (await page(pathOf(importId, 1))).text.includes("Replaced"));
    const old = await page(pathOf(importId, 1));
    expect(old.html).toContain(`href="${pathOf(correction, 1)}"`);
    expect(old.text).toContain(`Row 1 is replaced by row 1 of import ${correction.slice(0, 8)}... : correct that row`);
    expect(old.html).not.toContain("values.quantity");
    const next = await page(pathOf(correction, 1));
    expect(next.text).toMatch(
      /Billing Billed .*Quantity 7 .*Customer Acme Retail CUST-001 .*Corrects row 1 of an earlier import Reason Counted twice/,
    );
    expect(next.html).toContain(`href="${pathOf(importId, 1)}"`);
  });

  test("is not corrected by values that the importer would reject, without a change or without a reason", async () => {
    const importId = await push("march.csv", recorded);
    const refusedWith = async (changes: Record<string, string>) => {
      const response = await operator.post(pathOf(importId, 1), await formOf(importId, 1, changes));
      const html = await response.text();
      return { status: response.status, text: words(html), html };
    };
    const wrong = await refusedWith({ "values.quantity": "none", "values.customerId": "CUST-404" });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain("Valid quantity is required; Customer not found");
    expect([input(wrong.html, "values.quantity"), input(wrong.html, "reason")]).toEqual(["none", "Counted twice"]);
    expect((await refusedWith({})).text).toContain("Change at least one value");
    expect((await refusedWith({ "values.quantity": "2", reason: " " })).text).toContain("Give a reason of 1 to 500 characters");
    const form = await formOf(importId, 1, { "values.quantity": "2" });
    const byViewer = await viewer.post(pathOf(importId, 1), { ...form, token: await formToken(viewer) });
    expect(byViewer.status).toBe(403);
  });

  test("that is reversed says when and why, and cannot be corrected", async () => {
    const importId = await push("march.csv", recorded);
    const form = await formOf(importId, 1, { "values.quantity": "2" });
    await reverse(stage.service.eventStore, { organisationId: organisation.id, importId, rows: [[1, 1]], count: 1, reason: "Not ours" });
    await until("it is reversed", async () => (await page(pathOf(importId, 1))).text.includes("Reversed"));
    expect((await page(pathOf(importId, 1))).text).toMatch(/Billing Reversed .*: Not ours /);
    const response = await operator.post(pathOf(importId, 1), form);
    expect([response.status, words(await response.text())]).toEqual([409, expect.stringContaining("Row 1 is reversed")]);
  });
});
