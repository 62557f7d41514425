// Joins the modules of the programs, and those of the packages they use, into a few files: most of the time that a program needed to
// start went into loading a thousand small ones. The compiled files stay beside them, for tests and benchmarks that import one.
import { rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src");
const folder = "bundle";

/** What is started by its path: the command line with all roles, a process, a thread. */
const programs = ["cli", "main/checking/checkProcess", "adapters/spreadsheets/threads/headerThread"];

/** Loaded from their packages: native code, and what uses `new Buffer()`, of which Node warns outside of node_modules. */
const external = ["lmdb", "pg-native"];

/** A module finds its files beside itself, so its address stays that of its compiled file. */
const ownAddress = {
  name: "own address",
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      if (!path.startsWith(source + sep)) return undefined;
      const compiled = relative(source, path).replaceAll(sep, "/").replace(/tsx?$/, "js");
      const contents = (await readFile(path, "utf8")).replaceAll("import.meta.url", `new URL("../${compiled}", import.meta.url).href`);
      return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
    });
  },
};

/** Bundles into the folder with the compiled files. Each program's compiled file then only loads its bundle, so that its path stays. */
export async function bundle(built) {
  await build({
    absWorkingDir: root,
    entryPoints: programs.map((program) => join(source, `${program}.ts`)),
    entryNames: "[name]",
    outdir: join(built, folder),
    bundle: true,
    splitting: true, // what is imported when it is needed stays a file of its own, and what programs share is loaded once
    platform: "node",
    format: "esm",
    target: "node20.19",
    external,
    alias: { pg: "pg/lib/index.js" }, // its wrapper names the classes again, and the bundler then renames those that the logs tell
    plugins: [ownAddress],
    banner: { js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);' },
    sourcemap: true,
    sourcesContent: false,
    logLevel: "warning",
  });
  for (const program of programs) {
    const joined = join(relative(dirname(program), folder), `${basename(program)}.js`).replaceAll(sep, "/");
    writeFileSync(
      join(built, `${program}.js`),
      `#!/usr/bin/env node\nexport * from "${joined.startsWith(".") ? joined : `./${joined}`}";\n`,
    );
    rmSync(join(built, `${program}.js.map`));
  }
}
