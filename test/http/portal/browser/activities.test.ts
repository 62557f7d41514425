// Activities in a real browser, as the person who writes invoices uses them: choose a month and a customer, open a total, download the file.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { signedIn } from "../../../support/portal/portal.js";
import { type PortalStage, preparePortal } from "../../../support/portal/portalStage.js";
import { startTestService, type TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let stage: PortalStage;
beforeAll(async () => {
  service = await startTestService();
  stage = await preparePortal(service);
});
afterAll(() => service?.close());

browserTest.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "a month is filtered, a total leads to its rows and their import, and both are downloaded (%j)",
  async (look) => {
    await browser.inPage({ ...look, origin: service.url, keep: look.javaScriptEnabled ? "with scripts" : "" }, async ({ page, faults }) => {
      const { cookies } = await signedIn(service, stage.people.viewer);
      await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.url })));
      await page.goto("/portal");
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Activities" }).first().click();
      await page.getByRole("heading", { level: 1, name: "Activities" }).waitFor();

      await page.getByLabel("Month", { exact: true }).fill("2026-07");
      await page.getByRole("button", { name: "Show month" }).click();
      await page.getByRole("heading", { level: 2, name: "July 2026" }).waitFor();
      await page.getByLabel("Customer", { exact: true }).selectOption({ label: "Beta Books (CUST-002)" });
      await page.getByLabel("Charge code", { exact: true }).selectOption("PICK");
      await page.getByRole("button", { name: "Filter" }).click();
      const total = page.getByRole("row", { name: /^Total/ });
      await total.getByText("18", { exact: true }).waitFor();
      expect((await total.getByRole("cell").allTextContents()).join(" ")).toMatch(/1,768\.05\s+18/);
      expect(await page.getByLabel("From", { exact: true }).inputValue()).toBe("2026-07-01");

      const [totals] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download CSV" }).click()]);
      expect(totals.suggestedFilename()).toBe("activity-totals-2026-07.csv");
      expect(await readFile(await totals.path(), "utf8")).toContain(`"CUST-002","Beta Books","MEL-2","PICK",`);

      await page.getByRole("link", { name: "Show the 18 rows of PICK, Beta Books" }).click();
      await page.getByRole("link", { name: "Rows", exact: true }).waitFor();
      await expect.poll(() => page.getByRole("row").count()).toBe(19);
      const [rows] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download CSV" }).click()]);
      expect((await readFile(await rows.path(), "utf8")).split("\r\n")).toHaveLength(20);
      const [workbook] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download XLSX" }).click()]);
      expect((await readFile(await workbook.path())).subarray(0, 2).toString()).toBe("PK");

      await page.getByRole("link", { name: "July storage and handling.csv" }).first().click();
      await page.getByRole("heading", { level: 1, name: "July storage and handling.csv" }).waitFor();
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
    expect(seen).toContain("Harbour Freight Co, Beta Books");
    expect(seen).toContain("July 2026");
    expect(seen).toContain("9,846.65");
    for (const control of ["Filter", "Download CSV", "Show month", "Sign out"]) expect(seen).not.toContain(control);
  });
});
