// The API reference as an integrator uses it: its samples are run as they stand, its page is opened in a browser.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeApi } from "../../../src/http/api/document/describeApi.js";
import { exampleRequests } from "../../../src/http/api/document/examples/requests.js";
import type { OpenApi } from "../../../src/http/api/reference/openApi.js";
import { callOf } from "../../../src/http/api/reference/operationView.js";
import { samples } from "../../../src/http/api/reference/samples.js";
import { routes } from "../../../src/http/api/routes/list.js";
import { browserTest, useBrowser } from "../../support/browser.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

const run = promisify(execFile);
let service: TestService;
let organisation: TestOrganisation;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation((file) => {
    file.customFields.push({ key: "purchaseOrder", label: "Purchase order" });
  });
  folder = await mkdtemp(join(tmpdir(), "waybill-samples-"));
  for (const { file } of Object.values(exampleRequests)) if (file) await writeFile(join(folder, file.name), file.text);
});
afterAll(async () => {
  await service?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const document = describeApi(routes, "https://waybill.example.net") as unknown as OpenApi;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
/** Those that need no id of an earlier answer. */
const independent = operations.filter(({ path }) => !path.includes("{"));

async function runSample(language: string, each: (typeof operations)[number]): Promise<string> {
  const text = samples(callOf(each, service.url)).find((sample) => sample.language === language)?.text ?? "";
  const options = { cwd: folder, env: { ...process.env, WAYBILL_KEY: organisation.key } };
  const script = join(folder, "sample.mjs");
  await writeFile(script, text);
  const [command, args] = language === "curl" ? ["bash", ["-c", `${text} -w '%{http_code}'`]] : [process.execPath, [script]];
  return (await run(command, args as string[], options)).stdout;
}

describe.each(independent.map((each) => [each.operation.operationId, each] as const))("%s", (operationId, each) => {
  const expected = exampleRequests[operationId]?.file || (each.method === "POST" && operationId !== "generateQuotes") ? "202" : "200";

  test.each(["curl", "JavaScript"])("its sample in %s runs as it stands", async (language) => {
    expect(await runSample(language, each)).toContain(expected);
  });
});

test("the samples in Python are Python", async () => {
  const all = operations.map(
    (each) => samples(callOf(each, "https://waybill.example.net")).find(({ language }) => language === "Python")?.text,
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
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

  browserTest("search, the choice of a language and Try it work, and axe finds nothing", async () => {
    for (const look of [
      { width: 1440, colorScheme: "light" },
      { width: 360, colorScheme: "dark" },
    ] as const) {
      await browser.inPage({ origin: service.url, ...look }, async ({ page, faults }) => {
        await page.goto("/docs");
        await page.getByLabel("Search").fill("generate quotes");
        await expect.poll(() => page.locator("article:visible").count()).toBeLessThan(4);
        await page.getByLabel("Samples in").selectOption("Python");
        expect(await page.locator("#generateQuotes .sample pre:visible").first().textContent()).toContain("import os, requests");
        await page.getByLabel("API key, for Try it").fill(organisation.key);
        await page.locator("#generateQuotes summary", { hasText: "Try it" }).click();
        await page.locator("#generateQuotes button", { hasText: "Send" }).click();
        await expect.poll(() => page.locator("#generateQuotes output").textContent()).toMatch(/^200[\s\S]*"totalAmount"/);
        await page.getByLabel("Search").fill("fetch a quote");
        await page.locator("#fetchQuote summary", { hasText: "Try it" }).click();
        await page.locator("#fetchQuote button", { hasText: "Send" }).click(); // the quote that was just made
        await expect.poll(() => page.locator("#fetchQuote output").textContent()).toMatch(/^200[\s\S]*"totalAmount"/);
        await page.getByLabel("Search").fill("");
        await page.evaluate(await readFile(axe, "utf8"));
        const violations = await page.evaluate(async () => {
          const { axe: checker } = globalThis as unknown as {
            axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
          };
          return (await checker.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        });
        expect(violations).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        expect(faults).toEqual([]);
      });
    }
  });
});
