// The product as a user starts it, with a person at work in the portal while a file of the largest size is imported.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { limits } from "../../../../src/domain/imports/limits.js";
import { checkAndUpload, correctRow, grows, isMarked, mark } from "../../../support/browser/besideImport.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { createMachine, type Machine, until } from "../../../support/processes.js";

const browser = useBrowser();
let machine: Machine;
let said = "";
beforeAll(async () => {
  machine = await createMachine();
  said = (await machine.start()).stdout();
});
afterAll(() => machine?.clear());

const header = "warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference\n";
const row = (quantity: string, reference: string) => `SYD,PICK,${quantity},2026-07-01T01:00:00Z,CUST-001,${reference}\n`;

/** Three quarters of a million rows, of which one in a thousand is faulty. The import runs for longer than this test works beside it. */
function largestFile(): string {
  const part = row("1", "from the large file").repeat(999) + row("many", "from the large file");
  return header + part.repeat(Math.floor((limits.fileBytes - header.length) / part.length));
}

async function call(path: string, body?: FormData): Promise<Record<string, unknown>> {
  const headers = { "x-api-key": /wb_live_\w+/.exec(said)?.[0] ?? "" };
  const answer = await fetch(`${machine.url}/v1/org${path}`, body ? { headers, method: "POST", body } : { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Record<string, unknown>;
}

async function push(name: string, text: string): Promise<string> {
  const form = new FormData();
  form.append("file", new File([text], name));
  return String((await call("/fulfilment/activities/file", form))["importId"]);
}

const statusOf = async (importId: string) => (await call(`/fulfilment/imports/${importId}`))["status"];

async function signIn(page: Page): Promise<void> {
  await page.goto(new URL(/http\S+\/portal\/\S+/.exec(said)?.[0] ?? "").pathname);
  await page.getByLabel("Password").fill("seven lazy harbours");
  await page.getByRole("button", { name: "Choose password and sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}

browserTest(
  "while a file of 50 MB is imported, people watch it, correct rows, upload a file and cancel it, and nothing is recorded twice",
  async () => {
    const file = largestFile();
    expect(file.length).toBeGreaterThan(limits.fileBytes * 0.99);
    const earlier = await push("earlier.csv", header + row("none", "R-1") + row("none", "R-2"));
    await until("the earlier import is projected", async () => (await statusOf(earlier)) === "completed");
    await browser.inPage({ origin: machine.url }, async ({ page: list, faults }) => {
      // Few pages at once: each open page keeps a connection, and a browser has six of them.
      const another = async () => {
        const page = await list.context().newPage();
        page.on("pageerror", ({ message }) => faults.push(message));
        return page;
      };
      await signIn(list);
      await list.goto("/portal/imports");
      await list.getByRole("row", { name: /earlier\.csv/ }).waitFor();
      await mark(list);
      const large = await push("large.csv", file);
      const line = list.getByRole("row", { name: /large\.csv/ });
      await line.getByText("Running").waitFor();
      await grows(line.getByRole("cell").nth(2));

      const watching = await another();
      await watching.goto(`/portal/imports/${large}`);
      await mark(watching);
      await grows(watching.locator("#import-status dd").first());
      await watching.getByRole("heading", { name: "Rejected rows" }).waitFor();

      const correcting = await another();
      await correctRow(correcting, earlier, { wrong: "none", right: "2" });
      const small = await another();
      await checkAndUpload(small, "small.csv", header + row("3", "small"));
      await list
        .getByRole("row", { name: /small\.csv/ })
        .getByText("Waiting")
        .waitFor();

      const stopping = await another();
      await stopping.goto(`/portal/imports/${large}`);
      expect(await statusOf(large)).toBe("processing");
      await stopping.getByRole("button", { name: "Cancel import" }).click();
      await stopping.getByRole("dialog", { name: "Cancel this import?" }).getByRole("button", { name: "Cancel import" }).click();
      // A page that only watches is updated before the tables have all rows of the import.
      await watching.getByText(/^Cancell(ing|ed)$/).waitFor();
      await stopping.getByText("large.csv cancelled.").waitFor();
      await watching.getByText("Nothing of this import was recorded.").waitFor();
      await watching.getByText(/^Cancelled by /).waitFor();
      await line.getByText("Cancelled").waitFor();

      // The imports that waited behind the large one complete, and their pages show it.
      await small.getByText("Completed", { exact: true }).waitFor();
      await correcting.getByText("1 row recorded.").waitFor();
      for (const page of [list, watching, small]) expect(await isMarked(page)).toBe(true);
      expect(faults).toEqual([]);
    });
    const { items } = (await call("/ledger/activities")) as { items: { reference: string }[] };
    expect(items.map(({ reference }) => reference).toSorted()).toEqual(["R-1", "small"]);
  },
);
