// What people do in the portal while a large import of their organisation runs, in a real browser.
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** Marks the page. The mark is lost when the page is loaded again. */
export const mark = (page: Page): Promise<unknown> => page.evaluate("globalThis.sameAsBefore = true");
export const isMarked = (page: Page): Promise<unknown> => page.evaluate("globalThis.sameAsBefore === true");

/** Calls `make`, then waits until the number at `place` is higher than before. */
export async function grows(place: Locator, make: () => void = () => undefined): Promise<void> {
  const number = async () => Number((await place.textContent())?.replaceAll(/\D/g, ""));
  const before = await number();
  make();
  await expect.poll(number).toBeGreaterThan(before);
}

/** Writes over the value of the import's first rejected row and submits it, with a double click. Returns that row of the grid. */
export async function correctRow(page: Page, importId: string, { wrong, right }: Record<"wrong" | "right", string>): Promise<Locator> {
  await page.goto(`/portal/corrections?import=${importId}`);
  const row = page.locator(".grid-row:not(.head)").first();
  await row.getByText(wrong, { exact: true }).click();
  await page.keyboard.type(right);
  await page.keyboard.press("Enter");
  await row.getByText("Ready to submit").waitFor();
  await page.getByRole("button", { name: "Submit corrections" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Submit / })
    .dblclick();
  await page.getByText("1 row submitted.").waitFor();
  await row.getByText("Submitted by you").waitFor();
  return row;
}

/** Checks and uploads a file of activities. The page is then that of its import, which waits behind the large one. */
export async function checkAndUpload(page: Page, name: string, text: string): Promise<void> {
  await page.goto("/portal/upload?kind=activities");
  await page.getByLabel("File", { exact: true }).setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.getByRole("button", { name: "Check file" }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await page.getByRole("button", { name: /^Upload/ }).click();
  await page.waitForURL(/\/portal\/imports\/[0-9a-f-]{36}$/);
  await page.getByText("Waiting", { exact: true }).waitFor();
  await mark(page);
}
