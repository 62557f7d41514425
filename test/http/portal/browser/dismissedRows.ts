// Tests of dismissing and reopening rows. corrections.browser.test.ts runs them with its browser and service.
import { expect } from "vitest";
import { browserTest } from "../../../support/browser/browser.js";
import { addMember, formToken, signedIn } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { type CorrectionsStage, listsRows, lookTwice, opened, says } from "./correctionsPage.js";

export function testDismissing(stage: CorrectionsStage): void {
  const { withoutProjector, rejectedActivities, finishedRows, asMember } = stage;

  browserTest("rows are dismissed with a note and opened again", async () => {
    const organisation = await stage.service.organisation();
    const importId = await rejectedActivities(organisation, 2);
    await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
      await opened(page);
      await page.getByRole("checkbox", { name: "Select row 1", exact: true }).check();
      await page.getByRole("button", { name: "Dismiss" }).click();
      const dialog = page.getByRole("dialog", { name: "Dismiss 1 row?" });
      await dialog.getByLabel("Note").fill("a test order");
      await dialog.getByRole("button", { name: "Dismiss 1 row" }).click();
      await says(page, 1, "Dismissed by you: a test order");
      await until("the table has it", async () => (await finishedRows(importId)) === 1);
      await opened(page, "/portal/corrections?state=dismissed");
      await says(page, 1, "Dismissed by The operator: a test order");
      await page.getByRole("checkbox", { name: "Select all rows" }).check();
      await lookTwice(page);
      await withoutProjector(async () => {
        await page.getByRole("button", { name: "Reopen" }).click();
        await says(page, 1, "Open again");
        await lookTwice(page); // in the tables the row is still dismissed
        await says(page, 1, "Open again");
      });
      await until("it is open again", async () => (await finishedRows(importId)) === 0);
      await lookTwice(page);
      await says(page, 1, "Open again");
      // What another member does after that is not shown as one's own action.
      const other = await signedIn(stage.service, await addMember(stage.service, organisation.id, "admin"));
      const chosen = { rows: `${importId}:1`, note: "again", token: await formToken(other) };
      expect((await other.post("/portal/corrections/dismiss", chosen)).status).toBe(303);
      await until("the table has it again", async () => (await finishedRows(importId)) === 1);
      await lookTwice(page);
      await says(page, 1, "Dismissed by The admin: again");
      await page.getByRole("button", { name: "Reopen" }).click();
      await says(page, 1, "Open again");
      await until("it is open once more", async () => (await finishedRows(importId)) === 0);
      await opened(page, `/portal/corrections?import=${importId}`);
      await listsRows(page, ["1", "2"]);
    });
  });

  browserTest("without scripts, rows are listed, and forms dismiss and reopen them", async () => {
    const organisation = await stage.service.organisation();
    const importId = await rejectedActivities(organisation, 2);
    const { cookies } = await signedIn(stage.service, await addMember(stage.service, organisation.id, "operator"));
    await stage.browser.inPage({ origin: stage.service.url, javaScriptEnabled: false, width: 360 }, async ({ page }) => {
      await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${stage.service.url}/portal` })));
      await page.goto("/portal/corrections");
      await page.getByRole("checkbox", { name: "Row 2 of Nightly picks" }).check();
      await page.getByRole("textbox", { name: "Note" }).fill("twice");
      await page.getByRole("button", { name: "Dismiss" }).click();
      await page.getByText("1 row dismissed.").waitFor();
      await until("the table has it", async () => (await finishedRows(importId)) === 1);
      await page.goto("/portal/corrections?state=dismissed");
      await page.getByRole("checkbox", { name: "Row 2 of Nightly picks" }).check();
      await page.getByRole("button", { name: "Reopen" }).click();
      await page.getByText("1 row reopened.").waitFor();
    });
  });
}
