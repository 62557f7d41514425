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
    await tabTo(page, page.getByRole("button", { name: "Show changes" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Change customer CUST-999" }).waitFor();
    await tabTo(page, page.getByRole("button", { name: "Apply" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Check rejected rows again" }).waitFor();
    await page.getByText("Version 2 applied.").waitFor();
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
      if (present.customers[1]) present.customers[1].name = "Changed meanwhile";
    });
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Version 3 applied.").waitFor();
  });
});

browserTest("one price in six clicks, cells pasted from a spreadsheet, and a price that somebody else has changed meanwhile", async () => {
  const organisation = await stage.service.organisation();
  const admin = await addMember(stage.service, organisation.id, "admin");
  await stage.browser.inPage({ origin: stage.service.url }, async ({ page, faults }) => {
    await signIn(page, admin);
    await page.goto("/portal");
    await page.getByRole("link", { name: "Catalogue" }).click();
    await page.getByRole("link", { name: /^Rate cards \(/ }).click();
    await page.getByRole("link", { name: "Road 2026" }).click();
    const cell = page.getByRole("textbox", { name: "Per kg, SYD to MEL" });
    await cell.click();
    await cell.fill("0.45");
    await looksRight(page, "catalogue-lanes");
    await page.getByRole("button", { name: "Show changes" }).click();
    await page.getByText("Per kg, SYD to MEL: 0.42 -> 0.45").waitFor();
    await looksRight(page, "catalogue-apply");
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Version 2 applied.").waitFor();

    await page.getByLabel("From, new lane", { exact: true }).first().focus();
    await page.evaluate(`{
      const data = new DataTransfer();
      data.setData("text/plain", "MEL\\tSYD\\t10\\t0.3\\nMEL\\tMEL\\t5\\t0.2\\n");
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }`);
    await page.getByText("2 rows pasted.").waitFor();
    await cell.fill("0.5");
    await page.getByRole("button", { name: "Show changes" }).click();
    await page.getByText("Lane MEL to SYD added").waitFor();
    await changeCatalogue(stage.service, organisation.id, admin, (file) => {
      Object.assign(file.rateCards[0]?.lanes[0] ?? {}, { perKg: 0.6 });
    });
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByRole("heading", { name: "Changed by both of you" }).waitFor();
    await looksRight(page, "catalogue-conflict");
    await page.getByLabel("Keep, Rate card road-2026: Per kg, SYD to MEL").selectOption("theirs");
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Version 4 applied.").waitFor();
    expect(await cell.inputValue()).toBe("0.6");
    expect(await page.getByRole("textbox", { name: "Per kg, MEL to SYD" }).inputValue()).toBe("0.3");
    expect(faults).toEqual([expect.stringContaining("409 (Conflict)")]);
  });
});
