// Single sign-on in a real browser, with a real provider on another site and an e-mail that is in two organisations.
import { afterAll, beforeAll, expect } from "vitest";
import { createSingleSignOn } from "../../../../src/adapters/singleSignOn.js";
import { singleSignOnPaths } from "../../../../src/http/portal/pages/signIn.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { type IdentityProvider, startIdentityProvider } from "../../../support/portal/identityProvider.js";
import { addMember } from "../../../support/portal/portal.js";
import { freePort } from "../../../support/processes.js";
import { startTestService, type TestService } from "../../../support/service.js";
import { startApi } from "../../../support/startApi.js";

const browser = useBrowser();
const email = "ada@two.example";
let service: TestService;
let provider: IdentityProvider;
let publicUrl: string;
let stop: () => Promise<void>;
beforeAll(async () => {
  const port = await freePort();
  publicUrl = `http://127.0.0.1:${port}`;
  const redirectUri = `${publicUrl}${singleSignOnPaths.finish}`;
  service = await startTestService({}, publicUrl);
  provider = await startIdentityProvider(redirectUri, "localhost");
  const { logger } = service.deps;
  const singleSignOn = createSingleSignOn({ ...provider, redirectUri, logger });
  const api = await startApi({ deps: { ...service.deps, portal: { ...service.portal, singleSignOn } }, host: "127.0.0.1", port, logger });
  stop = () => api.stop();
  for (const name of ["Harbour Freight Co", "Second & Sons"]) {
    const { id } = await service.organisation((file) => (file.organisation.name = name));
    await addMember(service, id, "viewer", email);
  }
});
afterAll(async () => {
  await stop?.();
  await provider?.close();
  await service?.close();
});

browserTest("leads to the provider and back, asks which organisation, and shows the page that was asked for", async () => {
  provider.account = { email, email_verified: true };
  await browser.inPage({ origin: publicUrl }, async ({ page, faults }) => {
    await page.goto("/portal/imports?kind=shipments");
    await page.getByRole("link", { name: "Sign in with single sign-on" }).click();
    await page.getByRole("heading", { level: 1, name: "Which organisation?" }).waitFor();
    if (process.env["SCREENSHOTS"]) await page.screenshot({ path: `${process.env["SCREENSHOTS"]}/which-organisation.png` });
    const live = page.waitForResponse(/\/portal\/live\//); // wait for the page's stream: after the sign-out it would be refused
    await page.getByRole("button", { name: "Second & Sons" }).click();
    await page.waitForURL(`${publicUrl}/portal/imports?kind=shipments`);
    await page.getByText("Second & Sons").first().waitFor();
    await live;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(faults.filter((fault) => !fault.startsWith(`request to ${provider.issuer}/`))).toEqual([]);
  });
});

browserTest("a person who is no member is told so on the sign-in page", async () => {
  provider.account = { email: "stranger@example.com", email_verified: true };
  await browser.inPage({ origin: publicUrl, javaScriptEnabled: false }, async ({ page }) => {
    await page.goto("/portal/sign-in");
    if (process.env["SCREENSHOTS"]) await page.screenshot({ path: `${process.env["SCREENSHOTS"]}/sign-in-sso.png` });
    await page.getByRole("link", { name: "Sign in with single sign-on" }).click();
    await page.getByRole("alert").getByText("Your account is not a member of any organisation here").waitFor();
    if (process.env["SCREENSHOTS"]) await page.screenshot({ path: `${process.env["SCREENSHOTS"]}/sign-in-stranger.png` });
  });
});
