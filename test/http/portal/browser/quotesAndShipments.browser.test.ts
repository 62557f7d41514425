// Quotes, shipments and earlier states in a real browser, as the person who answers the telephone uses them.
import type { Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import { streamOf, streamPrefix } from "../../../../src/events/streams.js";
import { noStream } from "../../../../src/ports/eventStore.js";
import { screenshot, violations } from "../../../support/browser/axe.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { holdNext } from "../../../support/browser/heldRequest.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { goodsLine, type Story, tell } from "../../../support/importStory.js";
import { addMember, signedIn } from "../../../support/portal/portal.js";
import { projectLog } from "../../../support/projectLog.js";
import { reverse } from "../../../support/reversalStory.js";
import type { TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let cookies: { name: string; value: string; url: string }[];
/** A time after the first version was recorded and before the second. */
let between: string;

beforeAll(async () => {
  service = await sharedService();
  const { id: organisationId } = await service.organisation((file) => {
    const [card] = file.rateCards;
    if (card)
      file.rateCards.push({ ...card, id: "beta-2026", name: "Beta 2026", lanes: card.lanes.map((lane) => ({ ...lane, perKg: 0.5 })) });
    file.customers[1]?.rateCardIds.push("beta-2026");
  });
  const operator = await signedIn(service, await addMember(service, organisationId, "operator"));
  cookies = [...operator.cookies].map(([name, value]) => ({ name, value, url: service.url }));
  const record = async (story: Omit<Story, "organisationId" | "kind">) => {
    const { stream, events } = tell({ ...story, organisationId, kind: "shipments" });
    await service.eventStore.append(stream, events, noStream);
    return stream;
  };
  const lines = Array.from({ length: 30 }, (_, n) => ({ accept: goodsLine(`PO-${100 + n}`, { customerId: "CUST-002" }) }));
  const first = await record({
    sourceDetails: "monday.csv",
    rows: [{ accept: goodsLine("SO-1001", { customerId: "CUST-001" }) }, ...lines],
  });
  between = (await service.eventStore.last(first))?.recordedAt.toISOString() ?? "";
  const changed = goodsLine("SO-1001", {
    ...{ customerId: "CUST-001", destinationPostCode: "3121", destinationSuburb: "Richmond" },
    item: { itemType: "Pallet", itemQuantity: 2, itemWeight: 120 },
  });
  await record({ sourceDetails: "tuesday.csv", rows: [{ accept: changed }] });
  const reversed = await record({ sourceDetails: "twice.csv", rows: [{ accept: { ...changed, shipmentId: "PO-100" } }] });
  const importId = reversed.slice(streamPrefix.import.length);
  await reverse(service.eventStore, { organisationId, importId, count: 1, reason: "The file of another warehouse was sent" });
  await projectLog(service);
});

/** Checks the page light and wide, and dark and narrow. */
async function judge(page: Page, name: string): Promise<void> {
  for (const [colorScheme, width] of [["light", 1440] as const, ["dark", 360] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    expect([name, colorScheme, ...(await violations(page, { onlyLooks: width === 360 }))]).toEqual([name, colorScheme]);
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    await screenshot(page, `${name}-${colorScheme}-${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** Pastes text from the clipboard by keyboard, as from a spreadsheet. */
async function pasteInto(page: Page, label: string, text: string): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.url });
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.getByLabel(label, { exact: true }).focus();
  await page.keyboard.press("Control+V");
}

const cents = (text: string | null) => Math.round(Number((text ?? "").replace(/[^0-9.]/g, "")) * 100);

browserTest(
  "a quote: items are pasted from a spreadsheet, places are suggested, prices are compared and opened to show how they are made up",
  async () => {
    await browser.inPage({ origin: service.url, keep: "operator" }, async ({ page, faults }) => {
      await page.context().addCookies(cookies);
      await page.goto("/portal/quotes");
      await page.getByLabel("Find a customer").fill("beta");
      expect(await page.getByRole("checkbox").filter({ visible: true }).count()).toBe(1);
      await page.getByRole("checkbox", { name: /Beta Books/ }).check();
      await page.getByLabel("Find a customer").fill("");
      await page.getByRole("checkbox", { name: /Acme Retail/ }).check();

      const origin = page.getByRole("group", { name: "Origin" });
      await origin.getByLabel("Postcode").pressSequentially("200");
      await page.locator("#places-origin option[value^='2000 ']").first().waitFor({ state: "attached" });
      const suggested = (await page.locator("#places-origin option[value^='2000 ']").first().getAttribute("value")) ?? "";
      await origin.getByLabel("Postcode").fill(suggested); // the browser fills in the suggestion that was chosen
      expect(await origin.getByLabel("Postcode").inputValue()).toBe("2000");
      expect(suggested.toLowerCase()).toContain((await origin.getByLabel("Suburb").inputValue()).toLowerCase());
      // Suggestions for an earlier text that arrive late are not shown.
      const destination = page.getByRole("group", { name: "Destination" }).getByLabel("Postcode");
      const early = await holdNext(page, /places\?start=31&/);
      await destination.fill("31");
      await early.answered;
      await destination.fill("3121");
      const places = page.locator("#places-destination option");
      await places.first().waitFor({ state: "attached" });
      await early.letGo();
      for (const place of await places.evaluateAll((all) => all.map((each) => each.getAttribute("value")))) expect(place).toMatch(/^3121 /);
      await destination.fill("3000");

      const rows = Array.from({ length: 5 }, (_, n) => [n + 1, 0.5, 0.4, 0.4, 30, "Carton"].join("\t"));
      await pasteInto(page, "Quantity, item 1", `${rows.join("\r\n")}\r\n`);
      expect(await page.getByLabel("Quantity, item 5").inputValue()).toBe("5");
      expect(await page.getByLabel("Type, item 5").inputValue()).toBe("Carton");
      await judge(page, "quote-form");
      await page.getByRole("button", { name: "Get quotes" }).click();

      const compared = page.getByRole("table", { name: "The cheapest price of each service, by customer" });
      await compared.waitFor();
      await page.waitForLoadState(); // the prices are loaded after the table
      const [acme, beta] = await Promise.all(
        ["Acme Retail", "Beta Books"].map(async (name) => cents(await compared.getByRole("row", { name }).getByRole("cell").textContent())),
      );
      expect(beta).toBeGreaterThan(acme ?? 0);
      await page.locator("details.breakdown summary").first().click();
      const price = page.locator("table.price-lines").first();
      const parts = await price.locator("tr.adds td").allTextContents();
      expect(parts.reduce((sum, part) => sum + cents(part), 0)).toBe(acme);
      expect(cents(await price.locator("tfoot td").textContent())).toBe(acme);
      await price.getByText("Chargeable weight").first().waitFor();
      await judge(page, "quote-results");
      expect(faults).toEqual([]);
    });
  },
);

browserTest(
  "a shipment is found by place and id, and shown with every version and its changes, as of a time, and with its event",
  async () => {
    await browser.inPage({ origin: service.url, keep: "operator" }, async ({ page, faults }) => {
      await page.context().addCookies(cookies);
      await page.goto("/portal/shipments");
      const found = page.getByRole("rowheader");
      expect(await found.count()).toBe(31);
      await page.getByLabel("Place", { exact: true }).fill("richmond");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Show all" }).waitFor();
      await expect.poll(() => found.allInnerTexts()).toEqual(["SO-1001"]); // the rows are loaded after the form
      await judge(page, "shipments-found");
      await page.getByLabel("Place", { exact: true }).fill("");
      await page.getByLabel("Id begins with").fill("PO-10");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "PO-100", exact: true }).waitFor();
      await expect.poll(() => found.count()).toBe(10);

      await page.goto("/portal/shipments/SO-1001");
      await page.getByRole("heading", { level: 3, name: /^Version 2/ }).waitFor();
      expect(await page.getByRole("deletion").allInnerTexts()).toEqual(expect.arrayContaining(["Melbourne", "3000"]));
      expect(await page.getByRole("insertion").allInnerTexts()).toEqual(expect.arrayContaining(["Richmond", "3121"]));
      await judge(page, "shipment-versions");

      await page.goto("/portal/shipments/PO-100");
      const reversed = page.getByRole("listitem").filter({ has: page.getByRole("heading", { level: 3, name: /^Version 2/ }) });
      await reversed.getByText("The file of another warehouse was sent").waitFor();
      await judge(page, "shipment-reversed");
      await page.getByRole("link", { name: "Reverse rows of version 1" }).click();
      await page.getByRole("heading", { level: 1, name: /^Reverse/ }).waitFor();
      await page.getByText("PO-100").first().waitFor();

      await page.goto(`/portal/shipments/SO-1001?asOf=${encodeURIComponent(between)}`);
      await page.getByRole("heading", { level: 2, name: "Sydney 2000 to Melbourne 3000" }).waitFor();
      expect(await page.getByRole("heading", { level: 3 }).count()).toBe(1);
      await page.getByRole("link", { name: "Show it now" }).click();
      await page.getByRole("heading", { level: 2, name: "Sydney 2000 to Richmond 3121" }).waitFor();
      await page.waitForLoadState(); // the scripts add buttons, which moves the links

      await page.getByRole("link", { name: "history of version 2" }).click();
      const event = page.getByRole("listitem").filter({ hasText: "Row 2 accepted: a line of shipment SO-1001" });
      await event.getByText("Recorded data").first().click();
      await event.locator("pre", { hasText: '"destinationSuburb": "Richmond"' }).waitFor();
      expect(faults).toEqual([]);
    });
  },
);

browserTest("an import's page can be opened as of an earlier time, and left for the present one", async () => {
  const importId = await importOf("tuesday.csv");
  await browser.inPage({ origin: service.url, keep: "operator" }, async ({ page, faults }) => {
    await page.context().addCookies(cookies);
    const requested = await firstEventAt(importId);
    await page.goto(`/portal/imports/${importId}?asOf=${encodeURIComponent(requested)}`);
    await page.getByRole("heading", { level: 2, name: "As it was" }).waitFor();
    await judge(page, "import-as-of");
    await page.getByRole("link", { name: "Show it now" }).click();
    await page.getByLabel("As of").waitFor();
    expect(faults).toEqual([]);
  });
});

async function importOf(reference: string): Promise<string> {
  const { rows } = await service.pool.query<{ id: string }>("select import_id as id from imports where source_details = $1", [reference]);
  return rows[0]?.id ?? "";
}

async function firstEventAt(importId: string): Promise<string> {
  for await (const event of service.eventStore.read(streamOf.import(importId), { max: 1 })) return event.recordedAt.toISOString();
  throw new Error("the import has no stream");
}
