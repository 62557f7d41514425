// The API reference as an integrator uses it: its samples are run unchanged, and its page is opened in a browser.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeApi } from "../../../src/http/api/document/describeApi.js";
import { exampleRequests } from "../../../src/http/api/document/examples/examples.js";
import { exampleCall } from "../../../src/http/api/reference/operationView.js";
import { codeSamples } from "../../../src/http/api/reference/samples.js";
import { routes } from "../../../src/http/api/routes/list.js";
import { violations } from "../../support/browser/axe.js";
import { browserTest, useBrowser } from "../../support/browser/browser.js";
import { holdNext } from "../../support/browser/heldRequest.js";
import { sharedService } from "../../support/browser/sharedService.js";
import type { TestOrganisation, TestService } from "../../support/service.js";

const run = promisify(execFile);
let service: TestService;
let organisation: TestOrganisation;
let folder: string;
let scripts: Promise<Map<string, string>> | undefined;

beforeAll(async () => {
  service = await sharedService();
  organisation = await service.organisation((file) => {
    file.customFields.push({ key: "purchaseOrder", label: "Purchase order" });
  });
  folder = await mkdtemp(join(tmpdir(), "waybill-samples-"));
  for (const { file } of Object.values(exampleRequests)) if (file) await writeFile(join(folder, file.name), file.text);
});
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const document = describeApi(routes, "https://waybill.example.net");
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
/** The operations that need no id of an earlier answer. */
const independent = operations.filter(({ path }) => !path.includes("{"));

const sampleOf = (language: string, each: (typeof operations)[number]) =>
  codeSamples(exampleCall(each, service.url)).find((sample) => sample.language === language)?.text ?? "";
const options = () => ({ cwd: folder, env: { ...process.env, WAYBILL_KEY: organisation.key } });

const runInShell = async (each: (typeof operations)[number]) =>
  (await run("bash", ["-c", `${sampleOf("curl", each)} -w '%{http_code}'`], options())).stdout;

/** Writes each JavaScript sample to a file, and runs them one after the other in one process. Returns each one's output. */
async function runScripts(): Promise<Map<string, string>> {
  const ids = independent.map(({ operation }) => operation.operationId);
  for (const each of independent) await writeFile(join(folder, `${each.operation.operationId}.mjs`), sampleOf("JavaScript", each));
  const all = "for (const id of process.argv.slice(2)) { await import('./' + id + '.mjs'); console.log('end of ' + id); }";
  await writeFile(join(folder, "all.mjs"), all);
  let { stdout: left } = await run(process.execPath, [join(folder, "all.mjs"), ...ids], options());
  const written = new Map<string, string>();
  for (const id of ids) {
    const [own = "", ...rest] = left.split(`end of ${id}\n`);
    written.set(id, own);
    left = rest.join("");
  }
  return written;
}

describe.each(independent.map((each) => [each.operation.operationId, each] as const))("%s", (operationId, each) => {
  const expected = exampleRequests[operationId]?.file || (each.method === "POST" && operationId !== "generateQuotes") ? "202" : "200";

  test("its sample in curl runs as it stands", async () => {
    expect(await runInShell(each)).toContain(expected);
  });

  test("its sample in JavaScript runs as it stands", async () => {
    scripts ??= runScripts();
    expect((await scripts).get(operationId)).toContain(expected);
  });
});

test("the Python samples compile", async () => {
  const all = operations.map(
    (each) => codeSamples(exampleCall(each, "https://waybill.example.net")).find(({ language }) => language === "Python")?.text,
  );
  const script = join(folder, "samples.json");
  await writeFile(script, JSON.stringify(all));
  const check = "import json, sys; [compile(text, 'sample', 'exec') for text in json.load(open(sys.argv[1]))]; print('sound')";
  const checked = await run("python3", ["-c", check, script]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    console.warn("skipped: the samples in Python are not checked without python3");
    return { stdout: "sound" };
  });
  expect(checked.stdout.trim()).toBe("sound");
});

describe("in a browser", () => {
  const browser = useBrowser();
  const looks = [
    { colorScheme: "light", width: 1440 },
    { colorScheme: "dark", width: 360 },
  ] as const;

  browserTest("search, the choice of a language and Try it work, and axe finds no problem", async () => {
    await browser.inPage({ origin: service.url }, async ({ page, faults }) => {
      const tryIt = async (operationId: string, path: string) => {
        const article = page.locator(`#${operationId}`);
        const toggle = article.locator("summary", { hasText: "Try it" });
        await toggle.click();
        await Promise.all([
          page.waitForResponse((answer) => answer.url().includes(path)),
          article.locator("button", { hasText: "Send" }).click(),
        ]);
        await expect.poll(() => article.locator("output").textContent()).toMatch(/^200[\s\S]*"totalAmount"/);
        await toggle.click(); // close it
      };
      await page.goto("/docs");
      for (const [nth, { colorScheme, width }] of looks.entries()) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.getByLabel("Search").fill("generate quotes");
        await expect.poll(() => page.locator("article:visible").count()).toBeLessThan(4);
        for (const language of ["curl", "Python"]) await page.getByLabel("Samples in").selectOption(language);
        expect(await page.locator("#generateQuotes .sample pre:visible").first().textContent()).toContain("import os, requests");
        await page.getByLabel("API key, for Try it").fill(organisation.key);
        await tryIt("generateQuotes", "/getQuote");
        await page.getByLabel("Search").fill("fetch a quote");
        await tryIt("fetchQuote", "/getQuote/"); // fetches the quote that was just made
        await page.getByLabel("Search").fill("");
        expect(await violations(page, { onlyLooks: nth > 0 })).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      }
      expect(faults).toEqual([]);
    });
  });

  browserTest("the contents mark the part that is being read, and the answer of Try it comes into sight", async () => {
    await browser.inPage({ origin: service.url }, async ({ page }) => {
      const marked = () => page.locator("nav a[aria-current]").evaluateAll((all) => all.map((each) => each.getAttribute("href")));
      await page.goto("/docs#fetchQuote");
      await expect.poll(marked).toEqual(["#fetchQuote"]);
      await page.evaluate("document.querySelector('#uploadActivities').scrollIntoView()");
      await expect.poll(marked).toEqual(["#uploadActivities"]);
      await page.setViewportSize({ width: 390, height: 600 });
      await page.getByLabel("API key, for Try it").fill(organisation.key);
      const article = page.locator("#generateQuotes");
      await article.locator("summary", { hasText: "Try it" }).click();
      await article.locator("button", { hasText: "Send" }).click();
      await expect.poll(() => article.locator("output.good").count()).toBe(1);
      const bottom = "document.querySelector('#generateQuotes output').getBoundingClientRect().bottom <= innerHeight";
      await expect.poll(() => page.evaluate(bottom)).toBe(true);
    });
  });

  browserTest("when the answer to an earlier request comes last, Try it goes on showing the answer to the later request", async () => {
    await browser.inPage({ origin: service.url }, async ({ page }) => {
      await page.goto("/docs");
      await page.getByLabel("API key, for Try it").fill(organisation.key);
      const article = page.locator("#generateQuotes");
      await article.locator("summary", { hasText: "Try it" }).click();
      const [send, output] = [article.locator("button", { hasText: "Send" }), article.locator("output")];
      const first = await holdNext(page, /\/getQuote$/);
      await send.click();
      await first.answered;
      await send.click();
      await expect.poll(() => output.textContent()).toMatch(/^200[\s\S]*"quoteId"/);
      const shown = await output.textContent();
      await first.letGo();
      expect(await output.textContent()).toBe(shown);
    });
  });
});
