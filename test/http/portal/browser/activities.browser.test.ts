// Activities in a real browser, as the person who writes invoices uses them: choose a month and a customer, open a total, download the file.
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { downloadBy, inMenu } from "../../../support/browser/downloads.js";
import { tabTo } from "../../../support/browser/keyboard.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { signedIn } from "../../../support/portal/portal.js";
import { retailOf } from "../../../support/portal/portalImports.js";
import { type PortalStage, preparePortal } from "../../../support/portal/portalStage.js";
import { projectLog } from "../../../support/projectLog.js";
import type { TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let stage: PortalStage;
beforeAll(async () => {
  service = await sharedService();
  stage = await preparePortal(service);
});

browserTest.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "a month is filtered, a total leads to its rows and their import, and both are downloaded (%j)",
  async (look) => {
    await browser.inPage({ ...look, origin: service.url, keep: look.javaScriptEnabled ? "with scripts" : "" }, async ({ page, faults }) => {
      const { cookies } = await signedIn(service, stage.people.viewer);
      await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.url })));
      await page.goto("/portal");
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Activities" }).first().click();
      await page.getByRole("heading", { level: 1, name: "Activities" }).waitFor();

      // A filter applies at once; without scripts the form has a button.
      const apply = async () => {
        if (!look.javaScriptEnabled) await page.getByRole("button", { name: "Filter" }).click();
      };
      await page.getByLabel("Month", { exact: true }).fill("2026-07");
      await apply();
      await page.getByRole("heading", { level: 2, name: "July 2026" }).waitFor();
      await page.getByLabel("Customer", { exact: true }).selectOption({ label: "Beta Books (CUST-002)" });
      await page.getByLabel("Charge code", { exact: true }).selectOption("PICK");
      await apply();
      const total = page.getByRole("row", { name: /^Total/ });
      await total.getByText("18", { exact: true }).waitFor();
      expect((await total.getByRole("cell").allTextContents()).join(" ")).toMatch(/1,768\.05\s+18/);
      const totals = await downloadBy(page, await inMenu(page, "Download CSV"));
      expect(totals.suggestedFilename()).toBe("activity-totals-2026-07.csv");
      expect(await readFile(await totals.path(), "utf8")).toContain(`"CUST-002","Beta Books","PICK",`);

      await page.getByRole("link", { name: "Show the 18 rows of PICK, Beta Books" }).click();
      await page.getByRole("link", { name: "Rows", exact: true }).waitFor();
      await expect.poll(() => page.getByRole("row").count()).toBe(19);
      const rows = await downloadBy(page, await inMenu(page, "Download CSV"));
      expect((await readFile(await rows.path(), "utf8")).split("\r\n")).toHaveLength(20);
      const workbook = await downloadBy(page, await inMenu(page, "Download XLSX"));
      expect((await readFile(await workbook.path())).subarray(0, 2).toString()).toBe("PK");

      await page.getByRole("link", { name: "July storage and handling.csv" }).first().click();
      await page.getByRole("heading", { level: 1, name: "July storage and handling.csv" }).waitFor();
      expect(faults).toEqual([]);
    });
  },
);

browserTest.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "by keyboard: rows are selected and reversed, with a reason; Back and the button again do nothing (%j)",
  async (look) => {
    const reason = "Counted twice";
    /** Tab is watched by a script. Without scripts the control gets the focus directly. */
    const press = async (page: Page, wanted: Locator, key?: string) => {
      await (look.javaScriptEnabled ? tabTo(page, wanted) : wanted.focus());
      if (key) await page.keyboard.press(key);
    };
    await browser.inPage({ ...look, origin: service.url }, async ({ page, faults }) => {
      const { keyboard } = page;
      const { cookies } = await signedIn(service, stage.people.operator);
      await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.url })));
      const list = `/portal/activities?from=2026-07-01&to=2026-07-08&view=rows&customer=${retailOf(stage.organisationId)}&charge=PICK`;
      await page.goto(list);
      const boxes = page.getByRole("checkbox");
      const count = await boxes.count();
      for (const index of [1, 3]) {
        await press(page, boxes.nth(index), "Space");
        expect(await boxes.nth(index).isChecked()).toBe(true);
      }
      await press(page, page.getByRole("button", { name: "Reverse rows" }), "Enter");
      await page.getByRole("heading", { level: 1, name: "Reverse rows" }).waitFor();
      await page.getByText("2 activities stop counting in totals.").waitFor();
      await press(page, page.getByLabel("Reason"));
      await keyboard.type(reason);
      await press(page, page.getByRole("button", { name: "Reverse 2 activities" }), "Enter");
      const notice = page.getByRole("status").filter({ hasText: "reverse" });
      await notice.getByText("2 activities of July storage and handling.csv are reversed.").waitFor();
      await projectLog(service);
      await page.goBack();
      await page.getByRole("heading", { level: 1, name: "Reverse rows" }).waitFor();
      if (await page.getByLabel("Reason").isVisible()) {
        // The browser shows the page as it was.
        await page.getByLabel("Reason").fill(reason);
        await page.getByRole("button", { name: "Reverse 2 activities" }).click();
        await notice.getByText("Nothing left to reverse").waitFor();
      } else await page.getByRole("heading", { name: "Nothing is left to reverse" }).waitFor();
      await page.goto(list);
      expect(await boxes.count()).toBe(count - 2);
      expect(faults).toEqual([]);
    });
  },
);

browserTest("the printed page has the totals, the customer and the month, and no controls", async () => {
  await browser.inPage({ origin: service.url, keep: "with scripts" }, async ({ page }) => {
    const { cookies } = await signedIn(service, stage.people.viewer);
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.url })));
    await page.goto("/portal/activities?month=2026-07&customer=CUST-002");
    await page.emulateMedia({ media: "print" });
    // biome-ignore lint/performance/useDomNodeTextContent: innerText leaves out hidden text, as the printed page does
    const seen = await page.locator("body").innerText();
    expect(seen).toContain("Harbour Freight Co, activities, July 2026");
    expect(seen).toContain("Beta Books");
    expect(seen).toContain("1,768.05");
    for (const control of ["Filter", "Download CSV", "Print", "By warehouse", "Sign out"]) expect(seen).not.toContain(control);
  });
});
