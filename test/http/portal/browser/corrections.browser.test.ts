// The page of rejected rows in a real browser, with a worker and a projector running.
import { expect } from "vitest";
import { browserTest } from "../../../support/browser/browser.js";
import { holdNext } from "../../../support/browser/heldRequest.js";
import { addMember, signedIn } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { testManyCells } from "./changingManyCells.js";
import { testChoosing } from "./choosingRows.js";
import { cell, holds, ledger, listsRows, opened, says, submitAll, submitButton, useCorrections, write } from "./correctionsPage.js";
import { testDismissing } from "./dismissedRows.js";
import { testFirstRows } from "./firstRows.js";
import { testShipments } from "./shipmentRows.js";
import { testSuggestions } from "./suggestedValues.js";

const stage = useCorrections();
const { withoutWorker, rejectedActivities, asMember } = stage;

browserTest(
  "a faulty cell is marked, corrected in place, checked and submitted; other changes are kept, also after a reload and a sign-out",
  async () => {
    const organisation = await stage.service.organisation();
    await rejectedActivities(organisation, 3);
    const member = await addMember(stage.service, organisation.id, "operator");
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
      // Damaged entries in localStorage do not hide the other ones.
      await page.evaluate(`for (const [key] of Object.entries(localStorage))
        for (let n = 0; n < 20; n += 1) localStorage.setItem(key.replace(/\\S+ \\d+$/, n + " 1"), n % 2 ? "{" : "[1]")`);
      await page.reload();
      await opened(page);
      await holds(page, 2, "Customer", "CUST-998");
      await says(page, 1, "Ready to submit");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
      const { cookies } = await signedIn(stage.service, await addMember(stage.service, organisation.id, "operator"));
      const signInAs = async (all: Map<string, string>) => {
        await page.goto("about:blank"); // the open page would go on sending requests with the earlier session
        await page.context().addCookies([...all].map(([name, value]) => ({ name, value, url: `${stage.service.url}/portal` })));
      };
      await signInAs(cookies);
      await opened(page);
      await holds(page, 2, "Customer", "CUST-999"); // another member does not see these changes
      const own = (await signedIn(stage.service, member)).cookies;
      await signInAs(own);
      await opened(page);
      await says(page, 1, "Ready to submit");
      await page.context().clearCookies();
      await submitAll(page);
      await page.getByText("1 changed row is not submitted. Submit again.").waitFor();
      await page.getByText("1 changed row is not submitted: it still has a problem.").waitFor();
      await page.getByText("You are signed out. Sign in to continue").waitFor();
      await signInAs(own);
      for (const fault of faults.splice(0)) expect(fault).toContain("401 (Unauthorized)");
      await opened(page);
      await says(page, 1, "Ready to submit");
      await withoutWorker(async () => {
        await submitAll(page);
        await page.getByText(/^1 rows? (submitted|recorded)\.$/).waitFor();
        await page.getByText("1 changed row is not submitted").waitFor();
        await says(page, 1, /Submitted by you/);
      });
      await page.getByText("1 row recorded.").waitFor();
      await listsRows(page, ["2", "3"]);
      await until("the row is in the ledger", async () => (await ledger(organisation, "activities")).length === 1);
      expect(await ledger(organisation, "activities")).toMatchObject([{ customerId: "CUST-001", reference: "R-1" }]);
      await page.reload();
      await opened(page);
      await listsRows(page, ["2", "3"]);
      await holds(page, 2, "Customer", "CUST-998");
    });
  },
);

browserTest("a block is pasted from a spreadsheet, filled down, undone, and set for all selected rows, mostly by keyboard", async () => {
  const organisation = await stage.service.organisation();
  await rejectedActivities(organisation, 6);
  await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: stage.service.url });
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
    // Typing begins an edit, Escape cancels it, Tab moves on, and Escape leaves the grid.
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
    await page.getByRole("button", { name: "Submit 6 rows" }).dblclick();
    await page.getByText(/^6 rows? (submitted|recorded)\.$/).waitFor();
    await until("the rows are in the ledger", async () => (await ledger(organisation, "activities")).length >= 6);
    expect((await ledger(organisation, "activities")).map((each) => each["reference"]).toSorted()).toEqual(
      ['a "quoted"\nname', "plain", "R-3", "R-4", "R-5", "R-six"].toSorted(),
    );
  });
});

browserTest("a row that is being submitted cannot be changed", async () => {
  const organisation = await stage.service.organisation();
  await rejectedActivities(organisation, 1);
  await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
    await opened(page);
    await write(page, 1, "Customer", "CUST-001");
    await says(page, 1, "Ready to submit");
    const sent = await holdNext(page, /corrections\/submit$/);
    await submitAll(page);
    await sent.answered;
    await says(page, 1, "Being submitted");
    await write(page, 1, "Customer", "CUST-002");
    await page.getByText("or are being submitted.").waitFor();
    await sent.letGo();
    await until("the row is in the ledger", async () => (await ledger(organisation, "activities")).length === 1);
    expect(await ledger(organisation, "activities")).toMatchObject([{ customerId: "CUST-001", reference: "R-1" }]);
  });
});

browserTest("values that are changed while the check of earlier values fails are checked themselves", async () => {
  const organisation = await stage.service.organisation();
  await rejectedActivities(organisation, 1);
  await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page, faults }) => {
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

browserTest("when two people submit the same row, the second sees who submitted it and by which import; it is recorded once", async () => {
  const organisation = await stage.service.organisation();
  await rejectedActivities(organisation, 2);
  const [first, second] = [
    await addMember(stage.service, organisation.id, "operator"),
    await addMember(stage.service, organisation.id, "admin"),
  ];
  await asMember(first, async ({ page: one }) => {
    await asMember(
      second,
      async ({ page: two, faults }) => {
        // The second page gets no updates before it submits, as if both submitted at the same moment.
        await two.route("**/portal/live/**", (route) => route.fulfill({ contentType: "text/event-stream", body: "" }));
        await two.route("**/portal/corrections/states", (route) => route.fulfill({ json: { rows: [] } }));
        for (const page of [one, two]) {
          await opened(page);
          for (const row of [1, 2]) await write(page, row, "Customer", "CUST-001");
          await says(page, 2, "Ready to submit");
        }
        await write(one, 2, "Customer", "CUST-998");
        await says(one, 2, "Customer not found");
        await submitAll(one);
        await one.getByText(/^1 row (submitted|recorded)\.$/).waitFor();
        await submitAll(two);
        await two.getByText("1 row is no longer open.").waitFor();
        await two.getByText(/^1 row (submitted|recorded)\.$/).waitFor();
        const sent = one.locator("[data-outcome]").getByRole("link", { name: /^Correction of / });
        await says(two, 1, new RegExp(`(Submitted|Corrected) by The operator: ${await sent.textContent()}`));
        await two
          .getByRole("gridcell", { name: /(Submitted|Corrected) by The operator/ })
          .first()
          .click();
        await expect
          .poll(() => two.getByRole("link", { name: "Open that import" }).getAttribute("href"))
          .toBe(await sent.getAttribute("href"));
        await two.keyboard.press("Control+a"); // selects every row that can be selected: closed rows cannot
        await two.evaluate("new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle)))");
        expect(await two.locator(".grid-row:not(.head) input:checked").count()).toBe(0);
        // The first page is updated by itself: it names the admin, or shows only what is open, once its own row is recorded.
        const other = one.locator(".grid-row:not(.head)", { has: one.locator("[role=rowheader]", { hasText: /^2$/ }) });
        const isUpdated = async () =>
          (await other.count()) === 0 ||
          /(Submitted|Corrected) by The admin/.test((await other.first().textContent({ timeout: 1_000 })) ?? "");
        await expect.poll(() => isUpdated().catch(() => false)).toBe(true);
        await until("the rows are in the ledger", async () => (await ledger(organisation, "activities")).length >= 2);
        expect(await ledger(organisation, "activities")).toHaveLength(2);
        faults.length = 0; // the browser's log has the 409
      },
      "",
    );
  });
});

browserTest("a page that has rows but has not drawn them yet does not ask for their states", async () => {
  const organisation = await stage.service.organisation();
  await rejectedActivities(organisation, 1);
  await asMember(
    await addMember(stage.service, organisation.id, "operator"),
    async ({ page }) => {
      await page.addInitScript("window.drawings = []; window.requestAnimationFrame = (draw) => window.drawings.push(draw)");
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await page.goto("/portal/corrections");
      await page.getByText("1 row.", { exact: true }).waitFor();
      const look = "dispatchEvent(new Event('focus'))";
      await page.evaluate(`${look}; fetch("/portal/account").then(() => true)`); // a later request, so that an earlier one has been seen
      expect(asked).not.toContain("/portal/corrections/states");
      const states = page.waitForRequest("**/portal/corrections/states");
      await page.evaluate(`for (const draw of drawings.splice(0)) draw(0); ${look}`);
      await states;
    },
    "",
  );
});

testChoosing(stage);
testManyCells(stage);
testSuggestions(stage);
testShipments(stage);
testDismissing(stage);
testFirstRows(stage);
