// People at work on rejected rows, in a real browser, with the importer and the projector running.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { browserTest, type OpenedPage, useBrowser } from "../../../support/browser/browser.js";
import { holdNext } from "../../../support/browser/heldRequest.js";
import { addMember, formToken, signedIn, type TestMember } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let worker: Role;
let projector: Role;
beforeAll(async () => {
  service = await startTestService();
  [worker, projector] = [startWorker(service), startProjector(service)];
});
afterAll(async () => {
  await Promise.all([worker?.stop(), projector?.stop()]);
  await service?.close();
});

/** What is submitted meanwhile waits. */
async function withoutWorker(work: () => Promise<void>): Promise<void> {
  await worker.stop();
  try {
    await work();
  } finally {
    worker = startWorker(service);
  }
}

const kinds = { activities: "/v1/org/fulfilment", shipments: "/v1/org/shipments" } as const;

async function completed(importId: string): Promise<void> {
  await until("the import is projected", async () => {
    const { rows } = await service.pool.query("select from imports where import_id = $1 and status = 'completed'", [importId]);
    return rows.length === 1;
  });
}

/** Rejected activities: each has an unknown customer. */
async function rejectedActivities(organisation: TestOrganisation, count: number): Promise<string> {
  const bad = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z", customerId: "CUST-999" };
  const activities = Array.from({ length: count }, (_, index) => ({ ...bad, reference: `R-${index + 1}` }));
  const answer = await organisation.post(`${kinds.activities}/activities`, { sourceDetails: "Nightly picks", activities });
  const { importId } = (await answer.json()) as { importId: string };
  await completed(importId);
  return importId;
}

const header = "shipmentId,customerId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity";

async function rejectedShipments(organisation: TestOrganisation, lines: readonly string[]): Promise<string> {
  const file = new File([[header, ...lines].join("\n")], "monday.csv");
  const answer = await organisation.upload(`${kinds.shipments}/imports/file`, file, { sourceDetails: "Monday orders" });
  const { importId } = (await answer.json()) as { importId: string };
  await completed(importId);
  return importId;
}

async function ledger(organisation: TestOrganisation, kind: "activities" | "shipments") {
  return ((await (await organisation.get(`/v1/org/ledger/${kind}`)).json()) as { items: Record<string, unknown>[] }).items;
}

/** All in one page, one after the other; who is there while another is has a second one. */
async function asMember<Result>(member: TestMember, work: (opened: OpenedPage) => Promise<Result>, keep = "member"): Promise<Result> {
  return browser.inPage({ origin: service.url, keep }, async (opened) => {
    const { cookies } = await signedIn(service, member);
    await opened.page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
    const result = await work(opened);
    expect(opened.faults).toEqual([]);
    return result;
  });
}

async function opened(page: Page, address = "/portal/corrections"): Promise<void> {
  await page.goto(address);
  await page.getByRole("heading", { level: 1, name: "Rejected rows" }).waitFor();
  await page.getByRole("grid").getByRole("row").nth(1).waitFor();
}

/** The cell of a field in the row with this number. */
async function cell(page: Page, row: number, heading: string) {
  const columns = await page.locator("[role=grid] [role=columnheader]").allTextContents();
  return page
    .locator(".grid-row:not(.head)")
    .filter({ has: page.locator("[role=rowheader]", { hasText: new RegExp(`^${row}$`) }) })
    .locator(".cell")
    .nth(columns.indexOf(heading));
}

/** What is changed is drawn with the next frame. */
const holds = async (page: Page, row: number, heading: string, value: string) =>
  expect.poll(async () => (await cell(page, row, heading)).textContent()).toBe(value);
const listsRows = (page: Page, rows: readonly string[]) =>
  expect.poll(() => page.getByRole("grid").getByRole("rowheader").allTextContents()).toEqual(rows);

const problem = async (page: Page, row: number) => cell(page, row, "Problem");

async function says(page: Page, row: number, text: string | RegExp): Promise<void> {
  await (await problem(page, row)).filter({ hasText: text }).waitFor();
}

async function write(page: Page, row: number, heading: string, value: string): Promise<void> {
  await (await cell(page, row, heading)).click();
  await page.keyboard.press("Delete");
  await page.keyboard.type(value);
  await page.keyboard.press("Enter");
}

const submitButton = (page: Page) => page.getByRole("button", { name: "Submit corrections" });

browserTest(
  "a faulty cell is marked, corrected in place, judged, and submitted: the rest is kept, also over a reload and a sign-out",
  async () => {
    const organisation = await service.organisation();
    await rejectedActivities(organisation, 3);
    const member = await addMember(service, organisation.id, "operator");
    await asMember(member, async ({ page, faults }) => {
      await opened(page);
      const faulty = await cell(page, 1, "Customer");
      await expect.poll(async () => [await faulty.getAttribute("aria-invalid"), await faulty.textContent()]).toEqual(["true", "CUST-999"]);
      await says(page, 1, "Customer not found");
      const history = page.getByRole("link", { name: "History of row 1" });
      expect(await history.getAttribute("href")).toMatch(/\/portal\/imports\/[0-9a-f-]{36}\/history\?row=1$/);
      await write(page, 1, "Customer", "CUST-001");
      await says(page, 1, "Ready to submit");
      await write(page, 2, "Customer", "CUST-998");
      await page.getByText("2 changed").waitFor();
      await says(page, 2, "Customer not found");
      // Entries that are damaged hide no others.
      await page.evaluate(`for (const [key] of Object.entries(localStorage))
        for (let n = 0; n < 20; n += 1) localStorage.setItem(key.replace(/\\S+ \\d+$/, n + " 1"), n % 2 ? "{" : "[1]")`);
      await page.reload();
      await opened(page);
      await holds(page, 2, "Customer", "CUST-998");
      await says(page, 1, "Ready to submit");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
      const { cookies } = await signedIn(service, await addMember(service, organisation.id, "operator"));
      const signInAs = async (all: Map<string, string>) => {
        await page.goto("about:blank"); // a page that is still open would go on asking with the session before
        await page.context().addCookies([...all].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
      };
      await signInAs(cookies);
      await opened(page);
      await holds(page, 2, "Customer", "CUST-999"); // another member is not shown them
      const own = (await signedIn(service, member)).cookies;
      await signInAs(own);
      await opened(page);
      await says(page, 1, "Ready to submit");
      await page.context().clearCookies();
      await submitButton(page).click();
      await page.getByText("1 changed row is kept here and can be submitted again.").waitFor();
      await page.getByText("1 changed row is kept here: it still has a problem.").waitFor();
      await page.getByText("You are signed out. Sign in again to go on").waitFor();
      await signInAs(own);
      for (const fault of faults.splice(0)) expect(fault).toContain("401 (Unauthorized)");
      await opened(page);
      await says(page, 1, "Ready to submit");
      await withoutWorker(async () => {
        await submitButton(page).click();
        await page.getByText("1 row is submitted.").waitFor();
        await page.getByText("1 changed row is kept here").waitFor();
        await says(page, 1, /Submitted by you/);
      });
      await says(page, 1, /Corrected by you/);
      await until("the row is in the ledger", async () => (await ledger(organisation, "activities")).length === 1);
      expect(await ledger(organisation, "activities")).toMatchObject([{ customerId: "CUST-001", reference: "R-1" }]);
      await page.reload();
      await opened(page);
      await listsRows(page, ["2", "3"]);
      await holds(page, 2, "Customer", "CUST-998");
    });
  },
);

browserTest("a block is pasted from a spreadsheet, filled down, set for all selected rows, and taken back, by keyboard", async () => {
  const organisation = await service.organisation();
  await rejectedActivities(organisation, 6);
  await asMember(await addMember(service, organisation.id, "operator"), async ({ page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.url });
    await opened(page);
    const column = async (heading: string) => {
      const values: (string | null)[] = [];
      for (let row = 1; row <= 6; row += 1) values.push(await (await cell(page, row, heading)).textContent());
      return values;
    };
    await (await cell(page, 1, "Customer")).click();
    await page.evaluate(`navigator.clipboard.writeText('CUST-001\\t"a ""quoted""\\nname"\\r\\nCUST-001\\tplain\\r\\n')`);
    await page.keyboard.press("Control+V");
    await expect.poll(() => column("Customer")).toEqual(["CUST-001", "CUST-001", ...Array(4).fill("CUST-999")]);
    await expect.poll(() => column("Reference")).toEqual(['a "quoted"\nname', "plain", "R-3", "R-4", "R-5", "R-6"]);
    await (await cell(page, 2, "Customer")).click();
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Control+D");
    await expect.poll(() => column("Customer")).toEqual([...Array(4).fill("CUST-001"), "CUST-999", "CUST-999"]);
    await page.keyboard.press("Control+Z");
    await holds(page, 3, "Customer", "CUST-999");
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await page.getByLabel("Column").selectOption({ label: "Customer" });
    await page.getByLabel("Value").fill("CUST-001");
    await page.getByRole("button", { name: "Set for selected rows" }).click();
    await expect.poll(() => column("Customer")).toEqual(Array(6).fill("CUST-001"));
    await says(page, 6, "Ready to submit");
    // Typing begins an edit, Escape leaves it, Tab goes on, and Escape leaves the table.
    await (await cell(page, 6, "Customer")).click();
    await page.keyboard.type("x");
    await page.keyboard.press("Escape");
    await holds(page, 6, "Customer", "CUST-001");
    await page.keyboard.press("Tab");
    await page.keyboard.type("R-six");
    await page.keyboard.press("Enter");
    await holds(page, 6, "Reference", "R-six");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.closest('[role=grid]') === null")).toBe(true);
    await says(page, 6, "Ready to submit");
    await submitButton(page).dblclick();
    await page.getByText("6 rows are submitted.").waitFor();
    await until("the rows are in the ledger", async () => (await ledger(organisation, "activities")).length >= 6);
    expect((await ledger(organisation, "activities")).map((each) => each["reference"]).toSorted()).toEqual(
      ['a "quoted"\nname', "plain", "R-3", "R-4", "R-5", "R-six"].toSorted(),
    );
  });
});

browserTest("a row that is on its way to the server is not changed meanwhile", async () => {
  const organisation = await service.organisation();
  await rejectedActivities(organisation, 1);
  await asMember(await addMember(service, organisation.id, "operator"), async ({ page }) => {
    await opened(page);
    await write(page, 1, "Customer", "CUST-001");
    await says(page, 1, "Ready to submit");
    const sent = await holdNext(page, /corrections\/submit$/);
    await submitButton(page).click();
    await sent.answered;
    await says(page, 1, "Being submitted");
    await write(page, 1, "Customer", "CUST-002");
    await page.getByText("or they are being submitted.").waitFor();
    await sent.letGo();
    await says(page, 1, /(Submitted|Corrected) by you/);
    await holds(page, 1, "Customer", "CUST-001");
    await until("the row is in the ledger", async () => (await ledger(organisation, "activities")).length === 1);
    expect(await ledger(organisation, "activities")).toMatchObject([{ customerId: "CUST-001", reference: "R-1" }]);
  });
});

browserTest("values that were changed while others were refused a verdict get their own", async () => {
  const organisation = await service.organisation();
  await rejectedActivities(organisation, 1);
  await asMember(await addMember(service, organisation.id, "operator"), async ({ page, faults }) => {
    await opened(page);
    const judged = await holdNext(page, /corrections\/judge$/);
    await write(page, 1, "Customer", "CUST-998");
    await judged.answered;
    await write(page, 1, "Customer", "CUST-001");
    await judged.letGo({ status: 400, json: { message: "No such customer." } });
    await says(page, 1, "Ready to submit");
    for (const fault of faults.splice(0)) expect(fault).toContain("400 (Bad Request)");
  });
});

browserTest("the lines of a shipment stand together, are judged together and go together", async () => {
  const organisation = await service.organisation();
  const good = "3000,Melbourne,Pallet,1";
  await rejectedShipments(organisation, [
    `S-1,CUST-999,2000,Sydney,${good}`,
    `S-2,CUST-999,2000,Sydney,${good}`,
    `S-1,CUST-999,2000,Sydney,3000,Melbourne,,2`,
  ]);
  await asMember(await addMember(service, organisation.id, "operator"), async ({ page }) => {
    await opened(page);
    await listsRows(page, ["2", "4", "3"]);
    await write(page, 2, "Customer", "");
    await says(page, 2, /Contradicts|Rejected with its shipment/);
    await write(page, 4, "Customer", "");
    await says(page, 4, "Item type is required");
    await says(page, 2, "Rejected with its shipment: Item type is required");
    await write(page, 3, "Customer", "");
    await says(page, 3, "Ready to submit");
    await submitButton(page).click();
    await page.getByText("1 row is submitted.").waitFor();
    await write(page, 4, "Item type", "Carton");
    await says(page, 2, "Ready to submit");
    await says(page, 4, "Ready to submit");
    await submitButton(page).click();
    await page.getByText("2 rows are submitted.").waitFor();
    await until("both shipments are written", async () => (await ledger(organisation, "shipments")).length === 2);
    const lines = (await ledger(organisation, "shipments")).find(({ shipmentId }) => shipmentId === "S-1");
    expect(lines).toMatchObject({ items: [{ itemType: "Pallet" }, { itemType: "Carton" }] });
  });
});

/** Makes the page look at the tables, as when somebody comes back to it. A look begins when the one before has been shown. */
async function lookTwice(page: Page): Promise<void> {
  for (const _ of ["asked", "shown"])
    await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith("/portal/corrections/states")),
      page.evaluate("dispatchEvent(new Event('focus'))"),
    ]);
}

browserTest("rows are dismissed with a note and opened again", async () => {
  const organisation = await service.organisation();
  const importId = await rejectedActivities(organisation, 2);
  await asMember(await addMember(service, organisation.id, "operator"), async ({ page }) => {
    await opened(page);
    await page.getByRole("checkbox", { name: "Select row 1", exact: true }).check();
    await page.getByLabel("Note").fill("a test order");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await says(page, 1, "Dismissed by you: a test order");
    await until(
      "the table has it",
      async () => (await service.pool.query("select from settled_rows where import_id = $1", [importId])).rowCount === 1,
    );
    await opened(page, "/portal/corrections?state=dismissed");
    await says(page, 1, "Dismissed by The operator: a test order");
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await lookTwice(page);
    await projector.stop();
    await page.getByRole("button", { name: "Reopen" }).click();
    await says(page, 1, "Open again");
    await lookTwice(page); // the tables still have it as dismissed
    await says(page, 1, "Open again");
    projector = startProjector(service);
    await until(
      "it is open again",
      async () => (await service.pool.query("select from settled_rows where import_id = $1", [importId])).rowCount === 0,
    );
    await lookTwice(page);
    await says(page, 1, "Open again");
    // What another member does after that is not taken for one's own.
    const other = await signedIn(service, await addMember(service, organisation.id, "admin"));
    const chosen = { rows: `${importId}:1`, note: "again", token: await formToken(other) };
    expect((await other.post("/portal/corrections/dismiss", chosen)).status).toBe(303);
    await until(
      "the table has it again",
      async () => (await service.pool.query("select from settled_rows where import_id = $1", [importId])).rowCount === 1,
    );
    await lookTwice(page);
    await says(page, 1, "Dismissed by The admin: again");
    await page.getByRole("button", { name: "Reopen" }).click();
    await says(page, 1, "Open again");
    await until(
      "it is open once more",
      async () => (await service.pool.query("select from settled_rows where import_id = $1", [importId])).rowCount === 0,
    );
    await opened(page, `/portal/corrections?import=${importId}`);
    await listsRows(page, ["1", "2"]);
  });
});

browserTest("the second person sees that the row is taken, by whom and by which import; it is recorded once", async () => {
  const organisation = await service.organisation();
  await rejectedActivities(organisation, 2);
  const [first, second] = [await addMember(service, organisation.id, "operator"), await addMember(service, organisation.id, "admin")];
  await asMember(first, async ({ page: one }) => {
    await asMember(
      second,
      async ({ page: two, faults }) => {
        // The second hears of nothing before it sends, as if both were sent in the same moment.
        await two.route("**/portal/live/**", (route) => route.fulfill({ contentType: "text/event-stream", body: "" }));
        await two.route("**/portal/corrections/states", (route) => route.fulfill({ json: { rows: [] } }));
        for (const page of [one, two]) {
          await opened(page);
          for (const row of [1, 2]) await write(page, row, "Customer", "CUST-001");
          await says(page, 2, "Ready to submit");
        }
        await write(one, 2, "Customer", "CUST-998");
        await says(one, 2, "Customer not found");
        await submitButton(one).click();
        await one.getByText("1 row is submitted.").waitFor();
        await submitButton(two).click();
        await two.getByText("1 row was taken by somebody else first").waitFor();
        await two.getByText("1 row is submitted.").waitFor();
        const correction = /import ([0-9a-f-]{36})/.exec((await one.locator("[data-outcome]").textContent()) ?? "")?.[1];
        await says(two, 1, `Submitted by The operator, import ${correction}`);
        // The first is told without doing anything.
        await says(one, 2, /(Submitted|Corrected) by The admin/);
        await until("the rows are in the ledger", async () => (await ledger(organisation, "activities")).length >= 2);
        expect(await ledger(organisation, "activities")).toHaveLength(2);
        faults.length = 0; // the browser logs the 409
      },
      "",
    );
  });
});

browserTest("without scripts: a list, with forms that dismiss and reopen", async () => {
  const organisation = await service.organisation();
  const importId = await rejectedActivities(organisation, 2);
  const { cookies } = await signedIn(service, await addMember(service, organisation.id, "operator"));
  await browser.inPage({ origin: service.url, javaScriptEnabled: false, width: 360 }, async ({ page }) => {
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
    await page.goto("/portal/corrections");
    await page.getByRole("checkbox", { name: "Row 2 of Nightly picks" }).check();
    await page.getByLabel("Note").fill("twice");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByText("1 row is dismissed.").waitFor();
    await until(
      "the table has it",
      async () => (await service.pool.query("select from settled_rows where import_id = $1", [importId])).rowCount === 1,
    );
    await page.goto("/portal/corrections?state=dismissed");
    await page.getByRole("checkbox", { name: "Row 2 of Nightly picks" }).check();
    await page.getByRole("button", { name: "Reopen" }).click();
    await page.getByText("1 row is open again.").waitFor();
  });
});
