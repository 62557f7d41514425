// Every page in a real browser: light and dark, narrow and wide, and by the keyboard alone; and the most usual work in the portal.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { Role } from "../../../../src/domain/members.js";
import { pages } from "../../../../src/http/portal/pages/list.js";
import { singleSignOnPaths } from "../../../../src/http/portal/pages/signIn.js";
import { screenshot, violations } from "../../../support/browser/axe.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { holdNext } from "../../../support/browser/heldRequest.js";
import { hasFocus, hiddenWithFocus, tabTo } from "../../../support/browser/keyboard.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { type OpenablePage, openablePages } from "../../../support/portal/openablePages.js";
import { password, signedIn, type TestMember } from "../../../support/portal/portal.js";
import { type PortalStage, preparePortal } from "../../../support/portal/portalStage.js";
import { everyCase } from "../../../support/projects/everyCase.js";
import type { TestService } from "../../../support/service.js";
import { askEverything, leaveQuestion, questionIsGone, walkThrough } from "./byKeyboard.js";

const browser = useBrowser();
let service: TestService;
let stage: PortalStage;
beforeAll(async () => {
  service = await sharedService();
  stage = await preparePortal(service);
});

test("every page of the portal is opened by these tests", () => {
  const redirects: string[] = Object.values(singleSignOnPaths);
  const paths = pages.map(({ path }) => path).filter((path) => !redirects.includes(path));
  expect(new Set(openablePages.map(({ path }) => path))).toEqual(new Set(paths));
});

const sessions = new Map<Role, ReturnType<typeof signedIn>>();

async function open(page: Page, { as, address, heading, asks }: OpenablePage): Promise<void> {
  if (!as) await page.context().clearCookies();
  else {
    const session = sessions.get(as) ?? signedIn(service, stage.people[as]);
    sessions.set(as, session);
    const { cookies } = await session;
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
  }
  await page.goto(address(stage));
  await page.getByRole("heading", { level: 1, name: heading, exact: true, includeHidden: true }).waitFor({ state: "attached" });
  if (asks) await page.getByRole("dialog", { name: asks }).waitFor();
  // The script puts its grid in the place of the rows that came with the page.
  if ((await page.locator("[data-first]").count()) > 0) await page.getByRole("grid").getByRole("gridcell").first().waitFor();
}

const wide = { colorScheme: "light", width: 1440, height: 900 } as const;
const narrow = { colorScheme: "dark", width: 360, height: 700 } as const;
/** Further looks, for screenshots and the project `long`. */
const others = [
  { colorScheme: "dark", width: 1440, height: 900 },
  { colorScheme: "light", width: 360, height: 700 },
] as const;

const inAllLooks = process.env["SCREENSHOTS"] !== undefined || everyCase;

type OfLook = typeof wide | typeof narrow | (typeof others)[number];

/** Checks the open page in another colour scheme and size, without loading it again. */
async function lookAt(page: Page, { name, asks }: OpenablePage, look: OfLook): Promise<void> {
  const { colorScheme, ...size } = look;
  const called = `${colorScheme}-${size.width}`;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(size);
  expect([called, ...(await violations(page, { onlyLooks: look !== wide }))]).toEqual([called]);
  const overflow = "[document.documentElement, ...document.querySelectorAll('dialog')].map((each) => each.scrollWidth - each.clientWidth)";
  expect([called, ...((await page.evaluate(overflow)) as number[])]).toEqual([called, 0, ...(asks ? [0] : [])]);
  await screenshot(page, `${name}-${called}`);
}

/** Each page is walked by keyboard once, and once more for each dialog that it opens with. */
const walked = openablePages.filter(
  ({ path, asks }, index) =>
    asks !== undefined || openablePages.findIndex((each) => each.path === path && each.asks === undefined) === index,
);
const firstOf = (role: Role | undefined) => walked.find(({ as, asks }) => as === role && asks === undefined);

describe.each(openablePages)("$name", (opened) => {
  const isWalked = walked.includes(opened);

  browserTest("passes axe, has no errors and no overflow, in both schemes and widths, and can be walked through by keyboard", async () => {
    await browser.inPage({ ...wide, origin: service.url, keep: "pages" }, async ({ page, faults }) => {
      await open(page, opened);
      await lookAt(page, opened, wide);
      if (inAllLooks) for (const other of others) await lookAt(page, opened, other);
      const { asks, onlyCloses = false, as } = opened;
      if (isWalked) await walkThrough(page, { asked: asks !== undefined, onlyCloses, isFirst: firstOf(as) === opened });
      if (isWalked && !opened.asks) await askEverything(page);
      await lookAt(page, opened, narrow);
      if (opened.asks) await leaveQuestion(page);
      // A control with the focus is never behind the bar at the top of a narrow screen.
      if (isWalked) expect(await hiddenWithFocus(page)).toEqual([]);
      expect(faults).toEqual([]);
    });
  });
});

const named = (wanted: string) => openablePages.find(({ name }) => name === wanted) as OpenablePage;

browserTest("axe finds a fault where there is one", async () => {
  await browser.inPage({ origin: service.url, keep: "pages" }, async ({ page }) => {
    await open(page, named("sign-in"));
    await page.evaluate("document.querySelector('label').remove()");
    expect((await violations(page)).join()).toContain("label");
  });
});

browserTest("Cancel closes a dialog, and the focus moves to the page's content", async () => {
  await browser.inPage({ origin: service.url, keep: "pages" }, async ({ page }) => {
    await open(page, named("keys-revoke"));
    const question = page.locator("dialog:modal");
    await tabTo(page, question.getByRole("link", { name: "Cancel" }));
    await page.keyboard.press("Enter");
    await questionIsGone(page);
    expect(await hasFocus(page.locator("main"))).toBe(true);
    await expect.poll(() => new URL(page.url()).search).toBe("");
  });
});

browserTest("when two dialogs are asked for, the one that was asked for last is shown", async () => {
  await browser.inPage({ origin: service.url, keep: "pages" }, async ({ page }) => {
    await open(page, named("members"));
    const ask = async ({ email }: TestMember) => {
      const held = await holdNext(page, /members\?remove=/);
      await page.getByRole("row", { name: email }).getByRole("button", { name: "Remove" }).click();
      await held.answered;
      return held;
    };
    const [early, late] = [await ask(stage.people.operator), await ask(stage.people.viewer)];
    await early.letGo();
    await late.letGo();
    await page.locator("dialog:modal").getByText(stage.people.viewer.email).waitFor();
  });
});

browserTest("a copy button says Copied for a moment, also when it is pressed again meanwhile", async () => {
  await browser.inPage({ origin: service.url }, async ({ page }) => {
    await page.clock.install();
    await open(page, named("import"));
    await page.context().grantPermissions(["clipboard-write"], { origin: service.url });
    const copy = page.locator(".under-heading button.copy");
    for (const _ of ["once", "twice"]) {
      await copy.click();
      await expect.poll(() => copy.textContent()).toBe("Copied");
      await page.clock.runFor(1_000);
    }
    await page.clock.runFor(2_000);
    expect(await copy.textContent()).toBe("Copy");
  });
});

browserTest("when a dialog cannot be loaded, its address is opened as a page, which shows the dialog or the reason", async () => {
  await browser.inPage({ origin: service.url, keep: "pages" }, async ({ page }) => {
    await open(page, named("keys"));
    const dialogs = /\?revoke=/;
    const busy = { status: 503, contentType: "text/html", body: "<main>Busy</main>" };
    await page.route(dialogs, (route) => (route.request().isNavigationRequest() ? route.continue() : route.fulfill(busy)));
    await page.getByRole("button", { name: "Revoke" }).first().click();
    await page.getByRole("dialog", { name: "Revoke this key?" }).waitFor();
    expect(page.url()).toContain("?revoke=");
    await page.unroute(dialogs);
  });
});

browserTest("on a narrow screen the menu opens and leads to another page", async () => {
  await browser.inPage({ origin: service.url, width: 360, keep: "pages" }, async ({ page }) => {
    await open(page, { ...named("overview"), as: "admin" });
    await tabTo(page, page.locator("summary").first());
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("link", { name: "Members" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
  });
});

browserTest("by keyboard: sign in, create a key, revoke it; invite a person, change the role; sign out", async () => {
  await browser.inPage({ origin: service.url, keep: "pages" }, async ({ page, faults }) => {
    const { keyboard } = page;
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await page.context().clearCookies();
    await page.goto("/portal/settings/keys");
    await tabTo(page, page.getByLabel("Email"));
    await keyboard.type(stage.people.admin.email);
    await tabTo(page, page.getByLabel("Password"));
    await keyboard.type(password);
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();

    await tabTo(page, page.getByRole("link", { name: "Create key" }));
    await keyboard.press("Enter");
    await tabTo(page, page.getByLabel("Name"));
    await keyboard.type("By keyboard");
    await tabTo(page, page.getByLabel("Quotes", { exact: false }));
    await keyboard.press("Space");
    await tabTo(page, button("Create key"));
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
    await tabTo(page, page.getByRole("link", { name: "Invite member" }));
    await keyboard.press("Enter");
    await tabTo(page, page.getByLabel("Email"));
    await keyboard.type("keys@harbour.example");
    await tabTo(page, page.getByLabel("Role", { exact: true }));
    await keyboard.press("ArrowDown");
    await tabTo(page, button("Invite"));
    await keyboard.press("Enter");
    await tabTo(page, button("Copy link"));
    const person = page.getByRole("row", { name: /keys@harbour.example/ });
    const role = person.getByLabel("Role of keys@harbour.example");
    expect(await role.inputValue()).toBe("viewer");
    await tabTo(page, role);
    await keyboard.press("ArrowUp");
    await tabTo(page, person.getByRole("button", { name: "Change role" }));
    await keyboard.press("Enter");
    await page.getByText("keys@harbour.example now has the role operator").waitFor();

    await tabTo(page, button("Sign out"));
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(faults).toEqual([]);
  });
});
