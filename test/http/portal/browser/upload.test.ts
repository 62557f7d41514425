// Uploading in a real browser: choose or drop, check, upload, land on the import.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { browserTest, useBrowser } from "../../../support/browser.js";
import { signedIn } from "../../../support/portal.js";
import { type PortalStage, preparePortal } from "../../../support/portalPages.js";
import { startTestService, type TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let stage: PortalStage;
beforeAll(async () => {
  service = await startTestService();
  stage = await preparePortal(service);
});
afterAll(() => service?.close());

const header = "warehouseCode,chargeCode,quantity,activityTimestamp";
const good = "SYD,PICK,1,2026-07-01T01:00:00Z";
const file = (name: string, rows: readonly string[]) => ({ name, mimeType: "text/csv", buffer: Buffer.from([header, ...rows].join("\n")) });

async function open(page: Page): Promise<void> {
  const { cookies } = await signedIn(service, stage.people.operator);
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
  await page.goto("/portal/upload");
  await page.getByLabel("Kind").selectOption("Activities");
}

const landed = (page: Page) => page.waitForURL(/\/portal\/imports\/[0-9a-f-]{36}$/);
const requested = async (reference: string) => {
  const { rowCount } = await service.pool.query("select from import_queue where organisation_id = $1", [stage.organisationId]);
  expect(rowCount, reference).toBeGreaterThan(0);
};

browserTest("a file is chosen, checked, seen to be wrong, put right and uploaded; the page leads to its import", async () => {
  await browser.inPage({ origin: service.url }, async ({ page, faults }) => {
    await open(page);
    await page.getByLabel("File", { exact: true }).setInputFiles(file("picks.csv", [good, "SYD,PICK,none,2026-07-01T01:00:00Z"]));
    await page.getByRole("button", { name: "Check file" }).click();
    await page.getByRole("heading", { name: "Checked: picks.csv" }).waitFor();
    const row = page.getByRole("row", { name: /3 quantity Valid quantity is required/ });
    await row.waitFor();
    await page.getByText("1 row of 2 would be rejected. Nothing has been recorded.").waitFor();
    expect(page.url()).toMatch(/\/portal\/upload$/);
    expect(faults).toEqual([]);

    await page.getByLabel("File", { exact: true }).setInputFiles(file("picks.csv", [good, good]));
    await row.waitFor({ state: "detached" });
    await page.getByLabel("Reference").fill("Monday's picks");
    await page.getByRole("button", { name: "Upload" }).dblclick();
    await landed(page);
    await requested("Monday's picks");
  });
});

browserTest("a file is dropped on the marked area, by the keyboard the rest; what is refused is said, and the form stays", async () => {
  await browser.inPage({ origin: service.url, width: 360 }, async ({ page }) => {
    await open(page);
    const drop = async (name: string, text: string) => {
      const dropped = JSON.stringify([[text], name]);
      const data = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(...${dropped}));
        return transfer;
      })()`);
      await page.dispatchEvent("[data-drop]", "drop", { dataTransfer: data });
    };
    await drop("wrong.csv", "colour\nred\n");
    await page.getByRole("button", { name: "Upload" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Missing required column(s): warehouseCode").waitFor();
    await drop("right.csv", `${header}\n${good}\n`);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Upload" }).focus();
    await page.keyboard.press("Enter");
    await landed(page);
  });
});

browserTest("without scripts the form uploads too, and an example is there to download", async () => {
  await browser.inPage({ origin: service.url, javaScriptEnabled: false }, async ({ page }) => {
    await open(page);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Example of activities (CSV)" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("example-activities.csv");
    await page.getByLabel("File", { exact: true }).setInputFiles((await download.path()) ?? "");
    expect(await page.getByRole("button", { name: "Check file" }).isVisible()).toBe(false);
    await page.getByLabel("File", { exact: true }).setInputFiles(file("plain.csv", [good]));
    await page.getByRole("button", { name: "Upload" }).click();
    await landed(page);
  });
});
