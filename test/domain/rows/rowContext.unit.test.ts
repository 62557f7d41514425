import { expect, test } from "vitest";
import type { Catalogue } from "../../../src/domain/catalogue/catalogue.js";
import { createGeography } from "../../../src/domain/geography/geography.js";
import { rowContext } from "../../../src/domain/rows/rowContext.js";

const sydney = { postalCode: "2000", suburb: "Sydney", city: "Sydney", state: "NSW", stateName: "New South Wales", poBox: false };
const geography = createGeography((country) => (country === "AU" ? [sydney] : undefined));
const catalogue = { organisation: { timezone: "Australia/Sydney" }, isServiceable: () => false } as unknown as Catalogue;

test.each([
  [["9999", "", "", "AU"], 'postcode "9999" is not a postcode of Australia'],
  [["2000", "Nowhere", "", "AU"], 'suburb "Nowhere" is not in postcode 2000: it has Sydney'],
  [["2000", "Sydney", "VIC", "AU"], 'sydney 2000 is in NSW, not in "VIC"'],
  [["2000", "Sydney", "", "XX"], 'country "XX" is not an ISO country code'],
  [["2000", "Sydney", "NSW", "AU"], "no zone of the catalogue has the postcode 2000"],
] as const)("people are told of %j: %s", ([code, suburb, state, country], told) => {
  expect(rowContext(catalogue, geography).locationFault(code, suburb, state, country)).toBe(told);
});
