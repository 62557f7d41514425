import type { Download, Locator, Page } from "playwright-core";

/** Clicks the link and returns its download. If the browser shows a page instead, such as a refusal, no download follows: that page is the error. */
export async function downloadBy(page: Page, link: Locator): Promise<Download> {
  const download = page.waitForEvent("download");
  const shown = page.waitForEvent("framenavigated").then(async () => {
    throw new Error(`a page instead of a file at ${page.url()}: ${await page.locator("main").textContent()}`);
  });
  for (const either of [download, shown]) either.catch(() => undefined); // the page may be closed before the other one happens
  await link.click();
  return Promise.race([download, shown]);
}

/** A link in the page's menu, which is opened for it. */
export async function inMenu(page: Page, name: string): Promise<Locator> {
  const link = page.getByRole("link", { name });
  if (!(await link.isVisible())) await page.locator("details.menu summary").click();
  return link;
}
