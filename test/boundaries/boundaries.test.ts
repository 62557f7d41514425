import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const biome = join(dirname(createRequire(import.meta.url).resolve("@biomejs/biome/package.json")), "bin", "biome");

const forbidden: Record<string, string[]> = {
  "src/domain/rating": ["../../events/codec.js", "../../ports.js", "../../adapters/metrics.js"],
  "src/events": ["../commands/handle.js", "../projections/imports.js"],
  "src/commands": ["../projections/imports.js", "../adapters/metrics.js", "../http/app.js", "@eventstore/db-client"],
  "src/projections": ["../commands/handle.js", "../queries/organisations.js"],
  "src/queries": ["../projections/applyBatch.js", "../commands/handle.js"],
  "src/http/routes": ["../../projections/tables/imports.js", "../../adapters/metrics.js", "../../workers/runWorker.js", "minio"],
  "src/workers": ["../http/app.js", "../adapters/metrics.js", "../queries/organisations.js"],
  "src/adapters/postgres": ["../../domain/rejection.js", "../../events/codec.js", "../../config.js"],
  "src/embedded": ["../commands/handle.js", "../config.js"],
};
const allowed: Record<string, string[]> = {
  "src/events": ["../domain/rejection.js"],
  "src/commands": ["../events/codec.js", "../domain/rejection.js", "../ports.js"],
  "src/queries": ["../projections/tables/imports.js"],
  "src/http/routes": ["../../commands/handle.js", "../../queries/organisations.js"],
  "src/embedded": ["../adapters/metrics.js"],
};
const cases = (table: Record<string, string[]>) =>
  Object.entries(table).flatMap(([folder, imports]) => imports.map((from) => [folder, from] as const));

/** One file per case in a folder beside the project, under the project's own rules; answers what was said about each. */
async function lint(files: ReadonlyMap<string, string>): Promise<Map<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-boundaries-"));
  try {
    await copyFile(join(root, "biome.json"), join(folder, "biome.json"));
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const args = [biome, "lint", "--vcs-enabled=false", "--reporter=json", "--max-diagnostics=none", "."];
    const output = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch((error: { stdout: string }) => error);
    const { diagnostics } = JSON.parse(output.stdout) as {
      diagnostics: { category: string; location: { path: string | { file: string } } }[];
    };
    const said = new Map<string, string[]>([...files.keys()].map((path) => [path, []]));
    for (const { category, location } of diagnostics) {
      const path = typeof location.path === "string" ? location.path : location.path.file;
      said.get(path.replace(/^\.\//, ""))?.push(category);
    }
    return said;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const fileFor = (folder: string, index: number, name: string) => `${folder}/${name}${index}.ts`;

test("an import across a boundary fails the lint, and one within it does not", async () => {
  const texts = (table: Record<string, string[]>, name: string) =>
    cases(table).map(([folder, from], index) => [fileFor(folder, index, name), `export * from "${from}";\n`] as const);
  const trespassers = new Map(texts(forbidden, "trespasser"));
  const neighbours = new Map(texts(allowed, "neighbour"));
  const said = await lint(new Map([...trespassers, ...neighbours]));
  const rule = "lint/style/noRestrictedImports";
  const missed = [...trespassers].filter(([path]) => !said.get(path)?.includes(rule));
  const accused = [...neighbours].filter(([path]) => said.get(path)?.includes(rule));
  expect({ missed, accused }).toEqual({ missed: [], accused: [] });
});

test("only the configuration reads the environment", async () => {
  const text = "export const port = process.env.PORT;\n";
  const said = await lint(
    new Map([
      ["src/http/trespasser.ts", text],
      ["src/config.ts", text],
    ]),
  );
  expect(said.get("src/http/trespasser.ts")).toContain("lint/style/noProcessEnv");
  expect(said.get("src/config.ts")).not.toContain("lint/style/noProcessEnv");
});
