// One browser for all test files of a worker, in the first that needs it. It ends with the worker, since the pipe to it is closed then; its
// profile is in the folder of the run.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { type FoundChromium, findChromium } from "./chromium.js";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface Look {
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
  readonly javaScriptEnabled?: boolean;
}

/** A page in a browser session of its own, and the faults that happened on it. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors on the console and of scripts, requests that failed or went to another host. */
  readonly faults: string[];
}

export interface TestBrowser {
  /**
   * Opens a page, does the work, and closes the page and its session, also when the work fails. With `keep`, a page whose work succeeded stays
   * open for the next call with the same name, until the browser is closed: that is much quicker than a new page and session.
   */
  inPage<Result>(
    look: Look & { readonly origin: string; readonly keep?: string },
    work: (opened: OpenedPage) => Promise<Result>,
  ): Promise<Result>;
}

const found = await findChromium();

/** A test with a real browser. Without a browser it is skipped, and the reason is printed; where CI is set it fails instead. */
export const browserTest: typeof test = ("missing" in found && !process.env["CI"] ? test.skip : test) as typeof test;

let running: Promise<Browser> | undefined;

export async function launch({ path, libraries }: Exclude<FoundChromium, { missing: string }>): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-browser-"));
  const env = { ...process.env, TMPDIR: folder, HOME: folder, ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}) };
  // Without a handler SIGTERM ends the worker at once, and the browser with it.
  return chromium.launch({ executablePath: path, args: flags, env: env as Record<string, string>, handleSIGTERM: false });
}

export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  // Printed here and not in beforeAll, which does not run where every test of the file is skipped.
  if ("missing" in found && !process.env["CI"]) process.stderr.write(`The browser tests are skipped: ${found.missing}\n`);
  beforeAll(async () => {
    if ("missing" in found) {
      if (process.env["CI"]) throw new Error(`The browser tests cannot run: ${found.missing}`);
      return;
    }
    running ??= launch(found);
    browser = await running;
  });
  const kept = new Map<string, Opened>();
  afterAll(async () => {
    for (const { context } of kept.values()) await context.close();
  });
  return {
    inPage: async ({ origin, keep = "", width = 1440, colorScheme = "light", javaScriptEnabled = true }, work) => {
      if (!browser) throw new Error("there is no browser");
      const same = kept.get(keep);
      kept.delete(keep);
      const opened = same ?? (await openPage(browser, { origin, javaScriptEnabled }));
      // Until this test opens its first address, the previous test's page still runs. Its faults are not this test's.
      opened.page.once("framenavigated", () => opened.faults.splice(0));
      try {
        await opened.page.setViewportSize({ width, height: 900 });
        await opened.page.emulateMedia({ colorScheme });
        const result = await work(opened);
        if (keep !== "") kept.set(keep, opened);
        return result;
      } finally {
        if (kept.get(keep) !== opened) await opened.context.close();
      }
    },
  };
}

/** On a busy machine an answer may be 503, and the page asks again. That the page gets its answer in the end is for the test to check. */
const busy = /the server responded with a status of 503 /;

interface Opened extends OpenedPage {
  readonly context: BrowserContext;
}

async function openPage(
  browser: Browser,
  { origin, javaScriptEnabled }: { readonly origin: string; readonly javaScriptEnabled: boolean },
): Promise<Opened> {
  const context = await browser.newContext({ javaScriptEnabled, baseURL: origin });
  const page = await context.newPage();
  const faults: string[] = [];
  page.setDefaultTimeout(90_000);
  page.on("console", (message) => {
    if (message.type() === "error" && !busy.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request to ${request.url()}`);
  });
  return { context, page, faults };
}
