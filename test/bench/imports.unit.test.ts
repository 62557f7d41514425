// The .mjs programs load compiled files by path and are not type-checked: only this test notices a file that was moved.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const programs = ["bench", "scripts", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".mjs") && !file.includes("node_modules"))
    .map((file) => join(folder, file)),
);

/** The files that a program loads from dist, as paths in src. */
function* loaded(program: string): Generator<string> {
  for (const [, path = ""] of readFileSync(join(root, program), "utf8").matchAll(/["'](\.{1,2}\/[^"']*dist\/[^"']+)\.js["']/g)) {
    const file = normalize(join(dirname(program), path));
    if (file.startsWith("dist/")) yield file.replace(/^dist/, "src");
  }
}

test("every file that benchmarks, scripts and test helpers load from dist has its source in src", () => {
  const all = programs.flatMap((program) => [...loaded(program)].map((file) => ({ program, file })));
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter(({ file }) => ![".ts", ".tsx"].some((ending) => existsSync(join(root, `${file}${ending}`))))).toEqual([]);
});
