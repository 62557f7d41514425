// The catalogue in a real browser: from a rejected row to a new customer by the keyboard alone, and an organisation file that is uploaded.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { screenshot, violations } from "../../../support/browser/axe.js";
import { browserTest } from "../../../support/browser/browser.js";
import { tabTo } from "../../../support/browser/keyboard.js";
import { addMember, signedIn, type TestMember } from "../../../support/portal/portal.js";
import { changeCatalogue } from "../../../support/portal/portalCatalogue.js";
import { useCorrections } from "./correctionsPage.js";

const stage = useCorrections();

async function signIn(page: Page, member: TestMember): Promise<void> {
  const { cookies } = await signedIn(stage.service, member);
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${stage.service.url}/portal` })));
}

/** Wide and light, narrow and dark: accessible, and nothing wider than the screen. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const [colorScheme, width] of [
    ["light", 1440],
    ["dark", 360],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    await screenshot(page, `${name}-${colorScheme}-${width}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

browserTest("by keyboard: from a rejected row an admin adds its customer, judges again and submits the rows", async () => {
  const organisation = await stage.service.organisation();
  const admin = await addMember(stage.service, organisation.id, "admin");
  await stage.rejectedActivities(organisation, 2);
  await stage.browser.inPage({ origin: stage.service.url }, async ({ page, faults }) => {
    await signIn(page, admin);
    await page.goto("/portal/corrections");
    await tabTo(page, page.getByRole("link", { name: "Add customer CUST-999" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Add customer" }).waitFor();
    expect(await page.getByLabel("Id", { exact: true }).inputValue()).toBe("CUST-999");
    await tabTo(page, page.getByLabel("Name", { exact: true }));
    await page.keyboard.type("Nine Nine Nine");
    await tabTo(page, page.getByRole("checkbox", { name: /AirCo/ }));
    await page.keyboard.press("Space");
    await tabTo(page, page.getByRole("button", { name: "Add customer" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Judge again" }).waitFor();
    await page.getByText("Customer CUST-999 added.").waitFor();
    await looksRight(page, "judge-again-accepted");
    await tabTo(page, page.getByRole("button", { name: "Submit 2 rows" }));
    await page.keyboard.press("Enter");
    await page.getByText("2 rows submitted in 1 new import.").waitFor();
    expect(faults).toEqual([]);
  });
});

browserTest("an organisation file with faults, its changes, a change of another admin meanwhile, and Apply", async () => {
  const organisation = await stage.service.organisation();
  const admin = await addMember(stage.service, organisation.id, "admin");
  await stage.browser.inPage({ origin: stage.service.url }, async ({ page }) => {
    await signIn(page, admin);
    const file = await (await page.request.get("/portal/catalogue/organisation.json?version=1")).json();
    const upload = async (content: unknown) => {
      await page.goto("/portal/catalogue/upload");
      await page
        .getByLabel("File", { exact: true })
        .setInputFiles({ name: "next.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(content)) });
      await page.getByRole("button", { name: "Show changes" }).click();
    };
    await upload({ ...file, colour: "red", customers: [{ id: "X", name: "", carrierIds: ["none"] }] });
    await page.getByText("customers.0.name must not be empty").waitFor();
    await looksRight(page, "catalogue-upload-faults");
    await upload({ ...file, customers: [...file.customers.slice(1), { id: "NEW", name: "New" }] });
    await page.getByText("1 added, 1 removed").waitFor();
    await looksRight(page, "catalogue-upload-changes");
    await changeCatalogue(stage.service, organisation.id, admin, (present) => {
      present.customers.push({ id: "MEANWHILE", name: "Meanwhile", carrierIds: [], rateCardIds: [] });
    });
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("changed the catalogue").waitFor();
    await looksRight(page, "catalogue-upload-conflict");
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Version 3 applied.").waitFor();
  });
});
