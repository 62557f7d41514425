// Activities on paper: A4 and Letter are narrower than a small screen, and still get a table and not the layout of a phone.
import { beforeAll, expect } from "vitest";
import { noStream } from "../../../../src/ports/eventStore.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { inMenu } from "../../../support/browser/downloads.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { activity, tell } from "../../../support/importStory.js";
import { addMember, signedIn } from "../../../support/portal/portal.js";
import { projectLog } from "../../../support/projectLog.js";
import type { TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let cookies: ReadonlyMap<string, string>;
const customers = ["CUST-001", "CUST-002", "CUST-003", "CUST-004", "CUST-005", "CUST-006"];
const charges = 25;
beforeAll(async () => {
  service = await sharedService();
  const { id: organisationId } = await service.organisation();
  const rows = customers.flatMap((customerId) =>
    Array.from({ length: charges }, (_, n) => ({ accept: activity({ customerId, chargeCode: `CHARGE-${String(n).padStart(2, "0")}` }) })),
  );
  const { stream, events } = tell({ organisationId, kind: "activities", rows });
  await service.eventStore.append(stream, events, noStream);
  await projectLog(service);
  ({ cookies } = await signedIn(service, await addMember(service, organisationId, "viewer")));
});

const month = "/portal/activities?month=2026-03";
const papers = [
  { format: "A4", width: 794 },
  { format: "Letter", width: 816 },
] as const;

const opened = (work: (page: import("playwright-core").Page) => Promise<void>, path = month, colorScheme: "light" | "dark" = "light") =>
  browser.inPage({ origin: service.url, javaScriptEnabled: false, colorScheme }, async ({ page }) => {
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.url })));
    await page.goto(path);
    await work(page);
  });

const pagesOf = (pdf: Buffer) => pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;

browserTest.each(papers)(
  "a month prints as a table on $format: headings on every page, the sum once, no navigation",
  async ({ format, width }) => {
    await opened(async (page) => {
      const pages = pagesOf(await page.pdf({ format }));
      // 150 lines and a sum for each customer; 40 lines fit on a page with room to spare.
      expect(pages).toBeGreaterThan(1);
      expect(pages).toBeLessThanOrEqual(Math.ceil((customers.length * (charges + 1)) / 40));
      await page.setViewportSize({ width, height: 1100 });
      await page.emulateMedia({ media: "print" });
      const displayOf = (selector: string) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).display`);
      expect(await displayOf(".bill thead")).toBe("table-header-group");
      expect(await displayOf(".bill tfoot")).toBe("table-row-group");
      expect([await displayOf(".bill tbody tr"), await displayOf(".bill tbody td")]).toEqual(["table-row", "table-cell"]);
      for (const control of [".top", ".segments", ".filter-chips", ".page-top", ".zone"])
        expect([control, await displayOf(control)]).toEqual([control, "none"]);
      expect(await page.evaluate(`document.querySelector(".bill").scrollWidth <= document.documentElement.clientWidth`)).toBe(true);
    });
  },
);

browserTest.each(papers)("one customer per page is a link, and prints each customer on its own page of $format", async ({ format }) => {
  await opened(async (page) => {
    await (await inMenu(page, "One customer per page")).click();
    await page.getByRole("heading", { level: 3, name: "CUST-003" }).waitFor();
    expect(await page.locator("table.bill").count()).toBe(customers.length);
    expect(pagesOf(await page.pdf({ format }))).toBe(customers.length);
    await page.emulateMedia({ media: "print" });
    const heads = await page.locator(".printed-head").allInnerTexts();
    expect(heads).toHaveLength(customers.length);
    for (const head of heads) expect(head).toMatch(/, activities, March 2026\. (CUST-\d{3}|[A-Z]\w+ \w+)\. Days and times are those of /);
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("link", { name: "By warehouse" }).click();
    expect(await page.locator("table.bill").count()).toBe(customers.length);
    await (await inMenu(page, "All customers in one table")).click();
    await expect.poll(() => page.locator("table.bill").count()).toBe(1);
  });
});

browserTest("the paper is light where the screen is dark", async () => {
  await opened(
    async (page) => {
      const colour = () => page.evaluate<string>(`getComputedStyle(document.querySelector("h1")).color`);
      const onScreen = await colour();
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      expect(onScreen).not.toBe(await colour());
      await page.emulateMedia({ media: "screen", colorScheme: "light" });
      const light = await colour();
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      expect(await colour()).toBe(light);
    },
    month,
    "dark",
  );
});
