// Rejected lines of shipments on the page of rejected rows: those of one shipment go together.
import { expect } from "vitest";
import { browserTest } from "../../../support/browser/browser.js";
import { addMember } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { type CorrectionsStage, ledger, listsRows, lookTwice, opened, says, submitAll, write } from "./correctionsPage.js";

export function testShipments(stage: CorrectionsStage): void {
  const { rejectedShipments, asMember } = stage;

  browserTest("the lines of a shipment are listed, checked and submitted together", async () => {
    const organisation = await stage.service.organisation();
    const good = "3000,Melbourne,Pallet,1";
    await rejectedShipments(organisation, [
      `S-1,CUST-999,2000,Sydney,${good}`,
      `S-2,CUST-999,2000,Sydney,${good}`,
      `S-1,CUST-999,2000,Sydney,3000,Melbourne,,2`,
    ]);
    await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
      await opened(page);
      await listsRows(page, ["2", "4", "3"]);
      await write(page, 2, "Customer", "");
      await says(page, 2, /Contradicts|Rejected with its shipment/);
      await write(page, 4, "Customer", "");
      await says(page, 4, "Item type is required");
      await says(page, 2, "Rejected with its shipment: Item type is required");
      await write(page, 3, "Customer", "");
      await says(page, 3, "Ready to submit");
      await submitAll(page);
      await page.getByText(/^1 rows? (submitted|recorded)\.$/).waitFor();
      await write(page, 4, "Item type", "Carton");
      await says(page, 2, "Ready to submit");
      await says(page, 4, "Ready to submit");
      await submitAll(page);
      await page.getByText(/^2 rows? (submitted|recorded)\.$/).waitFor();
      await until("both shipments are written", async () => (await ledger(organisation, "shipments")).length === 2);
      const lines = (await ledger(organisation, "shipments")).find(({ shipmentId }) => shipmentId === "S-1");
      expect(lines).toMatchObject({ items: [{ itemType: "Pallet" }, { itemType: "Carton" }] });
    });
  });

  browserTest(
    "a row that gets the shipment id of a row that is no longer open says so, and is checked again when it gets another id",
    async () => {
      const organisation = await stage.service.organisation();
      const row = (shipmentId: string) => `${shipmentId},CUST-999,2000,Sydney,3000,Melbourne,Pallet,1`;
      const importId = await rejectedShipments(organisation, ["S-1", "S-2", "S-3", "S-4"].map(row));
      await asMember(await addMember(stage.service, organisation.id, "operator"), async ({ page }) => {
        await opened(page);
        await write(page, 2, "Customer", "");
        await says(page, 2, "Ready to submit");
        await submitAll(page);
        await says(page, 2, /(Submitted|Corrected) by you/);
        await write(page, 3, "Customer", "");
        await says(page, 3, "Ready to submit");
        await write(page, 3, "Shipment ID", "S-1");
        await says(page, 3, /^Row 2 of this shipment is (submitted|corrected): use another Shipment ID$/);
        await page.getByText(/1 changed\.$/).waitFor(); // no row waits for a verdict
        await write(page, 3, "Shipment ID", "S-5");
        await says(page, 3, "Ready to submit");
        // A change of row 5 that joins row 4's shipment no longer counts once another client has submitted row 5.
        await write(page, 4, "Customer", "");
        await write(page, 5, "Shipment ID", "S-3");
        await says(page, 4, /Contradicts|Rejected with its shipment/);
        const taken = await organisation.post(`/v1/org/shipments/imports/${importId}/corrections`, {
          rows: [{ row: 5, values: { customerId: "" } }],
        });
        expect(taken.status).toBe(202);
        await lookTwice(page);
        await says(page, 5, /(Submitted|Corrected) by/);
        await says(page, 4, "Ready to submit");
        await submitAll(page);
        await expect
          .poll(() => page.locator(".notice").allTextContents()) // all of it, so that a failure says what was shown instead
          .toContainEqual(expect.stringContaining("2 rows submitted."));
        await until("all are written", async () => (await ledger(organisation, "shipments")).length === 4);
        const written = (await ledger(organisation, "shipments")).map(({ shipmentId }) => shipmentId);
        expect(written.toSorted()).toEqual(["S-1", "S-3", "S-4", "S-5"]);
      });
    },
  );
}
