// What people come to do, in a real browser, with the clicks that it takes them: choosing a file and going to a field are clicks too.
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Role } from "../../../../src/domain/members.js";
import { screenshot, violations } from "../../../support/browser/axe.js";
import { browserTest } from "../../../support/browser/browser.js";
import { addMember } from "../../../support/portal/portal.js";
import type { TestOrganisation } from "../../../support/service.js";
import { useCorrections } from "./correctionsPage.js";

const stage = useCorrections();

interface Job {
  readonly page: Page;
  readonly clicks: () => number;
  readonly click: (on: Locator) => Promise<void>;
  readonly choose: (name: string, rows: readonly string[]) => Promise<void>;
  readonly write: (label: string, text: string) => Promise<void>;
  readonly link: (name: string | RegExp) => Promise<void>;
  readonly button: (name: string) => Promise<void>;
}

async function job(organisation: TestOrganisation, role: Role, work: (job: Job) => Promise<void>): Promise<void> {
  await stage.asMember(await addMember(stage.service, organisation.id, role), async ({ page }) => {
    let clicks = 0;
    const click = async (on: Locator) => {
      clicks += 1;
      await on.click();
    };
    await page.goto("/portal");
    await work({
      page,
      clicks: () => clicks,
      click,
      choose: async (name, rows) => {
        clicks += 1;
        const buffer = Buffer.from(["warehouseCode;chargeCode;quantity;activityTimestamp;customerId;reference", ...rows].join("\n"));
        await page.getByLabel("File", { exact: true }).setInputFiles({ name, mimeType: "text/csv", buffer });
      },
      write: async (label, text) => {
        clicks += 1;
        await page.getByLabel(label, { exact: true }).fill(text);
      },
      link: (name) => click(page.getByRole("link", { name, exact: true }).first()),
      button: (name) => click(page.getByRole("button", { name, exact: true })),
    });
  });
}

const itemsOf = async (organisation: TestOrganisation, path: string) =>
  ((await (await organisation.get(path)).json()) as { items: { quantity?: number }[] }).items;

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
const landed = (page: Page) => page.waitForURL(/\/portal\/imports\/[0-9a-f-]{36}$/);
const completed = (page: Page) => page.getByText("Completed", { exact: true }).first().waitFor();

/** Wide and narrow, light and dark. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const [colorScheme, width] of [
    ["dark", 390],
    ["light", 1440],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    await screenshot(page, `${name}-${colorScheme}-${width}`);
  }
}

browserTest("from a new organisation to its first accepted import in at most ten clicks", async () => {
  const organisation = await stage.service.organisation((file) =>
    Object.assign(file, { carriers: [], services: [], zoneMaps: [], rateCards: [], customers: [], customFields: [] }),
  );
  await job(organisation, "admin", async ({ page, clicks, button }) => {
    await looksRight(page, "get-started");
    await button("Load example catalogue");
    await heading(page, "Change to the example catalogue");
    await button("Apply");
    await heading(page, "Overview");
    await page.getByText("Customers and prices: done").waitFor();
    await button("Try the example file");
    await heading(page, "example-activities.csv");
    await page.getByText("Every row would be accepted.").waitFor();
    await button("Upload");
    await landed(page);
    await completed(page);
    expect(clicks()).toBeLessThanOrEqual(10);
    await page.goto("/portal");
    await page.getByText("Try the example file: done").waitFor();
    await looksRight(page, "get-started-done");
    await button("Put away");
    await page.getByText("Get started").waitFor({ state: "detached" });
  });
});

browserTest("an odd file is stopped by one page before it is billed", async () => {
  const organisation = await stage.service.organisation();
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const usual = Array.from({ length: 101 }, (_, n) => `SYD1,PICK,5,${at(n)},CUST-001,u${n}`);
  await stage.uploadedActivities(organisation, usual);
  await job(organisation, "operator", async ({ page, clicks, link, button, choose }) => {
    await link("Upload a file");
    const odd = [`SYD1;PIKC;5;${at(1)};CUST-001;a`, `SDY1;PICK;3000000;${at(2)};CUST-001;b`, "SYD1;PICK;5;2062-10-01T00:00:00Z;CUST-001;c"];
    const twice = `SYD1;PICK;5;${at(3)};CUST-001;d`;
    await choose("odd.csv", [...odd, twice, twice]);
    await button("Upload");
    await heading(page, "odd.csv");
    expect(clicks()).toBe(3);
    await page.getByRole("heading", { level: 2, name: "Unusual" }).waitFor();
    for (const text of [
      "did you mean PICK?",
      "did you mean SYD1?",
      "Unusual quantity",
      "Unusual time",
      "Recorded already, or twice in this file",
    ])
      await page.getByText(text).first().waitFor();
    expect(await itemsOf(organisation, "/v1/org/fulfilment/imports")).toHaveLength(1);
    await looksRight(page, "odd-file");
    await button("Upload anyway");
    await landed(page);
    await page.getByRole("link", { name: "Look at 5 unusual rows" }).waitFor();
  });
});

browserTest("a file with decimal commas goes through, and its second month asks nothing", async () => {
  const organisation = await stage.service.organisation();
  await job(organisation, "operator", async ({ page, clicks, link, button, choose }) => {
    await link("Upload a file");
    await choose("oktober.csv", ["SYD1;PICK;1,5;2026-10-01T01:00:00Z;CUST-001;a", "SYD1;PICK;1.234,50;2026-10-02T01:00:00Z;CUST-001;b"]);
    await button("Upload");
    await page.getByText("which can only have a decimal comma").waitFor();
    await button("Upload");
    await landed(page);
    await completed(page);
    const first = clicks();
    await link("Upload a file");
    await choose("november.csv", ["SYD1;PICK;2,5;2026-11-01T01:00:00Z;CUST-001;c", "SYD1;PICK;1.234;2026-11-02T01:00:00Z;CUST-001;d"]);
    await button("Upload");
    await landed(page);
    await completed(page);
    expect(clicks() - first).toBe(3);
  });
  const items = await itemsOf(organisation, "/v1/org/ledger/activities");
  expect(items.map(({ quantity }) => quantity)).toEqual([1.5, 1234.5, 2.5, 1234]);
});

browserTest("a carrier is added in at most eight clicks", async () => {
  const organisation = await stage.service.organisation();
  await job(organisation, "admin", async ({ page, clicks, link, button, write }) => {
    await link("Catalogue");
    await link(/^Carriers \(/);
    await link("Add carrier");
    await write("Id", "swift");
    await write("Name", "Swift Express");
    await button("Show changes");
    await heading(page, "Change carrier swift");
    await button("Apply");
    await page.getByText("Version 2 applied.").waitFor();
    expect(clicks()).toBeLessThanOrEqual(8);
  });
});

browserTest("the key / leads to the search of every page, and a result to its page", async () => {
  const organisation = await stage.service.organisation();
  await stage.uploadedActivities(organisation, [
    "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST-001,WMS-1",
    "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST-001,WMS-12",
  ]);
  await job(organisation, "viewer", async ({ page, link }) => {
    await page.goto("/portal/catalogue");
    await page.keyboard.press("/");
    await page.keyboard.type("WMS-1");
    await page.keyboard.press("Enter");
    await heading(page, "Search: WMS-1");
    expect(await page.getByRole("rowheader").allTextContents()).toEqual(["WMS-1", "WMS-12"]);
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("WMS-1");
    await page.getByRole("searchbox", { name: "Search" }).press("End");
    await page.keyboard.type("/");
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("WMS-1/"); // in a field it is a letter
    await looksRight(page, "search");
    await link("WMS-12");
    await page.getByText("WMS-12").first().waitFor();
    expect(page.url()).toMatch(/\/portal\/activities\/[0-9a-f-]{36}\/3$/);
  });
});
