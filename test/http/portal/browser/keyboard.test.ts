// Every page, and what people do there most, by the keyboard alone.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Role } from "../../../../src/domain/roles.js";
import { browserTest, useBrowser } from "../../../support/browser.js";
import { hasFocus, hiddenWithFocus, tabTo, walk } from "../../../support/keyboard.js";
import { password, signedIn } from "../../../support/portal.js";
import { type OpenablePage, openablePages, type PortalStage, preparePortal } from "../../../support/portalPages.js";
import { startTestService, type TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let stage: PortalStage;
beforeAll(async () => {
  service = await startTestService();
  stage = await preparePortal(service);
});
afterAll(() => service?.close());

const sessions = new Map<Role, ReturnType<typeof signedIn>>();

async function open(page: Page, { as, address, heading, asks }: OpenablePage): Promise<void> {
  if (as) {
    const session = sessions.get(as) ?? signedIn(service, stage.people[as]);
    sessions.set(as, session);
    const { cookies } = await session;
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
  }
  await page.goto(address(stage));
  await page.getByRole("heading", { level: 1, name: heading, exact: true, includeHidden: true }).waitFor({ state: "attached" });
  if (asks) await page.locator("dialog:modal").waitFor();
}

/** Every page forwards and backwards with its menu; otherwise the menu once for each role, which is the same on all of its pages. */
const whole = process.env["VERIFY"] === "on";

const nothing = { missed: [], unseen: [], outside: [] };

/** Every control, each seen to have the focus; the first stop leads past the menu. A question is left at neither end. */
async function walkThrough(page: Page, { asked, isFirst }: { readonly asked: boolean; readonly isFirst: boolean }): Promise<void> {
  if (!asked) await skipToContent(page);
  const { forwards, backwards } = await walk(page, { andBack: asked || whole, menuToo: isFirst || whole });
  expect(forwards).toMatchObject(nothing);
  if (backwards) expect(backwards).toMatchObject(nothing);
  expect(forwards.controls).toBeGreaterThanOrEqual(asked ? 2 : 1); // Cancel and the answer; a link or a button
}

async function skipToContent(page: Page): Promise<void> {
  await page.evaluate("document.activeElement.blur()"); // a field may have taken the focus by itself
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

/** The question takes the focus, and gives it back. */
async function askAndLeave(page: Page, label: string): Promise<void> {
  const asker = page.locator("form[hx-target='#question'] button").filter({ hasText: label }).first();
  await tabTo(page, asker);
  await page.keyboard.press("Enter");
  const question = page.locator("dialog:modal");
  await question.waitFor();
  expect(await page.evaluate("document.querySelector('dialog:modal').contains(document.activeElement)")).toBe(true);
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  expect(await hasFocus(asker)).toBe(true);
}

/** Every page once, and once more for each question that it asks. */
const walked = openablePages.filter(
  ({ path, asks }, index) =>
    asks !== undefined || openablePages.findIndex((each) => each.path === path && each.asks === undefined) === index,
);

const firstOf = (role: Role | undefined) => walked.find(({ as, asks }) => as === role && asks === undefined);

describe.each(walked)("$name", (opened) => {
  browserTest("is walked through, asks and is left", async () => {
    await browser.inPage({ origin: service.url, keep: opened.as ?? "nobody" }, async ({ page, faults }) => {
      await open(page, opened);
      await walkThrough(page, { asked: opened.asks !== undefined, isFirst: firstOf(opened.as) === opened });
      if (opened.asks) {
        await page.keyboard.press("Escape");
        await page.locator("dialog").waitFor({ state: "detached" });
        expect(await hasFocus(page.locator("main"))).toBe(true);
      } else {
        const labels = await page.locator("form[hx-target='#question'] button").allTextContents();
        for (const label of new Set(labels)) await askAndLeave(page, label);
      }
      // Nothing with the focus is behind the bar at the top of a narrow screen.
      await page.setViewportSize({ width: 360, height: 700 });
      expect(await hiddenWithFocus(page)).toEqual([]);
      expect(faults).toEqual([]);
    });
  });
});

browserTest("Cancel closes a question, and the keyboard goes on in the page", async () => {
  await browser.inPage({ origin: service.url }, async ({ page }) => {
    await open(page, openablePages.find(({ name }) => name === "keys-revoke") as OpenablePage);
    const question = page.locator("dialog:modal");
    await tabTo(page, question.getByRole("link", { name: "Cancel" }));
    await page.keyboard.press("Enter");
    await question.waitFor({ state: "detached" });
    expect(await hasFocus(page.locator("main"))).toBe(true);
    await expect.poll(() => new URL(page.url()).search).toBe("");
  });
});

browserTest("on a narrow screen the menu opens and leads on", async () => {
  await browser.inPage({ origin: service.url, width: 360 }, async ({ page }) => {
    const overview = openablePages.find(({ name }) => name === "overview");
    await open(page, { ...(overview as OpenablePage), as: "admin" });
    await tabTo(page, page.locator("summary").first());
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("link", { name: "Members" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
  });
});

browserTest("sign in, create a key, revoke it; invite somebody, change the role; sign out", async () => {
  await browser.inPage({ origin: service.url }, async ({ page, faults }) => {
    const { keyboard } = page;
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await page.goto("/portal/settings/keys");
    await tabTo(page, page.getByLabel("Email"));
    await keyboard.type(stage.people.admin.email);
    await tabTo(page, page.getByLabel("Password"));
    await keyboard.type(password);
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "API Keys" }).waitFor();

    await tabTo(page, page.getByLabel("Name"));
    await keyboard.type("By keyboard");
    await keyboard.press("Enter");
    await tabTo(page, button("Copy key"));
    const key = page.getByRole("row", { name: /By keyboard/ });
    await tabTo(page, key.getByRole("button", { name: "Revoke" }));
    await keyboard.press("Enter");
    const question = page.getByRole("dialog", { name: "Revoke this key?" });
    await tabTo(page, question.getByRole("button", { name: "Revoke" }));
    await keyboard.press("Enter");
    await key.getByText("Revoked").waitFor();

    await tabTo(page, page.getByRole("link", { name: "Members" }));
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
    await tabTo(page, page.getByLabel("Email"));
    await keyboard.type("keys@harbour.example");
    await tabTo(page, page.getByLabel("Role", { exact: true }));
    await keyboard.type("v");
    await tabTo(page, button("Invite"));
    await keyboard.press("Enter");
    await tabTo(page, button("Copy link"));
    const person = page.getByRole("row", { name: /keys@harbour.example/ });
    const role = person.getByLabel("Role of keys@harbour.example");
    expect(await role.inputValue()).toBe("viewer");
    await tabTo(page, role);
    await keyboard.type("o");
    await tabTo(page, person.getByRole("button", { name: "Change role" }));
    await keyboard.press("Enter");
    await page.getByText("keys@harbour.example is operator now").waitFor();

    await tabTo(page, button("Sign out"));
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(faults).toEqual([]);
  });
});
