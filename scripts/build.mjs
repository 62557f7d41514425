// Compiles src to dist, and bundles the programs in it, when a source is newer than the last build. Several processes may start at
// once on a fresh clone: each compiles into its own folder and swaps it in whole, so that no process runs half a build.
import { execFile } from "node:child_process";
import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "dist", ".built");

function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

const sources = Math.max(
  newest(join(root, "src")),
  newest(join(root, "scripts", "localities")),
  ...[
    "tsconfig.json",
    "tsconfig.build.json",
    "tsconfig.browser.json",
    "package-lock.json",
    "scripts/build.mjs",
    "scripts/bundle.mjs",
    "docs/guide.md",
  ].map((file) => statSync(join(root, file)).mtimeMs),
);
if (existsSync(stamp) && statSync(stamp).mtimeMs >= sources) process.exit(0);

/** The localities of the packages, worked out once for every process that will start: only rows, not 25 MB of JSON. */
async function writeLocalities(built) {
  const folder = join(built, "adapters", "localities");
  const program = join(built, "localities.mjs");
  const { build } = await import("esbuild");
  const entry = join(root, "scripts", "localities", "bundled.ts");
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: "node", format: "esm", packages: "external" });
  const [{ countries }, { storedLine }] = await Promise.all(
    [program, join(folder, "storedLocalities.js")].map((file) => import(pathToFileURL(file).href)),
  );
  for (const [country, rows] of countries) writeFileSync(join(folder, `${country}.tsv`), Array.from(rows(), storedLine).join(""));
  rmSync(program);
}

/** The API reference, which takes a second to make. The address of the service is put in when it is served. */
async function writeReference(built) {
  const load = (file) => import(pathToFileURL(join(built, "http", "api", file)).href);
  const [{ routes }, { describeApi }, { referencePage }, { placeholderAddress }] = await Promise.all(
    ["routes/list.js", "document/describeApi.js", "reference/referencePage.js", "pages/docs.js"].map(load),
  );
  writeFileSync(
    join(built, "http", "api", "reference", "reference.html"),
    referencePage(describeApi(routes, placeholderAddress), placeholderAddress),
  );
}

/** Compiles one project; the browser's scripts have their own, since they know the page and not Node. */
function compile(project, folder) {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  return promisify(execFile)(process.execPath, [compiler, "-p", join(root, project), "--noEmit", "false", "--outDir", folder]);
}

const target = join(root, `dist-${process.pid}`);
const startedAt = new Date();
try {
  await Promise.all(["tsconfig.build.json", "tsconfig.browser.json"].map((project) => compile(project, target)));
  for (const copied of [
    "http/styles",
    "http/portal/styles",
    "http/api/reference/styles",
    "http/api/document/examples/answers.json",
    "demo/organisation.json",
  ])
    cpSync(join(root, "src", copied), join(target, copied), { recursive: true });
  cpSync(join(root, "docs", "guide.md"), join(target, "http", "api", "reference", "guide.md"));
  await writeLocalities(target);
  await writeReference(target);
  const { bundle } = await import("./bundle.mjs"); // only here: where nothing is compiled the bundler need not be installed
  await bundle(target);
  writeFileSync(join(target, ".built"), `${startedAt.toISOString()}\n`);
  const old = join(root, `dist-${process.pid}-old`);
  if (existsSync(join(root, "dist"))) renameSync(join(root, "dist"), old);
  try {
    renameSync(target, join(root, "dist"));
  } catch (error) {
    if (!existsSync(stamp)) throw error; // another process swapped its own build in first
  }
  rmSync(old, { recursive: true, force: true });
} catch (error) {
  process.stderr.write(`${error.stdout ?? ""}${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(target, { recursive: true, force: true });
}
