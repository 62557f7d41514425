// Walks through a page with the keyboard alone.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { hasFocus, tabTo, walk } from "../../../support/browser/keyboard.js";
import { everyCase } from "../../../support/projects/everyCase.js";

const nothing = { missed: [], unseen: [], outside: [] };

interface Walked {
  readonly asked: boolean;
  readonly isFirst: boolean;
  readonly onlyCloses: boolean;
}

/** Tab must reach every control, and each must show its focus. The first stop is the link past the menu. In a dialog the focus stays inside. */
export async function walkThrough(page: Page, { asked, isFirst, onlyCloses }: Walked): Promise<void> {
  if (!asked) await skipToContent(page);
  // Only in the project `long` is every page walked backwards and with its menu, which is the same on all pages of a role.
  const { forwards, backwards } = await walk(page, { andBack: asked || everyCase, menuToo: isFirst || everyCase });
  expect(forwards).toMatchObject(nothing);
  if (backwards) expect(backwards).toMatchObject(nothing);
  expect(forwards.controls).toBeGreaterThanOrEqual(asked && !onlyCloses ? 2 : 1); // a question has Cancel and the answer; a page has at least a link or a button
}

async function skipToContent(page: Page): Promise<void> {
  await page.evaluate("document.activeElement.blur()"); // a field may have the focus by default
  await page.evaluate("getSelection().setPosition(document.body.firstChild)");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to the content" });
  expect(await hasFocus(skip)).toBe(true);
  expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
  await page.keyboard.press("Enter");
  await expect.poll(() => hasFocus(page.locator("main"))).toBe(true);
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.querySelector('header').contains(document.activeElement)")).toBe(false);
}

/** A closing dialog is removed from the page a moment after it is no longer modal, in the task that moves the focus. */
export const questionIsGone = (page: Page): Promise<void> => page.locator("dialog").waitFor({ state: "detached" });

/** Opens a dialog and closes it: it must take the focus and give it back. */
async function askAndLeave(page: Page, label: string): Promise<void> {
  const asker = page.locator("form[hx-target='#question'] button").filter({ hasText: label }).first();
  await tabTo(page, asker);
  await page.keyboard.press("Enter");
  const question = page.locator("dialog:modal");
  await question.waitFor();
  expect(await page.evaluate("document.querySelector('dialog:modal').contains(document.activeElement)")).toBe(true);
  await page.keyboard.press("Escape");
  await questionIsGone(page);
  expect(await hasFocus(asker)).toBe(true);
}

/** Opens and closes every dialog that the page has a button for. */
export async function askEverything(page: Page): Promise<void> {
  const labels = await page.locator("form[hx-target='#question'] button").allTextContents();
  for (const label of new Set(labels)) await askAndLeave(page, label);
}

/** Closes a dialog that was open when the page was loaded. */
export async function leaveQuestion(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await questionIsGone(page);
  expect(await hasFocus(page.locator("main"))).toBe(true);
}
