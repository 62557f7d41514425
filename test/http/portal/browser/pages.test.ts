// Every page in a real browser, as people have it: light and dark, narrow and wide, by keyboard.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pages } from "../../../../src/http/portal/pages/list.js";
import { screenshot, violations } from "../../../support/axe.js";
import { browserTest, useBrowser } from "../../../support/browser.js";
import { signedIn } from "../../../support/portal.js";
import { openablePages, type PortalStage, preparePortal } from "../../../support/portalPages.js";
import { startTestService, type TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let stage: PortalStage;
beforeAll(async () => {
  service = await startTestService();
  stage = await preparePortal(service);
});
afterAll(() => service?.close());

test("every page of the portal is opened here", () => {
  expect(new Set(openablePages.map(({ path }) => path))).toEqual(new Set(pages.filter(({ leadsOn }) => !leadsOn).map(({ path }) => path)));
});

/** Both schemes and both widths; all four together where pictures are taken. */
const looks = [
  { colorScheme: "light", width: 1440 },
  { colorScheme: "dark", width: 360 },
  ...(process.env["SCREENSHOTS"] ? [{ colorScheme: "dark", width: 1440 } as const, { colorScheme: "light", width: 360 } as const] : []),
] as const;

/** All that axe knows in every look; otherwise in the first, and in the others what depends on the look. */
const whole = process.env["VERIFY"] === "on";

describe.each(openablePages)("$name", ({ name, heading, asks, as, address }) => {
  browserTest("has nothing that axe finds, no errors and no overflow, in both schemes and widths", async () => {
    await browser.inPage({ ...looks[0], origin: service.url, keep: as ?? "nobody" }, async ({ page, faults }) => {
      if (as) await page.context().addCookies(await cookiesOf(as));
      await page.goto(address(stage));
      await page.getByRole("heading", { level: 1, name: heading, exact: true, includeHidden: true }).waitFor({ state: "attached" });
      if (asks) await page.getByRole("dialog", { name: asks }).waitFor();
      for (const [nth, { colorScheme, width }] of looks.entries()) {
        const look = `${colorScheme}-${width}`;
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        expect([look, ...(await violations(page, { onlyLooks: nth > 0 && !whole }))]).toEqual([look]);
        const overflow =
          "[document.documentElement, ...document.querySelectorAll('dialog')].map((each) => each.scrollWidth - each.clientWidth)";
        expect([look, ...((await page.evaluate(overflow)) as number[])]).toEqual([look, 0, ...(asks ? [0] : [])]);
        await screenshot(page, `${name}-${look}`);
      }
      expect(faults).toEqual([]);
    });
  });
});

browserTest("axe finds a fault where there is one", async () => {
  await browser.inPage({ origin: service.url }, async ({ page }) => {
    await page.goto("/portal/sign-in");
    await page.evaluate("document.querySelector('label').remove()");
    expect((await violations(page)).join()).toContain("label");
  });
});

type Person = NonNullable<(typeof openablePages)[number]["as"]>;
const sessions = new Map<Person, ReturnType<typeof signedIn>>();

async function cookiesOf(role: Person) {
  const session = sessions.get(role) ?? signedIn(service, stage.people[role]);
  sessions.set(role, session);
  return [...(await session).cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` }));
}
