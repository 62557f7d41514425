// Fill down, find and replace, and the questions before rows are submitted or dismissed. corrections.browser.test.ts runs these tests.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violations } from "../../../support/browser/axe.js";
import { browserTest } from "../../../support/browser/browser.js";
import { addMember } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { type CorrectionsStage, cell, holds, opened, says, submitButton, write } from "./correctionsPage.js";

const lines = [
  "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST 001,R-2",
  "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST 001,R-3",
  "SYD1,PICK,1,2026-03-01T09:30:00Z,cust 001,R-4",
  "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST 0017,R-5",
  ",PICK,1,2026-03-01T09:30:00Z,,R-6",
];

export function testManyCells(stage: CorrectionsStage): void {
  const { asMember, uploadedActivities, rejectedActivities, finishedRows } = stage;
  const column = async (page: Page, heading: string, rows = [2, 3, 4, 5, 6]) => {
    const values: (string | null)[] = [];
    for (const row of rows) values.push(await (await cell(page, row, heading)).textContent());
    return values;
  };

  browserTest("find and replace says how many cells it finds in a column before it replaces them", async () => {
    const organisation = await stage.service.organisation();
    await uploadedActivities(organisation, lines);
    await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
      await opened(page);
      await (await cell(page, 2, "Customer")).click();
      await page.keyboard.press("Control+d");
      await page.getByText("Select the cell to fill from and the cells below it").waitFor();
      await (await cell(page, 5, "Reference")).click();
      await page.keyboard.press("Control+h");
      const dialog = page.getByRole("dialog", { name: "Find and replace" });
      // The faulty column and its most frequent value are filled in, and only whole cells are found. Replacing by nothing needs a tick.
      expect(await dialog.getByLabel("Find", { exact: true }).inputValue()).toBe("CUST 001");
      const confirm = dialog.getByRole("button", { name: "Replace 3 cells" });
      expect(await confirm.isDisabled()).toBe(true);
      await dialog.getByLabel("Empty these cells").check();
      expect(await confirm.isDisabled()).toBe(false);
      await dialog.getByLabel("Replace with").fill("CUST-001");
      await dialog.getByText("3 cells in Customer will be replaced.").waitFor();
      await dialog.getByLabel("Match whole cells only").uncheck();
      await dialog.getByText("4 cells in Customer will be replaced.").waitFor();
      expect(await violations(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      expect(await column(page, "Customer")).toEqual(["CUST 001", "CUST 001", "cust 001", "CUST 0017", ""]);
      await page.keyboard.press("Control+h");
      await dialog.getByLabel("Replace with").fill("CUST-001");
      await dialog.getByRole("button", { name: "Replace 3 cells" }).click();
      await page.getByText("Replaced 3 cells in Customer.").waitFor();
      expect(await column(page, "Customer")).toEqual(["CUST-001", "CUST-001", "CUST-001", "CUST 0017", ""]);
      // An empty search finds the empty cells.
      await page.getByRole("button", { name: "Find and replace" }).click();
      await dialog.getByLabel("In column").selectOption({ label: "Warehouse code" });
      await dialog.getByLabel("Find", { exact: true }).fill("");
      await dialog.getByLabel("Replace with").fill("MEL1");
      await dialog.getByText("1 cell in Warehouse code will be replaced.").waitFor();
      await page.keyboard.press("Enter");
      await holds(page, 6, "Warehouse code", "MEL1");
      await page.getByRole("button", { name: "Undo" }).click();
      await holds(page, 6, "Warehouse code", "");
    });
  });

  browserTest("fill down says cells and columns, and shows what it will change where several columns are selected", async () => {
    const organisation = await stage.service.organisation();
    await uploadedActivities(organisation, lines);
    await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
      await opened(page);
      await (await cell(page, 2, "Customer")).click();
      for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(`Shift+${key}`);
      await page.keyboard.press("Control+d");
      const dialog = page.getByRole("dialog", { name: "Fill down 2 columns?" });
      await dialog.getByText("3 cells in Customer, Reference will change.").waitFor();
      expect(await dialog.getByRole("row").allTextContents()).toEqual([
        "ColumnBeforeAfterRows",
        "ReferenceR-3R-23",
        "Customercust 001CUST 0014",
        "ReferenceR-4R-24",
      ]);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await column(page, "Reference")).toEqual(["R-2", "R-3", "R-4", "R-5", "R-6"]);
      await page.keyboard.press("Control+d");
      await dialog.getByRole("button", { name: "Fill 3 cells" }).click();
      await page.getByText("Filled 3 cells in Customer, Reference.").waitFor();
      expect(await column(page, "Reference")).toEqual(["R-2", "R-2", "R-2", "R-5", "R-6"]);
      await page.keyboard.press("Control+z");
      await holds(page, 4, "Reference", "R-4");
      // One column is filled at once.
      await (await cell(page, 2, "Customer")).click();
      for (const _ of [3, 4, 5]) await page.keyboard.press("Shift+ArrowDown");
      await page.keyboard.press("Control+d");
      await page.getByText("Filled 2 cells in Customer.").waitFor();
    });
  });

  browserTest("submit shows the rows and their old and new values, and sends nothing when it is cancelled", async () => {
    const organisation = await stage.service.organisation();
    await uploadedActivities(organisation, lines);
    await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
      await opened(page);
      await write(page, 2, "Customer", "CUST-001");
      await write(page, 3, "Customer", "CUST-001");
      await write(page, 6, "Warehouse code", "SYD1");
      await says(page, 6, "Ready to submit");
      await submitButton(page).click();
      const dialog = page.getByRole("dialog", { name: "Submit 3 rows?" });
      await dialog.getByText("3 rows of Monday picks.").waitFor();
      expect(await dialog.getByRole("row").allTextContents()).toEqual([
        "ColumnBeforeAfterRows",
        "CustomerCUST 001CUST-0012, 3",
        "Warehouse codeEmptySYD16",
      ]);
      expect(await violations(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await says(page, 2, "Ready to submit");
      await submitButton(page).click();
      await dialog.getByRole("button", { name: "Submit 3 rows" }).dblclick();
      await page.getByText(/^3 rows? (submitted|recorded)\.$/).waitFor();
    });
  });

  browserTest("dismissing asks first, with a note, and can be undone", async () => {
    const organisation = await stage.service.organisation();
    const importId = await rejectedActivities(organisation, 3);
    await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
      await opened(page);
      await page.getByRole("checkbox", { name: "Select all rows" }).check();
      await page.getByRole("button", { name: "Dismiss" }).click();
      const dialog = page.getByRole("dialog", { name: "Dismiss 3 rows?" });
      await dialog.getByLabel("Note").fill("not sent");
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await finishedRows(importId)).toBe(0);
      await page.getByRole("button", { name: "Dismiss" }).click();
      await dialog.getByLabel("Note").fill("a test");
      await dialog.getByRole("button", { name: "Dismiss 3 rows" }).click();
      await page.getByText("3 rows dismissed.").waitFor();
      await says(page, 3, "Dismissed by you: a test");
      await page.getByRole("button", { name: "Undo", exact: true }).last().click();
      await page.getByText("3 rows reopened.").waitFor();
      await until("they are open", async () => (await finishedRows(importId)) === 0);
      await says(page, 3, "Customer not found"); // and can be corrected again
    });
  });
}
