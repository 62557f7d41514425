// A file with other headings in a real browser: its columns are chosen by keyboard, it is checked and uploaded, and the next one goes through.
import type { Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import { screenshot, violations } from "../../../support/browser/axe.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { tabTo } from "../../../support/browser/keyboard.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { addMember, formToken, signedIn } from "../../../support/portal/portal.js";
import { type PortalStage, preparePortal } from "../../../support/portal/portalStage.js";
import type { TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let stage: PortalStage;
beforeAll(async () => {
  service = await sharedService();
  stage = await preparePortal(service);
});

const file = (rows: readonly string[]) => ({
  name: "work done.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(["Task,Qty,Done on,Comments", ...rows].join("\n")),
});

async function open(page: Page): Promise<void> {
  const { cookies } = await signedIn(service, stage.people.operator);
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
  await page.goto("/portal/upload");
  await page.getByLabel("Kind").selectOption("Activities");
}

const landed = (page: Page) => page.waitForURL(/\/portal\/imports\/[0-9a-f-]{36}$/);

browserTest("columns are chosen by keyboard; what is missing changes meanwhile; the file is checked and uploaded", async () => {
  await browser.inPage({ origin: service.url, width: 360, keep: "columns" }, async ({ page, faults }) => {
    await open(page);
    await page.getByLabel("File", { exact: true }).setInputFiles(file(["PICK,2,23/04/2026,first", "PICK,none,24/04/2026,second"]));
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Columns" }).waitFor();
    await page.getByText("Required and missing: Warehouse code, Charge code.").waitFor();
    const task = page.getByLabel("Our field for Task");
    await tabTo(page, task);
    await page.keyboard.type("Charge");
    await page.keyboard.press("Tab");
    await page.getByText("Required and missing: Warehouse code.").waitFor();
    const warehouse = page.getByLabel("Warehouse code");
    await tabTo(page, warehouse);
    await page.keyboard.type("SYD1");
    await page.keyboard.press("Tab");
    await page.getByText("Every required field has a column or a value.").waitFor();
    await page.getByText("The file has 23/04/2026, which can only be day first.").waitFor();
    const check = page.getByRole("button", { name: "Check file" });
    await tabTo(page, check);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "work done.csv" }).waitFor();
    await page.getByText("Valid quantity is required").waitFor();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "columns-checked");
    await tabTo(page, page.getByRole("button", { name: "Upload", exact: true }));
    await page.keyboard.press("Enter");
    await landed(page);
    await page.getByText("Columns as chosen").waitFor();
    await page.locator("summary", { hasText: "Our field for each column" }).click();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "columns-import");
    expect(faults).toEqual([]);
  });
});

browserTest(
  "the next file with these headings goes through, and shows first what is filled in; the same file again asks on the page of its columns",
  async () => {
    await browser.inPage({ origin: service.url, keep: "columns" }, async ({ page }) => {
      await open(page);
      await page.getByLabel("File", { exact: true }).setInputFiles(file(["PICK,7,25/04/2026,third"]));
      await page.getByRole("button", { name: "Check file" }).click();
      await page.getByText("Every row would be accepted.").waitFor();
      await page.getByText("Columns as chosen").waitFor();
      await screenshot(page, "columns-remembered");
      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await landed(page);
      await open(page);
      await page.getByLabel("File", { exact: true }).setInputFiles(file(["PICK,8,26/04/2026,fourth"]));
      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await page.getByRole("table", { name: "Filled in for every row" }).waitFor();
      await page.getByRole("cell", { name: "SYD1" }).waitFor();
      expect(await violations(page)).toEqual([]);
      await screenshot(page, "columns-filled-in");
      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await landed(page);
      await open(page);
      await page.getByLabel("File", { exact: true }).setInputFiles(file(["PICK,7,25/04/2026,third"]));
      await page.getByRole("button", { name: "Check file" }).click();
      await page.getByRole("link", { name: "Choose columns" }).click();
      await page.getByRole("heading", { level: 1, name: "Columns" }).waitFor();
      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await page.getByRole("heading", { name: "This file was sent before" }).waitFor();
      await page.getByRole("button", { name: "Upload again" }).click();
      await landed(page);
      await page.getByText("The same file as").waitFor();
    });
  },
);

browserTest("with very many columns and custom fields, fields are written; what is missing changes meanwhile", async () => {
  const organisation = await service.organisation((file) => {
    file.customFields = Array.from({ length: 200 }, (_, index) => ({ key: `k${index}`, label: `Custom ${index}` }));
    for (const carrier of file.carriers) carrier.mandatoryCustomFields = [];
  });
  const member = await signedIn(service, await addMember(service, organisation.id, "operator"));
  const known = ["From suburb", "From postcode", "To suburb", "To postcode", "Box"];
  const headings = [...known, ...Array.from({ length: 120 }, (_, index) => `h${index}`)];
  const fields = { token: await formToken(member), page: "p", kind: "shipments" };
  const sent = await member.upload("/portal/upload", fields, new File([`${headings.join()}\n${"1,".repeat(124)}1`], "wide.csv"));
  await browser.inPage({ origin: service.url, width: 360 }, async ({ page, faults }) => {
    await page.context().addCookies([...member.cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
    await page.goto(sent.headers.get("location") ?? "");
    await page.getByText("Required and missing: Shipment ID, Item type.").waitFor();
    await tabTo(page, page.getByLabel("Our field for Box"));
    await page.keyboard.type("item Type");
    await page.keyboard.press("Tab");
    await page.getByText("Required and missing: Shipment ID.").waitFor();
    await page.getByLabel("Our field for h0").fill("Shipment ID");
    await page.keyboard.press("Tab");
    await page.getByText("Every required field has a column or a value.").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await screenshot(page, "columns-written");
    await page.getByRole("button", { name: "Check file" }).click();
    await page.getByRole("heading", { level: 1, name: "wide.csv" }).waitFor();
    expect(faults).toEqual([]);
  });
});
