// Uploading in a real browser: choose or drop a file, check it, upload it, and get to the import's page.

import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import { screenshot, violations } from "../../../support/browser/axe.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { downloadBy } from "../../../support/browser/downloads.js";
import { holdNext } from "../../../support/browser/heldRequest.js";
import { tabTo } from "../../../support/browser/keyboard.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { addMember, signedIn } from "../../../support/portal/portal.js";
import { type PortalStage, preparePortal } from "../../../support/portal/portalStage.js";
import { until } from "../../../support/processes.js";
import { everyCase } from "../../../support/projects/everyCase.js";
import { startProjector, startWorker } from "../../../support/roles.js";
import type { TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let stage: PortalStage;
beforeAll(async () => {
  service = await sharedService();
  stage = await preparePortal(service);
});

const header = "warehouseCode,chargeCode,quantity,activityTimestamp";
const good = "SYD,PICK,1,2026-07-01T01:00:00Z";
const file = (name: string, rows: readonly string[]) => ({ name, mimeType: "text/csv", buffer: Buffer.from([header, ...rows].join("\n")) });

async function open(page: Page): Promise<void> {
  const { cookies } = await signedIn(service, stage.people.operator);
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
  await page.goto("/portal/upload");
  await page.getByLabel("Kind").selectOption("Activities");
}

const landed = (page: Page) => page.waitForURL(/\/portal\/imports\/[0-9a-f-]{36}$/);
const requested = async (reference: string) => {
  const { rowCount } = await service.pool.query("select from import_queue where organisation_id = $1", [stage.organisationId]);
  expect(rowCount, reference).toBeGreaterThan(0);
};

const queuedNow = async () =>
  (await service.pool.query("select from import_queue where organisation_id = $1", [stage.organisationId])).rowCount ?? 0;

browserTest("a file is chosen, checked, found to be wrong, replaced and uploaded; the page leads to its import", async () => {
  await browser.inPage({ origin: service.url, keep: "uploading" }, async ({ page, faults }) => {
    await open(page);
    await page.getByLabel("File", { exact: true }).setInputFiles(file("picks.csv", [good, "SYD,PICK,none,2026-07-01T01:00:00Z"]));
    await page.getByRole("button", { name: "Check file" }).click();
    await page.getByRole("heading", { level: 1, name: "picks.csv" }).waitFor();
    const row = page.getByRole("row", { name: /3 quantity none/ });
    await row.waitFor();
    await page.getByText("1 row of 2 would be rejected.").waitFor();
    await page.getByText("Nothing has been recorded yet.").waitFor();
    expect(page.url()).toMatch(/\/portal\/upload\/[0-9a-f-]{36}$/);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "upload-checked");
    const download = await downloadBy(page, page.getByRole("link", { name: "Download 1 problem row", exact: true }));
    expect(download.suggestedFilename()).toBe("problem-rows.xlsx");
    expect(faults).toEqual([]);

    await page.getByRole("link", { name: "Choose another file" }).click();
    await page.getByLabel("File", { exact: true }).setInputFiles(file("picks.csv", [good, good]));
    await page.getByLabel("Reference").fill("Monday's picks");
    await page.getByRole("button", { name: "Upload", exact: true }).dblclick();
    await landed(page);
    await requested("Monday's picks");
  });
});

browserTest.each([
  [true, 1440, "light"],
  [true, 390, "dark"],
  [false, 390, "light"],
] as const)("what was checked is uploaded by its button, once (scripts %s, %i px, %s)", async (javaScriptEnabled, width, colorScheme) => {
  const look = { origin: service.url, javaScriptEnabled, width, colorScheme, keep: "uploading" };
  await browser.inPage(look, async ({ page, faults }) => {
    const mark = `${javaScriptEnabled}${width}`;
    const rows = [good, `SYD,PICK,2,2026-07-01T01:00:00Z`, `SYD,PICK,none ${mark},2026-07-01T01:00:00Z`];
    await open(page);
    await page.getByLabel("File", { exact: true }).setInputFiles(file(`checked ${mark}.csv`, rows));
    await page.getByRole("button", { name: "Check file" }).click();
    await page.getByText("1 row of 3 would be rejected.").waitFor();
    const upload = page.getByRole("button", { name: "Upload", exact: true });
    await page.getByText(`none ${mark}`).first().waitFor();
    await page.getByText("The import takes the whole file: the other one becomes a rejected row").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    if (javaScriptEnabled) {
      const { y, height } = (await upload.boundingBox()) ?? { y: -1, height: 0 };
      expect([y >= 0, y + height <= (page.viewportSize()?.height ?? 0)]).toEqual([true, true]);
      expect(await violations(page)).toEqual([]);
    }
    await screenshot(page, `upload-checked-${width}-${colorScheme}`);
    const before = await queuedNow();
    await upload.dblclick();
    await landed(page);
    await page.getByText(`checked ${mark}.csv`).first().waitFor();
    expect(await queuedNow()).toBe(before + 1);
    expect(faults).toEqual([]);
  });
});

browserTest("a check is dropped when another file is chosen meanwhile, since its result is about the first file", async () => {
  await browser.inPage({ origin: service.url, keep: "uploading" }, async ({ page }) => {
    await open(page);
    const chosen = page.getByLabel("File", { exact: true });
    const checkButton = page.getByRole("button", { name: "Check file" });
    const first = await holdNext(page, /upload\?do=check$/);
    await chosen.setInputFiles(file("first.csv", ["SYD,PICK,none,2026-07-01T01:00:00Z"]));
    await checkButton.click();
    await first.answered;
    expect(await checkButton.isDisabled()).toBe(true);
    await chosen.setInputFiles(file("second.csv", [good]));
    await checkButton.click();
    await page.getByRole("heading", { level: 1, name: "second.csv" }).waitFor();
    await page.getByText("Every row would be accepted.").waitFor();
  });
});

browserTest("a file is dropped on the form and uploaded by keyboard; a refusal is shown, and the form can be used again", async () => {
  await browser.inPage({ origin: service.url, width: 360, keep: "uploading" }, async ({ page }) => {
    await open(page);
    const drop = async (name: string, text: string) => {
      const dropped = JSON.stringify([[text], name]);
      const data = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(...${dropped}));
        return transfer;
      })()`);
      await page.dispatchEvent("[data-drop]", "drop", { dataTransfer: data });
    };
    await drop("wrong.txt", "colour\nred\n");
    await page.getByRole("button", { name: "Upload" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Upload a file whose name ends in .csv or .xlsx").waitFor();
    await drop("right.csv", `${header}\n${good}\n`);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Upload" }).focus();
    await page.keyboard.press("Enter");
    await landed(page);
  });
});

/** One look is enough to see that the question is asked; the project `long` takes both. */
const schemes = everyCase ? (["light", "dark"] as const) : (["dark"] as const);

browserTest.each(schemes)(
  "by keyboard, on a phone in %s colours, a file that was sent before goes in again only when asked to",
  async (colorScheme) => {
    const look = { origin: service.url, width: 390, colorScheme, keep: "uploading" };
    await browser.inPage(look, async ({ page, faults }) => {
      const chosen = page.getByLabel("File", { exact: true });
      const upload = page.getByRole("button", { name: "Upload", exact: true });
      const again = page.getByRole("button", { name: "Upload again" });
      const press = async (button: Locator) => {
        await tabTo(page, button);
        await page.keyboard.press("Enter");
      };
      const quantity = colorScheme === "light" ? 11 : 12;
      const returns = file("returns.csv", [`SYD,RETURN,${quantity},2026-07-02T01:00:00Z`]);
      await open(page);
      await chosen.setInputFiles(returns);
      await page.getByLabel("Reference").fill("Returns of July");
      await press(upload);
      await landed(page);
      const first = page.url();
      expect(await page.getByText("The same file as").count()).toBe(0);
      const before = await queuedNow();

      await page.goto("/portal/upload?kind=activities");
      await chosen.setInputFiles(returns);
      await press(upload);
      await page.getByRole("heading", { name: "This file was sent before" }).waitFor();
      await page.getByText(/It is the same file as Returns of July, sent .* by/).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(await violations(page)).toEqual([]);
      await screenshot(page, `upload-sent-before-${colorScheme}`);
      expect(await queuedNow()).toBe(before);

      await tabTo(page, again);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter"); // as a hurried person does
      await page.getByText(/The same file as Returns of July, sent .* by/).waitFor();
      expect(page.url()).not.toBe(first);
      expect(await queuedNow()).toBe(before + 1);
      expect(await violations(page)).toEqual([]);
      await screenshot(page, `import-same-file-${colorScheme}`);

      const second = page.url();
      await page.goBack();
      await page.waitForURL(second); // the page of a draft that has become an import leads there
      expect(await queuedNow()).toBe(before + 1);
      await page.goto("/portal/imports");
      await page.getByText("Same file", { exact: true }).first().waitFor();
      expect(await violations(page)).toEqual([]);
      await screenshot(page, `imports-same-file-${colorScheme}`);
      expect(faults).toEqual([]);
    });
  },
);

browserTest("another file is chosen instead of one that asks, and is uploaded without a question", async () => {
  await browser.inPage({ origin: service.url, keep: "uploading" }, async ({ page }) => {
    const chosen = page.getByLabel("File", { exact: true });
    const upload = page.getByRole("button", { name: "Upload", exact: true });
    const question = page.getByRole("heading", { name: "This file was sent before" });
    for (const name of ["one", "two"]) {
      await open(page);
      await chosen.setInputFiles(file(`${name}.csv`, ["SYD,RETURN,21,2026-07-02T01:00:00Z"]));
      await upload.click();
      if (name === "one") await landed(page);
    }
    await question.waitFor();
    await page.getByRole("link", { name: "Choose another file" }).click();
    await chosen.setInputFiles(file("three.csv", ["SYD,RETURN,22,2026-07-02T01:00:00Z"]));
    await upload.click();
    await landed(page);
    expect(await page.getByText("The same file as").count()).toBe(0);
  });
});

browserTest("without scripts a file that was sent before asks, and is then uploaded again", async () => {
  await browser.inPage({ origin: service.url, width: 390, javaScriptEnabled: false }, async ({ page, faults }) => {
    const chosen = page.getByLabel("File", { exact: true });
    const returns = file("plain.csv", ["SYD,RETURN,31,2026-07-02T01:00:00Z"]);
    await open(page);
    await chosen.setInputFiles(returns);
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await landed(page);
    await open(page);
    await chosen.setInputFiles(returns);
    await page.getByLabel("Reference").fill("Plain returns");
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await page.getByRole("heading", { name: "This file was sent before" }).waitFor();
    expect(await page.getByLabel("Kind").inputValue()).toBe("activities");
    await page.getByText("Plain returns").waitFor();
    await screenshot(page, "upload-sent-before-plain");
    await page.getByRole("button", { name: "Upload again" }).click();
    await page.getByText("The same file as plain.csv").waitFor();
    expect(faults).toEqual([]);
  });
});

browserTest("an error report is recognised, checked and sent as the correction of its import", async () => {
  const roles = [startWorker(service), startProjector(service)];
  try {
    const organisation = await service.organisation();
    const member = await addMember(service, organisation.id, "operator");
    const text = [`${header},reference`, "SYD,PICK,none,2026-07-01T01:00:00Z,a", "SYD,PICK,none,2026-07-01T01:00:00Z,b"].join("\n");
    const pushed = await organisation.upload("/v1/org/fulfilment/activities/file", new File([text], "july-picks.csv"));
    const { importId } = (await pushed.json()) as { importId: string };
    const shown = async (id: string) =>
      (await (await organisation.get(`/v1/org/fulfilment/imports/${id}`)).json()) as {
        status: string;
        counts: object;
        correctionOf?: object;
      };
    await until("the import has completed", async () => (await shown(importId)).status === "completed");

    await browser.inPage({ origin: service.url, colorScheme: "dark", width: 360, keep: "uploading" }, async ({ page, faults }) => {
      const { cookies } = await signedIn(service, member);
      await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
      await page.goto("/portal/upload?kind=activities");
      const row = (number: number, quantity: string) => `${number},x,SYD,PICK,${quantity},2026-07-01T01:00:00Z,${number}`;
      const report = `Row number,Rejection reason,${header},reference\n${row(2, "3")}\n${row(3, "none")}\n`;
      const mended = { name: `rejected-rows-${importId}.csv`, mimeType: "text/csv", buffer: Buffer.from(report) };
      await page.getByLabel("File", { exact: true }).setInputFiles(mended);
      await page.getByRole("button", { name: "Check file" }).click();
      await page.getByText("This is the error report of import july-picks.csv: submit it as its correction.").waitFor();
      expect(await violations(page)).toEqual([]);
      await screenshot(page, "upload-report-checked");
      expect(await page.getByLabel("Error report").inputValue()).toBe("correction");
      expect(await page.getByLabel("Kind").count()).toBe(0); // it is the import's
      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await page.getByRole("heading", { name: "Sent as a correction" }).waitFor();
      await page.getByText("1 row was not sent. What is open stays open").waitFor();
      expect(await violations(page)).toEqual([]);
      await screenshot(page, "upload-report-sent");
      await page.getByRole("link", { name: "Open the import" }).click();
      await landed(page);
      const correction = page.url().split("/").at(-1) ?? "";
      await until("the correction has completed", async () => (await shown(correction)).status === "completed");
      expect(await shown(correction)).toMatchObject({ counts: { processed: 1, failed: 0 }, correctionOf: { importId, rows: [2] } });
      expect(faults).toEqual([]);
    });
  } finally {
    await Promise.all(roles.map((role) => role.stop()));
  }
});

browserTest("without scripts the form checks and uploads too, and an example can be downloaded", async () => {
  await browser.inPage({ origin: service.url, javaScriptEnabled: false }, async ({ page }) => {
    await open(page);
    const download = await downloadBy(page, page.getByRole("link", { name: "Example of activities (CSV)" }));
    expect(download.suggestedFilename()).toBe("example-activities.csv");
    const example = { name: "example.csv", mimeType: "text/csv", buffer: await readFile((await download.path()) ?? "") };
    await page.getByLabel("File", { exact: true }).setInputFiles(example);
    await page.getByLabel("Kind").selectOption("Activities");
    await page.getByRole("button", { name: "Check file" }).click();
    await page.getByRole("heading", { level: 1, name: "example.csv" }).waitFor();
    await page.getByText("Every row would be accepted.").waitFor();
    expect(await page.getByLabel("Kind").inputValue()).toBe("activities");
    await page.getByRole("link", { name: "Choose another file" }).click();
    await page.getByLabel("File", { exact: true }).setInputFiles(file("plain.csv", [good]));
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await landed(page);
  });
});

/** One look is enough to see that the page is whole; the project `long` takes each. */
const looks = [
  [1440, "light"],
  [390, "dark"],
  ...(everyCase
    ? ([
        [1440, "dark"],
        [390, "light"],
      ] as const)
    : []),
] as const;

browserTest.each(looks)("unusual rows are shown before anything is recorded (%i px, %s)", async (width, colorScheme) => {
  const roles = [startWorker(service), startProjector(service)];
  try {
    const organisation = await service.organisation();
    const member = await signedIn(service, await addMember(service, organisation.id, "operator"));
    const day = new Date(Date.now() - 86_400_000).toISOString();
    const known = Array.from({ length: 101 }, (_, index) => `SYD1,PICK,2,${day},${index}`);
    const pushed = await organisation.upload(
      "/v1/org/fulfilment/activities/file",
      new File([[`${header},reference`, ...known].join("\n")], "october.csv"),
    );
    const { importId } = (await pushed.json()) as { importId: string };
    const status = async () => (await (await organisation.get(`/v1/org/fulfilment/imports/${importId}`)).json()) as { status: string };
    await until("the import has completed", async () => (await status()).status === "completed");
    const odd = [
      ...known.slice(0, 3),
      `SDY1,PICK,2,${day},a`,
      `SYD1,PIKC,2,${day},b`,
      `SYD1,PICK,3000000,${day},c`,
      "SYD1,PICK,2,2062-10-01,d",
    ];
    const text = [`${header},reference`, ...odd, `SYD1,PICK,none,${day},e`].join("\n");
    await browser.inPage({ origin: service.url, width, colorScheme, keep: "uploading" }, async ({ page, faults }) => {
      await page.context().addCookies([...member.cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
      await page.goto("/portal/upload");
      await page.getByLabel("File", { exact: true }).setInputFiles({ name: "odd.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await page.getByRole("heading", { name: "Unusual", exact: true }).waitFor();
      await page.getByText("3 of 8 rows are already recorded by october.csv").waitFor();
      await page.getByText("did you mean PICK?").first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(await violations(page)).toEqual([]);
      await screenshot(page, `upload-unusual-${width}-${colorScheme}`);
      await page.getByRole("button", { name: "Upload anyway" }).dblclick();
      await landed(page);
      await page.getByRole("link", { name: "Look at 7 unusual rows" }).waitFor();
      expect(faults).toEqual([]);
    });
  } finally {
    await Promise.all(roles.map((role) => role.stop()));
  }
});
