import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyCatalogueChanges, type CatalogueFile, listCatalogueChanges } from "../../src/events/catalogue.js";

const entries = (key: "id" | "key") =>
  fc.uniqueArray(fc.record({ [key]: fc.constantFrom(..."abcdefgh"), value: fc.nat({ max: 3 }) }), { selector: (entry) => entry[key] });

const file: fc.Arbitrary<CatalogueFile> = fc
  .record({
    organisation: fc.record({ id: fc.constant("demo"), name: fc.constantFrom("One", "Two") }),
    customFields: entries("key"),
    carriers: entries("id"),
    services: entries("id"),
    zoneMaps: entries("id"),
    rateCards: entries("id"),
    customers: entries("id"),
  })
  .map((made) => JSON.parse(JSON.stringify(made)) as CatalogueFile);

const between = (before: CatalogueFile | undefined, after: CatalogueFile) => listCatalogueChanges(before, after);

describe("catalogue changes", () => {
  test("applied to the file before give the file after, including the order of entries", () => {
    fc.assert(
      fc.property(fc.option(file, { nil: undefined }), file, (before, after) => {
        expect(applyCatalogueChanges(before, between(before, after))).toEqual(after);
      }),
      { numRuns: 1_000 },
    );
  });

  test("are none between equal files", () => {
    fc.assert(fc.property(file, (same) => between(same, structuredClone(same)).length === 0));
  });

  test("name each entry at most once; removing the first entry does not name those after it", () => {
    fc.assert(
      fc.property(file, file, (before, after) => {
        const named = between(before, after).map(({ data }) => `${data.section} ${data.id}`);
        expect(new Set(named).size).toBe(named.length);
      }),
    );
    const list = [..."abcde"].map((id) => ({ id, value: 0 }));
    const base = { organisation: { id: "demo" }, customFields: [], carriers: [], services: [], zoneMaps: [], rateCards: [] };
    const changed = between({ ...base, customers: list }, { ...base, customers: list.slice(1) });
    expect(changed).toEqual([{ type: "CatalogueEntryRemoved", data: { section: "customers", id: "a" } }]);
  });
});
