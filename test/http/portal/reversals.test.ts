// Reversals in the portal, with a worker and a projector: what the page says before anything is done, and what is there afterwards.
import { beforeAll, describe, expect, test } from "vitest";
import { addMember, formToken, heading, signedIn, type Visitor } from "../../support/portal/portal.js";
import { until } from "../../support/processes.js";
import type { TestOrganisation } from "../../support/service.js";
import { bad, correct, ended, fixed, good, type Json, json, uploadedShipments, useCorrections } from "../api/corrections/stage.js";

const stage = useCorrections();
let organisation: TestOrganisation;
let operator: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  organisation = await stage.newOrganisation();
  operator = await signedIn(stage.service, await addMember(stage.service, organisation.id, "operator"));
  viewer = await signedIn(stage.service, await addMember(stage.service, organisation.id, "viewer"));
});

async function push(sourceDetails: string, activities: readonly Json[]): Promise<string> {
  const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { sourceDetails, activities }), 202);
  await ended(organisation, "activities", importId);
  return String(importId);
}

const some = (count: number, change: Json = {}) => Array.from({ length: count }, () => ({ ...good, ...change }));

/** The text of a page without tags. */
const words = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
async function page(path: string, who = operator): Promise<{ status: number; html: string; text: string }> {
  const response = await who.get(path);
  const html = await response.text();
  return { status: response.status, html, text: words(html) };
}
const reversePath = (importId: string, query = "") => `/portal/imports/${importId}/reverse${query}`;

async function reverse(importId: string, fields: Record<string, string> = {}, query = ""): Promise<Response> {
  return operator.post(reversePath(importId, query), { token: await formToken(operator), reason: "Sent twice", ...fields });
}

/** The page that a form leads to. */
async function outcomeOf(response: Response): Promise<string> {
  expect(response.status).toBe(303);
  return (await page(response.headers.get("location") ?? "")).text;
}

describe("an import of activities", () => {
  test("is shown with its amounts before anything is done, reversed once, and shown as reversed everywhere", async () => {
    const importId = await push("march.csv", [
      ...some(2, { quantity: 1000.25, customerId: "CUST-001" }),
      ...some(1, { quantity: 3 }),
      bad("x"),
    ]);
    const before = await page(`/portal/imports/${importId}`);
    expect(before.html).toContain(`href="${reversePath(importId)}"`);
    expect(before.html).toContain(`href="/portal/activities?import=${importId}"`);
    const preview = await page(reversePath(importId));
    expect([preview.status, heading(preview.html)]).toEqual([200, "Reverse import"]);
    expect(preview.text).toContain("3 activities stop counting in totals.");
    expect(preview.text).toContain("1 open rejected row of this import is removed from Rejected rows.");
    expect(preview.text).toMatch(
      /What stops counting .*Acme Retail CUST-001 PICK 2,000\.5 2 .*Without a customer PICK 3 1 .*Total 2,003\.5 3/,
    );
    expect((await page(`/portal/imports/${importId}`)).text).not.toMatch(/[Rr]eversed/);

    const said = await outcomeOf(await reverse(importId, { reason: " Sent <twice> " }));
    expect(said).toContain("3 activities of march.csv are reversed. 1 open rejected row of this import is removed from Rejected rows.");
    await until("the reversal shows", async () => (await page(`/portal/imports/${importId}`)).text.includes("Activities reversed 3"));
    const after = await page(`/portal/imports/${importId}`);
    expect(after.text).toMatch(/Completed Reversed .*Reversals .*The operator Sent &lt;twice&gt; Everything that was left 3/);
    expect(after.text).toContain("Reversed as a whole by The operator: Sent &lt;twice&gt;");
    expect(after.text).not.toContain("Reverse import");
    expect((await page("/portal/imports", viewer)).text).toMatch(/march\.csv Activities Completed Reversed/);
    const events = await page(`/portal/imports/${importId}/history?of=reversals`);
    expect(events.text).toMatch(/The import Its corrections Its reversals .*Reversed as a whole/);
    expect(events.html).toContain("&quot;type&quot;: &quot;RowsReversed&quot;");
  });

  test("sent twice is reversed once, and the second answer says that nothing was left", async () => {
    const importId = await push("double.csv", some(2));
    await Promise.all([reverse(importId), reverse(importId)]);
    expect(await outcomeOf(await reverse(importId))).toContain(
      "Nothing left to reverse: what you chose of double.csv is already reversed.",
    );
    const left = await page(reversePath(importId));
    expect(left.text).toMatch(/Nothing is left to reverse 2 activities were reversed before\./);
    expect(left.html).not.toContain('name="reason"');
    await until("one reversal shows", async () => (await page(`/portal/imports/${importId}`)).html.match(/id="reversal-/g)?.length === 1);
  });

  test("loses only the rows that are chosen; those it never accepted are named, and nothing happens", async () => {
    const importId = await push("rows.csv", [...some(5), bad("x")]);
    const preview = await page(reversePath(importId, "?rows=2,4-5"));
    expect(heading(preview.html)).toBe("Reverse rows");
    expect(preview.text).toMatch(/3 activities stop counting in totals\. .*PICK 3 3 /);
    expect(await outcomeOf(await reverse(importId, {}, "?rows=2,4-5"))).toContain("3 activities of rows.csv are reversed.");
    await until("the badge shows", async () => (await page(`/portal/imports/${importId}`)).text.includes("Partly reversed"));
    expect((await page(`/portal/imports/${importId}`)).text).toMatch(/Reversals .*Rows 2, 4-5 3 .*3 rows reversed by The operator/);
    const more = await page(reversePath(importId, "?rows=4,3"));
    expect(more.text).toMatch(/1 activity stops counting in totals\. 1 activity was reversed before\. .*PICK 1 1 /);
    const never = await page(reversePath(importId, "?rows=1,6,9"));
    expect([never.status, heading(never.html)]).toEqual([422, "Reverse rows"]);
    expect(never.text).toContain("Row 6 is not an accepted row of this import. Row 9 is not an accepted row of this import");
    expect(never.html).not.toContain('name="reason"');
    const sent = await reverse(importId, {}, "?rows=1,6");
    expect([sent.status, words(await sent.text())]).toEqual([422, expect.stringContaining("Row 6 is not an accepted row")]);
    for (const rows of ["x", "0", "9-5", "1-5001"]) expect((await page(reversePath(importId, `?rows=${rows}`))).status).toBe(400);
  });

  test("needs a reason of 1 to 500 characters; the form keeps what was written", async () => {
    const importId = await push("reason.csv", some(1));
    for (const reason of ["", "  ", "x".repeat(501)]) {
      const response = await reverse(importId, { reason });
      const html = await response.text();
      expect([response.status, heading(html)]).toEqual([400, "Reverse import"]);
      expect(words(html)).toContain("Give a reason of 1 to 500 characters");
      if (reason.trim() !== "") expect(html).toContain(`value="${reason}"`);
    }
    expect((await page(`/portal/imports/${importId}`)).text).toContain("Reverse import");
  });

  test("that has not completed, or whose rows a correction is about to take, says so", async () => {
    const importId = await push("wait.csv", [...some(1), bad("x")]);
    await stage.withoutWorker(async () => {
      const { importId: correction } = await json(await correct(organisation, "activities", importId, [fixed(2)]), 202);
      const waiting = await page(reversePath(String(correction)));
      expect([waiting.status, heading(waiting.html)]).toEqual([409, "Reverse import"]);
      expect(waiting.text).toContain("The import is queued: its rows can be reversed once it has completed");
      expect((await page(`/portal/imports/${correction}`)).text).not.toContain("Reverse import");
      const held = await page(reversePath(importId));
      expect(held.status).toBe(409);
      expect(held.text).toContain("is about to correct row 2 of this import: wait until it has ended, or cancel it");
      expect(held.html).toContain(`href="/portal/imports/${correction}"`);
      const sent = await reverse(importId);
      expect([sent.status, words(await sent.text())]).toEqual([409, expect.stringContaining("is about to correct row 2")]);
    });
  });
});

describe("corrections by other imports", () => {
  test("are named with links, stay by default, and are reversed as well if that is chosen", async () => {
    const importId = await push("corrected.csv", [...some(2), bad("x"), bad("y")]);
    const { importId: correction } = await json(await correct(organisation, "activities", importId, [fixed(3), fixed(4)]), 202);
    await ended(organisation, "activities", correction);
    const preview = await page(reversePath(importId));
    expect(preview.text).toMatch(/Corrections by other imports .*\(2 rows\) .*Reverse these corrections as well/);
    expect(preview.html).toContain(`href="/portal/imports/${correction}"`);
    expect(preview.html).not.toMatch(/name="corrections"[^>]*checked/);
    expect(await outcomeOf(await reverse(importId))).toContain("2 activities of corrected.csv are reversed.");
    await until("the reversal shows", async () => (await page(`/portal/imports/${importId}`)).text.includes("Activities reversed 2"));
    expect((await page(`/portal/imports/${correction}`)).text).not.toContain("Activities reversed");

    const left = await page(reversePath(importId));
    expect(left.text).toContain("Nothing is left to reverse");
    expect(left.html).toMatch(/name="corrections"[^>]*checked/);
    const said = await outcomeOf(await reverse(importId, { corrections: "reverse" }));
    expect(said).toContain("Corrections of corrected.csv are reversed: Correction of corrected.csv (2).");
    await until("it shows", async () => (await page(`/portal/imports/${correction}`)).text.includes("Activities reversed 2"));
    expect((await page(`/portal/imports/${correction}`)).text).toContain("with a reversal of the import that it corrects");
  });

  test("that replace an accepted activity are shown with it, and it counts again when they are reversed", async () => {
    const importId = await push("replaced.csv", some(2));
    const correction = { rows: [{ row: 2, values: { quantity: "7" } }], reason: "Miscounted" };
    const pushed = await organisation.post(`/v1/org/fulfilment/imports/${importId}/corrections`, correction);
    const { importId: by } = await json(pushed, 202);
    await ended(organisation, "activities", by);
    const list = await page(`/portal/activities?import=${importId}`);
    expect(list.text).toMatch(/Billed 1 , the activity .*Replaced 2 ,/);
    expect(list.html).toContain(`href="/portal/activities/${by}/1"`);
    expect((await page(`/portal/imports/${importId}`)).html).toContain(`href="/portal/imports/${by}"`);
    expect((await page(`/portal/imports/${by}`)).text).toMatch(/Corrects 1 row of an earlier import : Miscounted/);
    const said = "1 activity that was replaced by these counts again.";
    const preview = await page(reversePath(String(by)));
    expect(preview.text).toContain(said);
    expect(preview.text).toMatch(/What stops counting .*PICK 7 1 /);
    expect(await outcomeOf(await reverse(String(by)))).toContain(said);
    await until("it counts again", async () => !(await page(`/portal/activities?import=${importId}`)).text.includes("Replaced"));
  });

  test("that are reversed open the rejected rows again", async () => {
    const importId = await push("opened.csv", [bad("x"), bad("y")]);
    const { importId: correction } = await json(await correct(organisation, "activities", importId, [fixed(1), fixed(2)]), 202);
    await ended(organisation, "activities", correction);
    const said = "2 rejected rows of other imports, which these had corrected, are open again.";
    expect((await page(reversePath(String(correction)))).text).toContain(said);
    expect(await outcomeOf(await reverse(String(correction)))).toContain(said);
  });
});

describe("shipments", () => {
  test("are reversed whole; what shows again and what was replaced since is said", async () => {
    const lines = (...ids: string[]) => ids.map((id): [string, string] => [id, ""]);
    const one = await uploadedShipments(organisation, lines("A", "B"));
    const two = await uploadedShipments(organisation, lines("A", "A", "C"));
    const first = await page(reversePath(one));
    expect(first.text).toContain("2 shipments, as this import wrote them, are reversed.");
    expect(first.text).toContain("1 shipment had been replaced by a later import, and does not come back if that import is reversed.");
    const preview = await page(reversePath(two, "?shipment=A"));
    expect(heading(preview.html)).toBe("Reverse shipment");
    expect(preview.text).toContain("1 shipment, as this import wrote it, is reversed. 1 earlier version of these shipments shows again.");
    expect(await outcomeOf(await reverse(two, {}, "?shipment=A"))).toContain("1 shipment of shipments.csv is reversed.");
    await until("the badge shows", async () => (await page(`/portal/imports/${two}`)).text.includes("Partly reversed"));
    expect((await page(`/portal/imports/${two}`)).text).toMatch(/Shipments reversed 1 .*1 shipment reversed by The operator/);
    const never = await page(reversePath(two, "?shipment=B"));
    expect([never.status, never.text]).toEqual([422, expect.stringContaining("Shipment B was not written by this import")]);
  });
});

describe("selected activities", () => {
  const list = "/portal/activities?month=2026-01&view=rows";
  const chosen = (...rows: string[]) => `/portal/activities/reverse?${rows.map((row) => `row=${row}`).join("&")}`;

  test("of one import lead to the reversal of these rows", async () => {
    const importId = await push("january.csv", some(4, { activityTimestamp: "2026-01-10T00:00:00Z" }));
    const { html } = await page(list);
    for (const row of [1, 2, 3, 4])
      expect(html).toContain(`value="${importId}:${row}" form="chosen-rows" aria-label="Row ${row} of january.csv"`);
    expect(html).not.toMatch(/type="checkbox"[^>]*checked/);
    const all = /href="([^"]*select=all[^"]*)">Select all on this page/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect((await page(all)).html.match(/type="checkbox"[^>]*checked/g)).toHaveLength(4);
    const leads = await operator.get(chosen(`${importId}:4`, `${importId}:2`, `${importId}:3`));
    expect([leads.status, leads.headers.get("location")]).toEqual([302, `/portal/imports/${importId}/reverse?rows=2-4`]);
    await outcomeOf(await reverse(importId, {}, "?rows=2-4"));
    await until("they are gone", async () => (await page(list)).html.match(/type="checkbox"/g)?.length === 1);
    const own = await page(`/portal/activities?import=${importId}`);
    expect(own.html.match(/type="checkbox" name="row"/g)).toHaveLength(1);
    expect(own.html.match(/>Reversed</g)).toHaveLength(3);
  });

  test("are corrected one by one", async () => {
    const [one, two] = [await push("one.csv", some(2)), await push("two.csv", some(2))];
    const leads = await operator.get(`${chosen(`${one}:2`)}&do=correct`);
    expect([leads.status, leads.headers.get("location")]).toEqual([302, `/portal/activities/${one}/2`]);
    const several = await page(`${chosen(`${one}:1`, `${one}:2`, `${two}:2`)}&do=correct`);
    expect(heading(several.html)).toBe("Correct rows");
    expect(several.text).toMatch(/Rows of 2 imports are selected .*one\.csv 2 Correct row 1 ?Correct row 2 two\.csv 1 Correct row 2/);
    expect(several.html).toContain(`href="/portal/activities/${two}/2"`);
  });

  test("of several imports are listed by import, and none is said so", async () => {
    const [one, two] = [await push("one.csv", some(2)), await push("two.csv", some(2))];
    const several = await page(chosen(`${one}:1`, `${two}:2`, `${one}:2`));
    expect([several.status, heading(several.html)]).toEqual([200, "Reverse rows"]);
    expect(several.text).toMatch(/Rows of 2 imports are selected .*one\.csv 2 Reverse rows .*two\.csv 1 Reverse rows/);
    for (const [id, rows] of [
      [one, "1-2"],
      [two, "2"],
    ])
      expect(several.html).toContain(`href="/portal/imports/${id}/reverse?rows=${rows}"`);
    const none = await page(`${chosen()}&back=${encodeURIComponent(list)}`);
    expect(none.text).toContain("No rows are selected");
    expect(none.html).toContain(`href="${list.replaceAll("&", "&amp;")}"`);
    expect((await page(`${chosen()}&back=https://evil.example`)).html).not.toContain("evil");
    for (const row of ["x", `${one}:0`, `${one}:1-5`, `${one}`]) expect((await page(chosen(row))).status).toBe(400);
    const other = await stage.newOrganisation();
    const stranger = await signedIn(stage.service, await addMember(stage.service, other.id, "operator"));
    expect((await stranger.get(chosen(`${one}:1`, `${two}:1`))).status).toBe(404);
  });

  test("are no choice for a viewer", async () => {
    await push("viewers.csv", some(1, { activityTimestamp: "2025-12-10T00:00:00Z" }));
    const { html, text } = await page(list.replace("2026-01", "2025-12"), viewer);
    expect(text).toContain("viewers.csv");
    expect(html).not.toContain("checkbox");
    expect((await viewer.get(chosen())).status).toBe(403);
  });
});

test("a viewer sees reversals, and is offered none", async () => {
  const importId = await push("viewed.csv", some(2));
  await reverse(importId, {}, "?rows=1");
  await until("it shows", async () => (await page(`/portal/imports/${importId}`, viewer)).text.includes("Partly reversed"));
  const shown = await page(`/portal/imports/${importId}`, viewer);
  expect(shown.text).toContain("Reversals");
  expect(shown.text).not.toContain("Reverse import");
  expect((await viewer.get(reversePath(importId))).status).toBe(403);
  expect((await viewer.post(reversePath(importId), { token: await formToken(viewer), reason: "x" })).status).toBe(403);
});
