import { describe, expect, it } from "vitest";
import { readAustralia } from "../../../scripts/localities/australia.js";
import { countries } from "../../../scripts/localities/bundled.js";
import { createGeography } from "../../../src/domain/geography/geography.js";

const geography = createGeography((country) => countries.get(country)?.());

function resolve(postalCode: string, rest: { suburb?: string; state?: string; countryCode?: string } = {}) {
  const resolution = geography.resolve({ postalCode, ...rest });
  return resolution.ok ? resolution.location : resolution.fault;
}

describe("Australian places", () => {
  it("resolve by postcode alone to the suburb that the postcode is known by", () => {
    const known = {
      "2000": "Sydney",
      "3000": "Melbourne",
      "4000": "Brisbane",
      "5000": "Adelaide",
      "6000": "Perth",
      "7000": "Hobart",
      "0800": "Darwin",
      "2601": "Canberra",
    };
    for (const [postalCode, suburb] of Object.entries(known)) expect(resolve(postalCode)).toMatchObject({ suburb, city: suburb });
  });

  it("are part of the city around them", () => {
    expect(resolve("2010", { suburb: "Surry Hills" })).toMatchObject({ city: "Sydney", state: "NSW", stateName: "New South Wales" });
    expect(resolve("3121", { suburb: "richmond" })).toMatchObject({ suburb: "Richmond", city: "Melbourne" });
    expect(resolve("4217")).toMatchObject({ suburb: "Surfers Paradise", city: "Gold Coast" });
    expect(resolve("6168", { suburb: "Rockingham" })).toMatchObject({ city: "Perth" });
    expect(resolve("2880", { suburb: "Broken Hill" })).toMatchObject({ city: "Broken Hill" });
    expect(resolve("2899")).toMatchObject({ city: "Norfolk Island" });
  });

  it("in a postcode that spans states each have their own state", () => {
    expect(resolve("2620")).toMatchObject({ suburb: "Queanbeyan", state: "NSW" });
    expect(resolve("2620", { suburb: "Hume" })).toMatchObject({ state: "ACT" });
    expect(resolve("0872")).toMatchObject({ state: "NT" });
    expect(resolve("872", { suburb: "Amata" })).toMatchObject({ state: "SA" });
    expect(resolve("0872", { state: "Western Australia" })).toMatchObject({ state: "WA" });
    expect(resolve("0872", { suburb: "Amata", state: "NT" })).toBe("state");
  });

  it("include those whose codes lose their zero in a spreadsheet", () => {
    expect(resolve("800")).toMatchObject({ postalCode: "0800", suburb: "Darwin", state: "NT" });
    expect(resolve("870", { suburb: "alice springs" })).toMatchObject({ postalCode: "0870", city: "Alice Springs" });
  });

  it("do not include postcodes that the package lists by mistake", () => {
    for (const code of ["9999", "0200", "0000", "2999"]) expect(resolve(code)).toBe("postcode");
  });

  it("with a postcode for post-office boxes are marked as such", () => {
    for (const postalCode of ["1001", "8001", "9001", "6843", "0801", "5839"])
      expect(geography.resolve({ postalCode })).toMatchObject({ ok: true, poBox: true });
    for (const postalCode of ["2000", "0800", "6798"]) expect(geography.resolve({ postalCode })).toMatchObject({ ok: true, poBox: false });
  });

  it("are found by their own spelling; without a suburb the postcode's primary one is taken", () => {
    const astray = [...readAustralia()].filter(({ postalCode, suburb, state }) => {
      const found = resolve(postalCode, { suburb: suburb.toUpperCase(), state });
      return typeof found === "string" || found.suburb !== suburb;
    });
    expect(astray).toEqual([]);
    for (const suburb of ["Brisbane City", "Brisbane-City"])
      expect(resolve("4000", { suburb })).toMatchObject({ suburb, city: "Brisbane" });
    expect(resolve("4856", { suburb: "no 4 branch" })).toMatchObject({ suburb: "No 4 Branch" });
    expect(resolve("4000")).toMatchObject({ suburb: "Brisbane" });
  });

  it("are written as names, not in capitals", () => {
    expect(resolve("2602", { suburb: "oconnor" })).toMatchObject({ suburb: "O'Connor" });
    expect(resolve("5171", { suburb: "mclaren vale" })).toMatchObject({ suburb: "McLaren Vale" });
    expect(resolve("2770", { suburb: "mt druitt" })).toMatchObject({ suburb: "Mount Druitt" });
  });
});

describe("North American places", () => {
  it("resolve by ZIP, ZIP+4 and a ZIP without its zero", () => {
    expect(resolve("10001", { countryCode: "US" })).toMatchObject({ suburb: "New York", state: "NY", stateName: "New York" });
    expect(resolve("90210-1234", { countryCode: "US", suburb: "beverly hills", state: "california" })).toMatchObject({
      postalCode: "90210",
      state: "CA",
    });
    expect(resolve("2138", { countryCode: "US" })).toMatchObject({ postalCode: "02138", suburb: "Cambridge", stateName: "Massachusetts" });
    expect(resolve("00000", { countryCode: "US" })).toBe("postcode");
  });

  it("resolve by a whole Canadian code or its first half, under the area's or the city's name", () => {
    expect(resolve("m5v3l9", { countryCode: "CA", suburb: "Toronto" })).toMatchObject({
      postalCode: "M5V 3L9",
      city: "Toronto",
      state: "ON",
    });
    expect(resolve("V6B", { countryCode: "CA", suburb: "Gastown" })).toMatchObject({ city: "Vancouver", stateName: "British Columbia" });
    expect(resolve("T3R 1A1", { countryCode: "CA", suburb: "Calgary", state: "AB" })).toMatchObject({ city: "Calgary" });
    expect(resolve("D1A 1A1", { countryCode: "CA" })).toBe("postcode");
    expect(resolve("M5V3L", { countryCode: "CA" })).toBe("postcode");
  });
});
