// Tabs, reasons and the keyboard's way to the grid. corrections.browser.test.ts runs these tests with its browser and service.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { browserTest } from "../../../support/browser/browser.js";
import { addMember } from "../../../support/portal/portal.js";
import type { TestOrganisation } from "../../../support/service.js";
import { type CorrectionsStage, listsRows, opened, says, submitAll, write } from "./correctionsPage.js";

/** Six reasons, in rows 2 to 8. */
const six = [
  "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST-999,R-2",
  "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST-999,R-3",
  "SYD1,PICK,0,2026-03-01T09:30:00Z,,R-4",
  "SYD1,,1,2026-03-01T09:30:00Z,,R-5",
  ",PICK,1,2026-03-01T09:30:00Z,,R-6",
  "SYD1,PICK,1,yesterday,,R-7",
  "SYD1,PICK,0,2026-03-01T09:30:00Z,CUST-999,R-8",
];
const all = ["2", "3", "4", "5", "6", "7", "8"];

export function testChoosing(stage: CorrectionsStage): void {
  const { asMember, rejectedActivities, uploadedActivities } = stage;
  const operatorOf = (organisation: TestOrganisation) => addMember(stage.service, organisation.id, "operator");
  const tab = (page: Page, name: RegExp | string) => page.getByRole("toolbar", { name: "State of rows" }).getByRole("link", { name });
  const reason = (page: Page, name: string) => page.getByRole("toolbar", { name: "Reasons" }).getByRole("link", { name, exact: true });

  browserTest("with six reasons rows are on the first screen, and a reason shows its rows without leaving the page", async () => {
    const organisation = await stage.service.organisation();
    await uploadedActivities(organisation, six);
    await asMember(await operatorOf(organisation), async ({ page }) => {
      await opened(page, "/portal/corrections?kind=activities");
      const rows = page.locator(".grid-row:not(.head)");
      expect((await rows.nth(6).boundingBox())?.y).toBeLessThan(800);
      await write(page, 4, "Quantity", "2");
      await says(page, 4, "Ready to submit");
      await page.evaluate("globalThis.sameDocument = true");
      await reason(page, "Customer not found 2").click();
      await listsRows(page, ["2", "3"]);
      expect(await reason(page, "Customer not found 2").getAttribute("aria-current")).toBe("true");
      expect(page.url()).toContain("reason=");
      await reason(page, "All reasons 7").click();
      await listsRows(page, all);
      await says(page, 4, "Ready to submit"); // the change was kept
      await page.goBack();
      await listsRows(page, ["2", "3"]);
      expect(await reason(page, "Customer not found 2").getAttribute("aria-current")).toBe("true");
      expect(await page.evaluate("globalThis.sameDocument")).toBe(true);
      await page.reload();
      await listsRows(page, ["2", "3"]);
    });
  });

  browserTest("the grid is at most 8 stops of the Tab key away, also from the page's start", async () => {
    const organisation = await stage.service.organisation();
    const importId = await uploadedActivities(organisation, six);
    await asMember(await operatorOf(organisation), async ({ page }) => {
      const isInGrid = () => page.evaluate("document.activeElement?.closest('[role=grid]') !== null");
      const stops = async () => {
        for (let count = 1; ; count += 1) {
          await page.keyboard.press("Tab");
          if (await isInGrid()) return count;
          expect(count).toBeLessThan(20);
        }
      };
      for (const address of ["/portal/corrections", `/portal/corrections?import=${importId}`]) {
        await opened(page, address);
        await page.locator("#main").focus();
        expect(await stops()).toBeLessThanOrEqual(8);
        await opened(page, address);
        for (const _ of ["Skip to the content", "Skip to the rows"]) await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await expect.poll(isInGrid).toBe(true);
      }
      // Within a group the arrow keys move.
      await reason(page, "All reasons 7").focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await listsRows(page, ["2", "3"]);
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await listsRows(page, all);
    });
  });

  browserTest("the tabs count the chosen import's rows, and follow at once what is submitted, corrected and dismissed", async () => {
    const organisation = await stage.service.organisation();
    await rejectedActivities(organisation, 4);
    const importId = await uploadedActivities(organisation, six);
    await asMember(await operatorOf(organisation), async ({ page }) => {
      await opened(page, `/portal/corrections?import=${importId}`);
      await tab(page, "Open 7").waitFor();
      await stage.withoutWorker(async () => {
        await write(page, 2, "Customer", "CUST-001");
        await says(page, 2, "Ready to submit");
        await submitAll(page);
        for (const name of ["Open 6", "Submitted 1", "Corrected 0"]) await tab(page, name).waitFor();
        await reason(page, "Customer not found 1").waitFor();
      });
      for (const name of ["Submitted 0", "Corrected 1"]) await tab(page, name).waitFor();
      await page.getByRole("checkbox", { name: "Select row 5", exact: true }).check();
      await page.getByRole("button", { name: "Dismiss" }).click();
      await page.getByRole("button", { name: "Dismiss 1 row" }).click();
      for (const name of ["Open 5", "Dismissed 1"]) await tab(page, name).waitFor();
      await reason(page, "Customer not found 1").click();
      await listsRows(page, ["3"]);
      await tab(page, "Open 5").waitFor();
      await tab(page, "Corrected 1").click();
      await listsRows(page, ["2"]);
      await says(page, 2, /Corrected by The operator/);
      await opened(page, "/portal/corrections?kind=activities");
      await tab(page, "Open 9").waitFor();
      await page.getByLabel("Import", { exact: true }).selectOption(importId);
      await tab(page, "Open 5").waitFor();
    });
  });
}
