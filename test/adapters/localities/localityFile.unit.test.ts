import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalityFileError } from "../../../src/adapters/localities/localityFile.js";
import { prepareLocalities, readStoredLocalities } from "../../../src/adapters/localities/storedLocalities.js";
import { createGeography } from "../../../src/domain/geography/geography.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-localities-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
async function load(content: string | Buffer) {
  count += 1;
  const output = mkdtempSync(join(folder, "out-"));
  const source = join(folder, `source-${count}`);
  writeFileSync(source, content);
  return prepareLocalities(source, output);
}

const geoNames = [
  "NZ\t1010\tAuckland Central\tAuckland\tAUK\t\t\t\t\t-36.85\t174.76\t4",
  "NZ\t1010\tGrafton\tAuckland\tAUK\t\t\t\t\t-36.86\t174.77\t4",
  "NZ\t6011\tTe Aro\tWellington\tWGN\t\t\t\t\t-41.29\t174.77\t4",
  "SG\t018956\tMarina Bay\t\t\t\t\t\t\t1.28\t103.85\t",
].join("\n");

describe("a file of localities", () => {
  it("in GeoNames form is split by country and read back", async () => {
    const { countries, skipped } = await load(geoNames);
    expect(skipped).toBe(0);
    expect(countries.map(({ country, localities }) => [country, localities])).toEqual([
      ["NZ", 3],
      ["SG", 1],
    ]);
    const stored = new Map(countries.map(({ country, path }) => [country, path]));
    const geography = createGeography((country) => {
      const path = stored.get(country);
      return path === undefined ? undefined : readStoredLocalities(path);
    });
    expect(geography.resolve({ postalCode: "1010", countryCode: "NZ" })).toMatchObject({
      ok: true,
      location: { suburb: "Auckland Central", state: "AUK", stateName: "Auckland" },
    });
    expect(geography.resolve({ postalCode: "1010", suburb: "grafton", state: "Auckland", countryCode: "nz" })).toMatchObject({ ok: true });
    expect(geography.resolve({ postalCode: "018956", countryCode: "SG" })).toMatchObject({ ok: true, location: { suburb: "Marina Bay" } });
  });

  it("as CSV goes by its header, whatever the order, and understands quotes", async () => {
    const { countries } = await load(
      '\ufeffSuburb,Post Code,Country Code,City,State,State Name\r\n"Ponsonby, inner",1011,nz,Auckland,AUK,Auckland\r\n',
    );
    expect([...readStoredLocalities(countries[0]?.path ?? "")]).toEqual([
      { postalCode: "1011", suburb: "Ponsonby, inner", city: "Auckland", state: "AUK", stateName: "Auckland", poBox: false },
    ]);
  });

  it("has the SHA-256 of each stored file in the result", async () => {
    const { createHash } = await import("node:crypto");
    const { countries } = await load(geoNames);
    for (const { path, sha256 } of countries) expect(createHash("sha256").update(readFileSync(path)).digest("hex")).toBe(sha256);
  });

  it("counts lines without a usable place instead of failing", async () => {
    const { countries, skipped } = await load(
      `${geoNames}\nNZ\t\tNowhere\tAuckland\tAUK\t\t\t\t\t\t\t\nNZ\t12345678901\tLong\tAuckland\tAUK\t\t\t\t\t\t\t\n`,
    );
    expect(skipped).toBe(2);
    expect(countries[0]?.localities).toBe(3);
  });

  it("that cannot be read is refused with the line and the reason", async () => {
    await expect(load("a,b,c\n1,2,3")).rejects.toThrow(/line 1: .*countryCode, postalCode, suburb/);
    await expect(load(`${geoNames}\nNZL\t1\tX\tY\tZ\t\t\t\t\t\t\t`)).rejects.toThrow(/line 5: "NZL" is not a two-letter country code/);
    await expect(load('countryCode,postalCode,suburb\nNZ,1010,"Auckland')).rejects.toThrow(/line 2: quotes do not match/);
    await expect(load("")).rejects.toThrow("the file holds no places");
    await expect(load(Buffer.from([0x4e, 0x5a, 0xff, 0xfe, 0x0a]))).rejects.toThrow(/not UTF-8/);
    await expect(load(`countryCode,postalCode,suburb\nNZ,1,${"x".repeat(20_000)}\n`)).rejects.toThrow(LocalityFileError);
  });
});
