// What fits into a cell is offered, near matches first. corrections.browser.test.ts runs these tests with its browser and service.
import { expect } from "vitest";
import { violations } from "../../../support/browser/axe.js";
import { browserTest } from "../../../support/browser/browser.js";
import { addMember } from "../../../support/portal/portal.js";
import { type CorrectionsStage, cell, holds, opened, says, write } from "./correctionsPage.js";

const lines = [
  "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST-001,good",
  "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST 001,R-3",
  "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST 001,R-4",
  "SYD1,PICK,1,2026-03-01T09:30:00Z,zebra,R-5",
  "SYD1,,1,2026-03-01T09:30:00Z,,R-6",
];

export function testSuggestions(stage: CorrectionsStage): void {
  const { asMember, uploadedActivities } = stage;

  browserTest(
    "a click on a customer that is not found offers the near ones, for this cell and for all cells with the same value",
    async () => {
      const organisation = await stage.service.organisation();
      await uploadedActivities(organisation, lines);
      await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
        await opened(page);
        const list = page.getByRole("listbox", { name: "Suggestions" });
        await (await cell(page, 3, "Customer")).click();
        await list.getByRole("option", { name: /^CUST-001 (?!in all)/ }).waitFor();
        expect(await violations(page)).toEqual([]);
        await list.getByRole("option", { name: "CUST-001 in all 2 cells with CUST 001" }).click();
        await holds(page, 3, "Customer", "CUST-001");
        await holds(page, 4, "Customer", "CUST-001");
        await says(page, 4, "Ready to submit");
        await list.waitFor({ state: "detached" });
        // Nothing is near to this one, and nothing is offered until it is edited.
        await (await cell(page, 5, "Customer")).click();
        await (await cell(page, 5, "Reference")).click();
        expect(await list.count()).toBe(0);
      });
    },
  );

  browserTest("while a cell is edited, what fits is chosen with the arrow keys; what was typed counts otherwise", async () => {
    const organisation = await stage.service.organisation();
    await uploadedActivities(organisation, lines);
    await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
      await opened(page);
      const list = page.getByRole("listbox", { name: "Suggestions" });
      await (await cell(page, 4, "Customer")).click();
      await page.keyboard.press("Enter");
      const input = page.getByRole("combobox", { name: "Customer, row 4" });
      await expect.poll(() => input.getAttribute("aria-expanded")).toBe("true");
      await page.keyboard.press("ArrowDown");
      expect(await list.getByRole("option", { selected: true }).textContent()).toContain("CUST-001");
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await holds(page, 4, "Customer", "CUST-001");
      await list.waitFor({ state: "detached" });
      // The codes that the organisation has used.
      await (await cell(page, 6, "Charge code")).click();
      await page.keyboard.type("pi");
      await list.getByRole("option", { name: "PICK" }).click();
      await holds(page, 6, "Charge code", "PICK");
      await says(page, 6, "Ready to submit");
      // Without a choice the typed value stays, and one Escape leaves the cell as it was.
      await write(page, 3, "Customer", "CUST 0");
      await holds(page, 3, "Customer", "CUST 0");
      await (await cell(page, 3, "Customer")).click();
      await page.keyboard.type("x");
      await page.keyboard.press("Escape");
      await holds(page, 3, "Customer", "CUST 0");
    });
  });

  browserTest("an id that is nearly a customer's is offered for all of its rows at once, before the customer can be added", async () => {
    const organisation = await stage.service.organisation();
    await uploadedActivities(
      organisation,
      ["3", "4"].map((at) => `SYD1,PICK,1,2026-03-01T09:30:00Z,CUST-0O1,R-${at}`),
    );
    await asMember(await addMember(stage.service, organisation.id, "admin"), async ({ page }) => {
      await opened(page);
      const near = page.getByRole("button", { name: "2 rows: CUST-0O1, did you mean CUST-001?" });
      await near.waitFor();
      expect(await page.locator(".after-changes").textContent()).toMatch(/did you mean CUST-001\?.*Add customer CUST-0O1/);
      await near.click();
      for (const row of [2, 3]) await holds(page, row, "Customer", "CUST-001");
      await says(page, 3, "Ready to submit");
      await near.waitFor({ state: "hidden" });
    });
  });

  browserTest("dates that can be read in two ways are read as day first, or month first, all at once; / in a cell is typed", async () => {
    const organisation = await stage.service.organisation();
    const times = ["03/04/2026", "13/04/2026", "04/13/2026", "soon"];
    await uploadedActivities(
      organisation,
      times.map((at, index) => `SYD1,PICK,1,${at},CUST-001,R-${index}`),
    );
    await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
      await opened(page);
      await page.getByRole("button", { name: "Read 2 dates as month first" }).waitFor();
      await page.getByRole("button", { name: "Read 2 dates as day first" }).click();
      await holds(page, 2, "Activity timestamp", "2026-04-03");
      await holds(page, 3, "Activity timestamp", "2026-04-13");
      await holds(page, 4, "Activity timestamp", "04/13/2026");
      await says(page, 3, "Ready to submit");
      await page.getByRole("button", { name: "Read 1 date as month first" }).click();
      await holds(page, 4, "Activity timestamp", "2026-04-13");
      await holds(page, 5, "Activity timestamp", "soon");
      await (await cell(page, 5, "Reference")).click();
      await page.keyboard.type("/x");
      await page.keyboard.press("Enter");
      await holds(page, 5, "Reference", "/x");
    });
  });
}
