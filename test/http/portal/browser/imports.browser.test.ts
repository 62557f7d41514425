// Running imports in a real browser, with a worker and a projector: the pages update without a reload.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { checkAndUpload, correctRow, grows, isMarked, mark } from "../../../support/browser/besideImport.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { downloadBy } from "../../../support/browser/downloads.js";
import { holdNext } from "../../../support/browser/heldRequest.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { addMember, signedIn, type TestMember } from "../../../support/portal/portal.js";
import { freePort } from "../../../support/processes.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import type { TestOrganisation, TestService } from "../../../support/service.js";
import { startApi } from "../../../support/startApi.js";
import { type GatedAppends, gateAppends } from "../../../support/stores/gatedAppends.js";

const browser = useBrowser();
let service: TestService;
let organisation: TestOrganisation;
let operator: TestMember;
let viewer: TestMember;
let projector: Role;
let worker: Role | undefined;
let appends: GatedAppends | undefined;
beforeAll(async () => {
  service = await sharedService();
  organisation = await service.organisation();
  operator = await addMember(service, organisation.id, "operator");
  viewer = await addMember(service, organisation.id, "viewer");
  projector = startProjector(service);
});
afterAll(async () => {
  appends?.open();
  await Promise.all([worker?.stop(), projector?.stop()]);
});

const header = "warehouseCode,chargeCode,quantity,activityTimestamp\n";
/** Of this very moment: an older row is unusual, and the page asks about it. */
const row = (quantity: string | number) => `SYD,PICK,${quantity},${new Date().toISOString()}\n`;

async function upload(name: string, rows: number, faulty = 0): Promise<string> {
  const file = new File([header, row(3).repeat(rows), row("many").repeat(faulty)], name, { type: "text/csv" });
  const pushed = await organisation.upload("/v1/org/fulfilment/activities/file", file);
  if (pushed.status !== 202) throw new Error(await pushed.text());
  return ((await pushed.json()) as { importId: string }).importId;
}

async function statusOf(importId: string): Promise<string> {
  const answer = await organisation.get(`/v1/org/fulfilment/imports/${importId}`);
  return ((await answer.json()) as { status: string }).status;
}

async function openAs(member: TestMember, page: Page, path: string, url = service.url): Promise<void> {
  const { cookies } = await signedIn(service, member);
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${url}/portal` })));
  await page.goto(path);
}

browserTest("the list and an import's page follow an import from waiting to completed; both files can be downloaded", async () => {
  await browser.inPage({ origin: service.url, keep: "operator" }, async ({ page, faults }) => {
    await openAs(operator, page, "/portal/imports");
    await page.getByText("No imports yet").waitFor();
    const importId = await upload("first.csv", 40, 2);
    const line = page.getByRole("row", { name: /first\.csv/ });
    await line.getByText("Waiting").waitFor();
    await mark(page);
    await upload("second.csv", 10);
    await page.getByRole("row", { name: /second\.csv/ }).waitFor();
    const overview = await page.context().newPage();
    await overview.goto("/portal");
    await mark(overview);
    await overview
      .getByRole("region", { name: "Running" })
      .getByRole("row", { name: /first\.csv/ })
      .waitFor();
    await browser.inPage({ origin: service.url, keep: "viewer" }, async ({ page: one, faults: onesFaults }) => {
      await openAs(viewer, one, `/portal/imports/${importId}`);
      await mark(one);
      await one.getByText("Waiting", { exact: true }).waitFor();
      worker = startWorker(service);
      const status = one.getByRole("region", { name: "Status" });
      await status.getByText("Completed").waitFor();
      await one.getByRole("heading", { name: "Why rows were rejected" }).waitFor();
      await one
        .getByRole("row", { name: /Quantity many/ })
        .first()
        .waitFor();
      await one.getByRole("listitem").filter({ hasText: "Started" }).waitFor();
      await one
        .locator("[data-live-news]", { hasText: /^first\.csv: completed, 42 rows read, 2 rejected$/ })
        .waitFor({ state: "attached" });
      for (const [name, file] of [
        ["Download error report", `rejected-rows-${importId}.xlsx`],
        ["Download submitted file", "first.csv"],
      ] as const) {
        const download = await downloadBy(one, one.getByRole("link", { name }));
        expect(download.suggestedFilename()).toBe(file);
        expect((await readFile(await download.path())).length).toBeGreaterThan(100);
      }
      expect(await isMarked(one)).toBe(true);
      expect(onesFaults).toEqual([]);
    });
    await line.getByText("Completed").waitFor();
    await page
      .getByRole("row", { name: /second\.csv/ })
      .getByText("Completed")
      .waitFor();
    await page.getByRole("row").nth(1).getByText("second.csv").waitFor();
    await overview
      .getByRole("region", { name: "Recent imports" })
      .getByRole("row", { name: /first\.csv/ })
      .waitFor();
    await overview.getByRole("region", { name: "Running" }).waitFor({ state: "detached" });
    for (const same of [page, overview]) expect(await isMarked(same)).toBe(true);
    await overview.close();
    expect(faults).toEqual([]);
  });
});

browserTest(
  "people work on while an import runs; it is cancelled after a confirmation, and a viewer's page shows that at once",
  async () => {
    const gate = gateAppends(service.eventStore);
    appends = gate;
    onTestFinished(gate.open); // the next test stops the worker, which waits for its appends
    await worker?.stop();
    worker = startWorker(service, gate.eventStore);
    const earlier = await upload("earlier.csv", 0, 1);
    await expect.poll(() => statusOf(earlier)).toBe("completed");
    await browser.inPage({ origin: service.url, keep: "operator" }, async ({ page, faults }) => {
      gate.close();
      const importId = await upload("large.csv", 20_000, 1);
      gate.letThrough(3); // the import's start, and some rows
      await openAs(operator, page, `/portal/imports/${importId}`);
      await mark(page);
      const cancel = page.getByRole("button", { name: "Cancel import" });
      await cancel.focus();
      await page.getByText("Running", { exact: true }).waitFor();
      await grows(page.locator("#import-status dd").first(), () => gate.letThrough(3));
      expect(await isMarked(page)).toBe(true);
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel import");
      const [correcting, small] = [await page.context().newPage(), await page.context().newPage()];
      await correctRow(correcting, earlier, { wrong: "many", right: "7" });
      await checkAndUpload(small, "small.csv", header + row(8));
      await browser.inPage({ origin: service.url, keep: "viewer" }, async ({ page: looking }) => {
        await openAs(viewer, looking, `/portal/imports/${importId}`);
        await mark(looking);
        expect(await looking.getByRole("button", { name: "Cancel import" }).count()).toBe(0);
        await page.keyboard.press("Enter");
        const question = page.getByRole("dialog", { name: "Cancel this import?" });
        await question.getByText("None of its rows will be recorded").waitFor();
        await question.getByRole("link", { name: "Keep it" }).click();
        await question.waitFor({ state: "detached" });
        await cancel.click();
        await question.getByRole("button", { name: "Cancel import" }).click();
        await page.getByText("large.csv cancelled.").waitFor();
        await looking.getByText("Nothing of this import was recorded.").waitFor();
        await looking.getByText("Cancelled by The operator").waitFor();
        expect(await isMarked(looking)).toBe(true);
        await looking.locator("[data-live-news]", { hasText: /^large\.csv: cancelled/ }).waitFor({ state: "attached" });
      });
      gate.open();
      await small.getByText("Completed", { exact: true }).waitFor();
      await correcting.getByText("1 row recorded.").waitFor();
      expect(await isMarked(small)).toBe(true);
      const ledger = (await (await organisation.get("/v1/org/ledger/activities?limit=200")).json()) as { items: { quantity: number }[] };
      for (const once of [7, 8]) expect(ledger.items.filter(({ quantity }) => quantity === once)).toHaveLength(1);
      expect(faults).toEqual([]);
    });
  },
);

browserTest("a page updates again by itself when the API comes back; without scripts it has a link that reloads it", async () => {
  const { deps, portal } = service;
  const start = (port: number) => startApi({ deps: { ...deps, portal }, host: "127.0.0.1", port, logger: deps.logger });
  await worker?.stop();
  worker = undefined;
  const importId = await upload("later.csv", 5);
  const port = await freePort(); // no other test gets this port while the API is away
  let api = await start(port);
  const url = `http://127.0.0.1:${port}`;
  try {
    await browser.inPage({ origin: url, javaScriptEnabled: false, width: 360 }, async ({ page }) => {
      await openAs(viewer, page, `/portal/imports/${importId}`, url);
      await Promise.all([page.waitForEvent("framenavigated"), page.getByRole("link", { name: "Reload" }).click()]);
      await page.getByRole("heading", { level: 1, name: "later.csv" }).waitFor();
    });
    await browser.inPage({ origin: url }, async ({ page }) => {
      await openAs(viewer, page, `/portal/imports/${importId}`, url);
      await mark(page);
      await page.getByText("Waiting", { exact: true }).waitFor();
      await api.stop();
      await page.getByText("Live updates are interrupted.").waitFor();
      worker = startWorker(service);
      await expect.poll(() => statusOf(importId)).toBe("completed");
      api = await start(port);
      await page.getByText("Completed", { exact: true }).waitFor();
      await page.getByText("Live updates are interrupted.").waitFor({ state: "hidden" });
      expect(await isMarked(page)).toBe(true);
    });
  } finally {
    await api.stop();
  }
});

/** A script that keeps the messages of the page's stream in `told`. */
const listenAlong = `(() => {
  const Own = EventSource;
  globalThis.told = [];
  globalThis.EventSource = class extends Own {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => globalThis.told.push(data));
    }
  };
})()`;

browserTest("the overview shows the later of two states, though the answer with the earlier one arrives last", async () => {
  await worker?.stop();
  worker = undefined;
  await browser.inPage({ origin: service.url }, async ({ page }) => {
    await page.clock.install();
    await page.addInitScript(listenAlong);
    await openAs(operator, page, "/portal");
    const early = await holdNext(page, /\/portal$/);
    const importId = await upload("brief.csv", 1);
    await early.answered;
    const before = Number(await page.evaluate("globalThis.told.length"));
    await organisation.post(`/v1/org/fulfilment/imports/${importId}/cancel`, {});
    await expect.poll(() => page.evaluate("globalThis.told.length")).toBeGreaterThan(before);
    await page.clock.runFor(2_000); // runs the timers that the page may wait for
    await page.evaluate("fetch('/portal').then((answer) => answer.text())");
    await early.letGo();
    await page.getByRole("region", { name: "Running" }).waitFor({ state: "detached" });
    await page
      .getByRole("region", { name: "Recent imports" })
      .getByRole("row", { name: /brief\.csv/ })
      .waitFor();
  });
});
