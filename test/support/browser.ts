// One browser per test file: started when the file begins, always closed with it, its profile removed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { findChromium } from "./chromium.js";

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

/** A page of its own session, and what went wrong on it. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors on the console and of scripts, requests that failed or went to another host. */
  readonly faults: string[];
}

export interface TestBrowser {
  /** Closes the page and its session afterwards, whatever happens. */
  inPage<Result>(look: Look & { readonly origin: string }, work: (opened: OpenedPage) => Promise<Result>): Promise<Result>;
}

const found = await findChromium();

/** A test with a real browser. Where there is none it says why it is skipped; where CI is set that is a failure. */
export const browserTest: typeof test = ("missing" in found && !process.env["CI"] ? test.skip : test) as typeof test;

export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  let folder: string | undefined;
  beforeAll(async () => {
    if ("missing" in found) {
      if (process.env["CI"]) throw new Error(`The browser tests cannot run: ${found.missing}`);
      process.stderr.write(`The browser tests are skipped: ${found.missing}\n`);
      return;
    }
    folder = await mkdtemp(join(tmpdir(), "waybill-browser-"));
    const env = { ...process.env, TMPDIR: folder, HOME: folder, ...(found.libraries ? { LD_LIBRARY_PATH: found.libraries } : {}) };
    browser = await chromium.launch({ executablePath: found.path, headless: true, args: flags, env: env as Record<string, string> });
  });
  afterAll(async () => {
    await browser?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  return {
    inPage: async ({ origin, width = 1440, colorScheme = "light", javaScriptEnabled = true }, work) => {
      if (!browser) throw new Error("there is no browser");
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled, baseURL: origin });
      try {
        const page = await context.newPage();
        const faults: string[] = [];
        page.setDefaultTimeout(30_000);
        page.on("console", (message) => {
          if (message.type() === "error") faults.push(`console: ${message.text()}`);
        });
        page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
        page.on("request", (request) => {
          if (!request.url().startsWith(`${origin}/`)) faults.push(`request to ${request.url()}`);
        });
        return await work({ page, faults });
      } finally {
        await context.close();
      }
    },
  };
}
