// The browser tests on other machines: where no browser is installed, and where none can run.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { launch } from "../../../support/browser/browser.js";
import { findChromium, packageRuns } from "../../../support/browser/chromium.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

test.skipIf(!packageRuns)("the Chromium in the npm package runs, with the libraries that it brings along", async () => {
  const found = await findChromium("package");
  if ("missing" in found) throw new Error(found.missing);
  const browser = await launch(found);
  try {
    const page = await browser.newPage();
    await page.setContent("<title>It runs</title>");
    expect([await page.title(), browser.version()]).toEqual(["It runs", expect.stringMatching(/^\d+\./)]);
    const { processInfo } = (await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo")) as {
      processInfo: { type: string; id: number }[];
    };
    const loaded = await readFile(`/proc/${processInfo.find(({ type }) => type === "browser")?.id}/maps`, "utf8");
    for (const library of ["libnss3.so", "libnspr4.so"]) {
      expect(loaded).toContain(`${found.libraries}/${library}`);
      expect(loaded).not.toMatch(new RegExp(`/usr/lib.*/${library}`));
    }
  } finally {
    await browser.close();
  }
});

/** Runs the fixture in another vitest, as on a machine where no browser can run. */
function runFixture(environment: Record<string, string>): Promise<{ failed: boolean; said: string }> {
  const { CI: _, ...inherited } = process.env;
  const env = { ...inherited, TEST_CHROMIUM: "none", ...environment };
  return new Promise((settle) => {
    execFile(process.execPath, ["test/support/browser/runBrowserFixture.mjs"], { cwd: root, env }, (error, stdout, stderr) =>
      settle({ failed: error !== null, said: stdout + stderr }),
    );
  });
}

test("where no browser can run, the tests are skipped and say why; with CI=true they fail", async () => {
  const [here, inCi] = await Promise.all([runFixture({}), runFixture({ CI: "true" })]);
  expect(here).toEqual({ failed: false, said: expect.stringContaining("The browser tests are skipped: TEST_CHROMIUM is none") });
  expect(here.said).toMatch(/1 skipped/);
  expect(inCi).toEqual({ failed: true, said: expect.stringContaining("The browser tests cannot run: TEST_CHROMIUM is none") });
});
