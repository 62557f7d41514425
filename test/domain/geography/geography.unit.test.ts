import { describe, expect, it } from "vitest";
import { asked, faultOf, geography, location } from "./places.js";

describe("a suburb", () => {
  it("is found in any case and with the usual abbreviations", () => {
    const spellings: [string, string, string][] = [
      ["2000", "the rocks", "The Rocks"],
      ["2065", "SAINT LEONARDS", "St Leonards"],
      ["2065", "st. leonards", "St Leonards"],
      ["2770", "Mt Druitt", "Mount Druitt"],
      ["2770", "MT. DRUITT", "Mount Druitt"],
      ["2444", "Pt Macquarie", "Port Macquarie"],
      ["2602", "OConnor", "O'Connor"],
      ["2602", "O\u2019Connor", "O'Connor"],
      ["2602", "O Connor", "O'Connor"],
      ["2216", "Brighton le Sands", "Brighton-Le-Sands"],
      ["3002", "Melbourne East", "East Melbourne"],
      ["3002", "E Melbourne", "East Melbourne"],
      ["2000", "Sydney CBD", "Sydney"],
      ["2000", "  Sydney ", "Sydney"],
    ];
    for (const [postalCode, suburb, expected] of spellings) expect(location({ postalCode, suburb }).suburb).toBe(expected);
  });

  it("of several with similar names is the one that is spelt the same, and otherwise the first", () => {
    const suburbOf = (suburb: string) => location({ postalCode: "3088", suburb }).suburb;
    expect(["Saint Helena", "St Helena", "ST HELENA", "st. helena", "Saint-Helena"].map(suburbOf)).toEqual([
      "Saint Helena",
      "St Helena",
      "St Helena",
      "Saint Helena",
      "Saint Helena",
    ]);
  });

  it("of several with similar names is the one in the given state, though another is spelt the same", () => {
    expect(location({ postalCode: "2540", suburb: "Greenhills" })).toMatchObject({ suburb: "Greenhills", state: "ACT" });
    expect(location({ postalCode: "2540", suburb: "Greenhills", state: "NSW" })).toMatchObject({ suburb: "Green Hills", state: "NSW" });
  });

  it("of another postcode is a fault that names the postcode's suburbs", () => {
    expect(geography.resolve({ postalCode: "2000", suburb: "Darwin" })).toEqual({
      ok: false,
      fault: "suburb",
      message: 'Suburb "Darwin" is not in postcode 2000; it has Sydney, The Rocks',
    });
  });

  it("left blank counts as not given", () => {
    expect(location({ postalCode: "2000", suburb: " ", state: "", countryCode: "" }).suburb).toBe("Sydney");
  });
});

describe("a state", () => {
  it("is taken by code or by name, with or without dots", () => {
    for (const state of ["NSW", "nsw", "N.S.W.", "New South Wales", "new  south wales"])
      expect(location({ postalCode: "2000", state }).state).toBe("NSW");
  });

  it("that contradicts the postcode or the suburb is a fault", () => {
    expect(faultOf({ postalCode: "2000", state: "VIC" })).toBe("state");
    expect(faultOf({ postalCode: "2000", state: "Narnia" })).toBe("state");
    expect(faultOf({ postalCode: "2620", suburb: "Hume", state: "NSW" })).toBe("state");
  });
});

describe("a country", () => {
  it("without any data is a clear fault", () => {
    expect(geography.resolve({ postalCode: "1010", countryCode: "FJ" })).toEqual({
      ok: false,
      fault: "country",
      message: 'No postcodes are loaded for Fiji (FJ); load them with "localities import"',
    });
  });

  it("that does not exist is a fault", () => {
    for (const countryCode of ["XX", "ZZ", "EU", "ZZZZ", "1"]) expect(faultOf({ postalCode: "2000", countryCode })).toBe("country");
  });

  it("may be given in lower case or with three letters", () => {
    for (const countryCode of ["au", "AUS"]) expect(location({ postalCode: "2000", countryCode }).countryCode).toBe("AU");
  });

  it("whose data stop at the outward code is resolved by it", () => {
    expect(location({ postalCode: "m1 4bt", countryCode: "GB" })).toMatchObject({ postalCode: "M1 4BT", suburb: "Manchester" });
    expect(location({ postalCode: "sw1a1aa", countryCode: "GB" })).toMatchObject({ suburb: "Westminster", city: "London" });
  });

  it("is read once, and again after a reload", () => {
    const reads = () => asked.filter((country) => country === "GB").length;
    geography.resolve({ postalCode: "M1", countryCode: "GB" });
    const before = reads();
    geography.resolve({ postalCode: "M1", countryCode: "GB" });
    expect(reads()).toBe(before);
    geography.forget("GB");
    geography.resolve({ postalCode: "M1", countryCode: "GB" });
    expect(reads()).toBe(before + 1);
  });
});
