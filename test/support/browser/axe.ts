import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { everyCase } from "../projects/everyCase.js";

let axe: Promise<string> | undefined;

/** Rules whose result depends on colours or on the width. */
const ofLooks = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"];

/**
 * The violations that axe finds on the page as it is now. `onlyLooks` is for a page that was checked before in other colours or at another
 * width: only the rules run whose result depends on that. The project `long` always runs all rules.
 */
export async function violations(page: Page, { onlyLooks = false } = {}): Promise<string[]> {
  axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // Evaluated by the browser's driver: the page's Content-Security-Policy would refuse a script element.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(await axe);
  return page.evaluate(
    async (rules) => {
      const { axe: loaded } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> };
      };
      const found = await loaded.run({ resultTypes: ["violations"], ...rules }); // rules that passed are not described
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("; ")}`);
    },
    onlyLooks && !everyCase ? { runOnly: ofLooks } : {},
  );
}

/** Keeps a picture of the page for `npm run screenshots`. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["SCREENSHOTS"];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
