// The portal in a real browser without scripts, and behind a proxy with a path.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import { inviteMember } from "../../../../src/commands/members/manageMembers.js";
import { linkAddress } from "../../../../src/domain/members.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { addMember, password, type TestMember } from "../../../support/portal/portal.js";
import type { TestOrganisation, TestService } from "../../../support/service.js";
import { startApi } from "../../../support/startApi.js";

const browser = useBrowser();
let service: TestService;
let organisation: TestOrganisation;
let admin: TestMember;
beforeAll(async () => {
  service = await sharedService();
  organisation = await service.organisation();
  admin = await addMember(service, organisation.id, "admin");
});

async function signIn(page: Page, email = admin.email, given = password): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(given);
  await page.getByRole("button", { name: "Sign in" }).click();
}

browserTest("without scripts: invite a person, who joins by the link; then change the role and remove them", async () => {
  await browser.inPage({ origin: service.url, javaScriptEnabled: false, width: 360 }, async ({ page }) => {
    await page.goto("/portal/settings/members");
    await signIn(page);
    await page.getByRole("link", { name: "Invite member" }).click();
    await page.getByLabel("Email").fill("new@harbour.example");
    await page.getByRole("button", { name: "Invite" }).click();
    const link = await page.locator(".only-once code").textContent();
    await browser.inPage({ origin: service.url, javaScriptEnabled: false }, async ({ page: theirs }) => {
      await theirs.goto(new URL(link ?? "").pathname);
      await theirs.getByLabel("Password").fill("a rather long password");
      await theirs.getByRole("button", { name: "Choose password and sign in" }).click();
      await theirs.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      const row = page.getByRole("row", { name: /new@harbour.example/ });
      await row.getByLabel("Role of new@harbour.example").selectOption("viewer");
      await row.getByRole("button", { name: "Change role" }).click();
      await page.getByText("new@harbour.example now has the role viewer").waitFor();
      await row.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("new@harbour.example removed.").waitFor();
      await theirs.reload();
      await theirs.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    });
  });
});

browserTest("an invited person sees their e-mail, joins, and changes name and password; their other browser is signed out", async () => {
  const by = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
  const email = "account@harbour.example";
  const { token } = await inviteMember(service.portal.members, { organisationId: organisation.id, email, role: "viewer" }, by);
  await browser.inPage({ origin: service.url }, async ({ page, faults }) => {
    await page.goto(`/portal/join/${token}`);
    expect(await page.getByLabel("Email").inputValue()).toBe(email);
    expect(await page.getByLabel("Email").isEditable()).toBe(false);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Choose password and sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await browser.inPage({ origin: service.url, javaScriptEnabled: false, width: 360 }, async ({ page: other }) => {
      await other.goto("/portal/account");
      await signIn(other, email);
      await other.getByRole("heading", { level: 1, name: "Account" }).waitFor();
      await page.goto("/portal/imports");
      await page.getByRole("link", { name: "Account" }).click();
      await page.getByLabel("Name").fill("Anna Lee");
      await page.getByRole("button", { name: "Save name" }).click();
      await page.getByText("Name changed to Anna Lee.").waitFor();
      expect(await page.getByRole("row", { name: /This one/ }).count()).toBe(1);
      expect(await page.getByRole("table").getByRole("button", { name: "Sign out" }).count()).toBe(2);
      await page.getByLabel("Current password").fill(password);
      await page.getByLabel("New password").fill("a password for browsers");
      await page.getByRole("button", { name: "Change password" }).click();
      await page.getByText("Password changed.").waitFor();
      expect(await page.getByRole("table").getByRole("button", { name: "Sign out" }).count()).toBe(1);
      await other.reload();
      await signIn(other, email, "a password for browsers");
      await other.getByRole("heading", { level: 1, name: "Account" }).waitFor();
      await other.getByRole("button", { name: "Sign out everywhere" }).click();
      await other.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
      await other.getByText("You are signed out everywhere.").waitFor();
      await page.reload();
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    });
    expect(faults).toEqual([]);
  });
});

browserTest("an admin who makes themselves an operator is asked, signed out, and told so; the last admin is told what to do", async () => {
  const { id } = await service.organisation();
  const [going, staying] = [await addMember(service, id, "admin"), await addMember(service, id, "admin")];
  await browser.inPage({ origin: service.url }, async ({ page }) => {
    await page.goto("/portal/settings/members");
    await signIn(page, going.email);
    await page.getByLabel(`Role of ${going.email}`).selectOption("operator");
    await page.getByRole("row", { name: going.email }).getByRole("button", { name: "Change role" }).click();
    await page.getByRole("dialog", { name: "Change your own role?" }).getByRole("button", { name: "Change my role" }).click();
    await page.getByText("Your role is now operator. Sign in again.").waitFor();
    await page.goto("/portal/settings/members");
    await signIn(page, staying.email);
    await page.getByRole("row", { name: staying.email }).getByRole("button", { name: "Remove" }).click();
    const told = page.getByRole("dialog", { name: "You are the only admin" });
    await told.getByRole("link", { name: "Close" }).click();
    await told.waitFor({ state: "detached" });
    await page.getByLabel(`Role of ${going.email}`).selectOption("admin");
    await page.getByRole("row", { name: going.email }).getByRole("button", { name: "Change role" }).click();
    await page
      .getByRole("dialog", { name: /an admin\?$/ })
      .getByRole("button", { name: "Make admin" })
      .click();
    await page.getByText(`${going.email} now has the role admin`).waitFor();
    await page.getByRole("row", { name: staying.email }).getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog", { name: "Remove yourself?" }).getByRole("button", { name: "Remove myself" }).click();
    await page.getByText("You have left").waitFor();
  });
});

/** A reverse proxy that removes /freight from the path before it passes a request on. */
async function stripPath(to: () => string): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "";
    if (!path.startsWith("/freight/")) return void outgoing.writeHead(404).end();
    const { host: _, ...headers } = incoming.headers;
    const passed = request(new URL(path.slice("/freight".length), to()), { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

browserTest("behind a reverse proxy with a path all pages stay below the path", async () => {
  let inner = "";
  const proxy = await stripPath(() => inner);
  const publicUrl = `${proxy.origin}/freight`;
  const portal = { ...service.portal, publicUrl };
  const api = await startApi({ deps: { ...service.deps, publicUrl, portal }, host: "127.0.0.1", port: 0, logger: service.deps.logger });
  inner = `http://127.0.0.1:${api.port}`;
  try {
    await browser.inPage({ origin: proxy.origin }, async ({ page, faults }) => {
      await page.goto("/freight/");
      await signIn(page);
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      await page.getByRole("link", { name: "API keys" }).click();
      await page.getByRole("link", { name: "Create key" }).click();
      await page.getByLabel("Name").fill("Behind a proxy");
      await page.getByLabel("Read", { exact: false }).check();
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("button", { name: "Copy key" }).waitFor();
      expect(new URL(page.url()).pathname).toBe("/freight/portal/settings/keys");
      const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
      const invitation = { organisationId: organisation.id, email: "proxied@harbour.example", role: "viewer" };
      const { token } = await inviteMember(service.portal.members, invitation, origin);
      await page.goto(linkAddress(publicUrl, token));
      await page.getByRole("heading", { level: 1, name: "Choose a password" }).waitFor();
      // Wait for the page's stream before the sign-out: a later request for it would be refused and logged as a fault.
      await Promise.all([page.waitForResponse(/\/portal\/live\//), page.goto("/freight/portal")]);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
      expect(faults).toEqual([]);
    });
  } finally {
    await api.stop();
    await proxy.close();
  }
});
