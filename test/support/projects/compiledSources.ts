// Tests outside of the project `unit` load the sources as the build has compiled them, and not again through vite in each worker.
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Plugin } from "vitest/config";
import type {} from "../build.js";

const [sources, built] = ["src", "dist"].map((folder) => resolve(folder)) as [string, string];

export const compiledSources: Plugin = {
  name: "compiled-sources",
  enforce: "pre",
  async resolveId(name, importer) {
    await globalThis.testBuild;
    if (importer === undefined || !name.startsWith(".")) return;
    const path = relative(sources, resolve(dirname(importer), name));
    // Scripts of pages are bundled by the build.
    if (path.startsWith("..") || path.split("/").includes("browser")) return;
    const compiled = join(built, path);
    return existsSync(compiled) ? { id: compiled, external: true } : undefined;
  },
};
