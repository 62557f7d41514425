// Tests of the rows that come with the page. corrections.test.ts runs them with its browser and service.
import { EventEmitter, once } from "node:events";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { screenshot, violations } from "../../../support/browser/axe.js";
import { browserTest } from "../../../support/browser/browser.js";
import { addMember, signedIn, type TestMember } from "../../../support/portal/portal.js";
import { type CorrectionsStage, holds, opened, says, write } from "./correctionsPage.js";

const script = /assets\/[0-9a-f]+\/corrections\.js$/;

/** Where the row's number and its customer stand. */
const places = async (page: Page, row: number) => {
  const cells = page.locator(".grid-row", { has: page.locator(".number", { hasText: new RegExp(`^${row}$`) }) }).locator(".cell");
  const customer = cells.filter({ hasText: /^CUST-999$/ });
  return [await cells.locator(":scope.number").boundingBox(), await customer.boundingBox()];
};

export function testFirstRows(stage: CorrectionsStage): void {
  const { rejectedActivities, uploadedActivities, asMember } = stage;

  browserTest.each([
    [1440, "light"],
    [390, "dark"],
  ] as const)("without scripts the page has the rows with their problems and values (%i px, %s)", async (width, colorScheme) => {
    const organisation = await stage.service.organisation();
    await rejectedActivities(organisation, 3);
    const { cookies } = await signedIn(stage.service, await addMember(stage.service, organisation.id, "operator"));
    const look = { origin: stage.service.url, javaScriptEnabled: false, width, colorScheme };
    await stage.browser.inPage(look, async ({ page, faults }) => {
      await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${stage.service.url}/portal` })));
      await page.goto("/portal/corrections");
      const row = page.getByRole("row", { name: /3 Customer not found Nightly picks SYD1 PICK 1 2026-03-01T09:30:00Z CUST-999 R-3$/ });
      expect(await row.getByText("CUST-999").isVisible()).toBe(true);
      expect(await row.getByRole("link", { name: "Nightly picks" }).isVisible()).toBe(true);
      expect(await row.getByRole("checkbox").isVisible()).toBe(true);
      expect(await page.locator(".tools").boundingBox()).toBeNull();
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await screenshot(page, `rejected-rows-plain-${width}-${colorScheme}`);
      expect(faults).toEqual([]);
    });
  });

  const withScriptHeld = async (member: TestMember, work: (page: Page, takeOver: () => Promise<void>, asked: string[]) => Promise<void>) =>
    asMember(member, async ({ page }) => {
      const asked: string[] = [];
      page.on("request", (request) => {
        if (/portal\/corrections\/rows/.test(request.url())) asked.push(new URL(request.url()).search);
      });
      const signals = new EventEmitter();
      const isFree = once(signals, "free");
      await page.route(script, (route) => isFree.then(() => route.continue()));
      await page.goto("/portal/corrections", { waitUntil: "commit" });
      const takeOver = async () => {
        signals.emit("free");
        await page.getByRole("grid").waitFor();
      };
      await work(page, takeOver, asked);
      await page.unroute(script); // not before the modules have come that the script imports
    });

  browserTest.each([
    [1440, "light"],
    [390, "dark"],
  ] as const)("the grid takes over the page's rows: nothing moves, nothing is asked for, and edits work (%i px, %s)", async (...look) => {
    const organisation = await stage.service.organisation();
    await rejectedActivities(organisation, 3);
    await withScriptHeld(await addMember(stage.service, organisation.id, "operator"), async (page, takeOver, asked) => {
      await page.setViewportSize({ width: look[0], height: 900 });
      await page.emulateMedia({ colorScheme: look[1] });
      await page.getByRole("row", { name: /^3 / }).waitFor();
      const before = await places(page, 3);
      expect(before).not.toContain(null);
      expect(await violations(page)).toEqual([]);
      await screenshot(page, `rejected-rows-first-${look.join("-")}`);
      await takeOver();
      expect(await places(page, 3)).toEqual(before);
      expect(await page.getByRole("gridcell", { name: "Nightly picks", exact: true }).count()).toBe(3);
      await screenshot(page, `rejected-rows-grid-${look.join("-")}`);
      await write(page, 3, "Customer", "CUST-001");
      await says(page, 3, "Ready to submit");
      expect(asked).toEqual([]);
    });
  });

  browserTest("of many rows the grid asks for those after the page's, and shows the columns that they use", async () => {
    const organisation = await stage.service.organisation();
    const lines = Array.from({ length: 60 }, (_, index) => `SYD1,PICK,1,2026-03-01T09:30:00Z,CUST-999,${index < 55 ? "" : `R-${index}`}`);
    await uploadedActivities(organisation, lines);
    await withScriptHeld(await addMember(stage.service, organisation.id, "operator"), async (page, takeOver, asked) => {
      const heading = page.getByRole("columnheader", { name: "Reference" });
      await page.getByRole("row", { name: /^2 / }).waitFor();
      expect(await heading.count()).toBe(0);
      await takeOver();
      await page.getByText("60 rows.").waitFor();
      expect(await heading.count()).toBe(1);
      await page.getByRole("grid").focus();
      await page.keyboard.press("Control+End");
      await holds(page, 61, "Reference", "R-59");
      expect(asked).toEqual([expect.stringMatching(/^\?kind=activities&cursor=./)]);
    });
  });

  browserTest("rows are read without the script too, where it is not delivered", async () => {
    const organisation = await stage.service.organisation();
    await rejectedActivities(organisation, 1);
    const member = await addMember(stage.service, organisation.id, "viewer");
    await asMember(member, async ({ page, faults }) => {
      await page.route(script, (route) => route.abort());
      await page.goto("/portal/corrections");
      expect(await page.getByRole("row", { name: /^1 Customer not found .* R-1$/ }).isVisible()).toBe(true);
      expect(await page.getByRole("grid").count()).toBe(0);
      await page.unroute(script);
      for (const fault of faults.splice(0)) expect(fault).toContain("net::ERR_FAILED");
      await opened(page);
    });
  });
}
