import { describe, expect, it } from "vitest";
import { createGeography, type LocationRequest } from "../../../src/domain/geography/geography.js";
import type { LocalityRow } from "../../../src/domain/geography/places.js";
import { withLostZeros } from "../../../src/domain/geography/postalCode.js";

const states: Record<string, string> = {
  NSW: "New South Wales",
  ACT: "Australian Capital Territory",
  NT: "Northern Territory",
  VIC: "Victoria",
};

function row(postalCode: string, suburb: string, state: string, city = suburb, poBox = false): LocalityRow {
  return { postalCode, suburb, city, state, stateName: states[state] ?? state, poBox };
}

const australia = [
  row("2000", "Sydney", "NSW"),
  row("2000", "The Rocks", "NSW", "Sydney"),
  row("2065", "St Leonards", "NSW", "Sydney"),
  row("2770", "Mount Druitt", "NSW", "Sydney"),
  row("2444", "Port Macquarie", "NSW"),
  row("2620", "Queanbeyan", "NSW"),
  row("2620", "Hume", "ACT", "Canberra"),
  row("2620", "Williamsdale", "NSW"),
  row("2620", "Williamsdale", "ACT", "Canberra"),
  row("0800", "Darwin", "NT"),
  row("1001", "Sydney", "NSW", "Sydney", true),
  row("2602", "O'Connor", "ACT", "Canberra"),
  row("2216", "Brighton-Le-Sands", "NSW", "Sydney"),
  row("3002", "East Melbourne", "VIC", "Melbourne"),
  row("3088", "Saint Helena", "VIC", "Melbourne"),
  row("3088", "St Helena", "VIC", "Melbourne"),
  row("2540", "Green Hills", "NSW"),
  row("2540", "Greenhills", "ACT"),
];
const britain = [row("SW1A 1AA", "Westminster", "ENG", "London"), row("M1", "Manchester", "ENG")];

const newZealand = [row("0110", "Whangarei", "NTL"), row("1010", "Auckland", "AUK")];
const unitedStates = [row("02108", "Boston", "MA")];
const japan = [row("060-0000", "Chuo Ku", "01"), row("1000001", "Chiyoda Ku", "13")];
const loaded: Record<string, readonly LocalityRow[]> = {
  JP: japan,
  AU: australia,
  CA: [row("V6B", "Vancouver", "BC")],
  GB: britain,
  LV: [row("LV-1010", "Riga", "RIX")],
  NZ: newZealand,
  PT: [row("1000-001", "Lisboa", "11")],
  US: [...unitedStates, row("10001", "New York", "NY")],
};

const asked: string[] = [];
const geography = createGeography((country) => {
  asked.push(country);
  return loaded[country];
});

function location(request: LocationRequest) {
  const resolution = geography.resolve(request);
  if (!resolution.ok) throw new Error(resolution.message);
  return resolution.location;
}

function faultOf(request: LocationRequest): string {
  const resolution = geography.resolve(request);
  return resolution.ok ? "none" : resolution.fault;
}

describe("a postcode", () => {
  it.each([
    ["110", "NZ", "0110"],
    ["0110", "NZ", "0110"],
    ["1010", "NZ", "1010"],
    ["2108", "US", "02108"],
    ["2108-1234", "US", "02108"],
    ["800", "AU", "0800"],
    ["60-0000", "JP", "0600000"],
    ["060-0000", "JP", "060-0000"],
  ])("%s of %s that lost its zeros is %s", (postalCode, countryCode, whole) => {
    expect(location({ postalCode, countryCode }).postalCode).toBe(whole);
  });

  it("alone resolves to its primary suburb", () => {
    expect(location({ postalCode: "2000" })).toEqual({
      postalCode: "2000",
      suburb: "Sydney",
      city: "Sydney",
      state: "NSW",
      stateName: "New South Wales",
      countryCode: "AU",
    });
  });

  it("that a spreadsheet robbed of its zero is still that postcode", () => {
    expect(location({ postalCode: "800" })).toMatchObject({ postalCode: "0800", suburb: "Darwin" });
  });

  it("that does not exist is refused", () => {
    for (const postalCode of ["9999", "0000", "20", "", "   ", "2000-2001", "20000", "2OOO", "AU2000", "²000"])
      expect(faultOf({ postalCode })).toBe("postcode");
  });

  it("has nothing in it but letters, digits, blanks, and a hyphen where its country writes one", () => {
    const signs = ["-2000", "+2000", "20-00", "2,000", "20_00", "(2000)", "2000!", "2000\u{1f600}", "\u00e92000", "\u042f2000"];
    const controls = ["20\n00", "20\u000000", "20\t00", "\u200b2000"];
    for (const postalCode of [...signs, ...controls, "8.00", "-800", "\u00e9800", "2000-", "--2000"])
      expect(geography.resolve({ postalCode })).toMatchObject({ message: `Postcode "${postalCode}" is not a postcode of Australia` });
    const abroad: [country: string, postalCodes: string[]][] = [
      ["US", ["1-0001", "10-001", "-10001", "10001-", "10001--1234", "10001.1234", "10001-123"]],
      ["CA", ["V6-B1A1", "V6B-", "V6B--1A1", "V6B.1A1", "-V6B"]],
      ["JP", ["06-00000", "060--0000", "-060-0000", "060_0000"]],
      ["NZ", ["10-10", "-1010", "1010-", "-110"]],
      ["GB", ["\u017fw1a 1aa", "S-W1A 1AA", "SW1A/1AA", "M1-"]], // the long s is an S in upper case
      ["LV", ["-LV1010", "LV10-10", "LV--1010"]],
    ];
    for (const [countryCode, postalCodes] of abroad)
      for (const postalCode of postalCodes) expect([postalCode, faultOf({ postalCode, countryCode })]).toEqual([postalCode, "postcode"]);
  });

  it.each([
    [" 2000\t", "AU", "2000"],
    ["\u00a02000 ", "AU", "2000"],
    ["10001-1234", "US", "10001"],
    ["10001 - 1234", "US", "10001"],
    ["10001 1234", "US", "10001"],
    ["100011234", "US", "10001"],
    ["v6b 1a1", "CA", "V6B 1A1"],
    ["V6B\u00a01A1", "CA", "V6B 1A1"],
    ["V6B-1A1", "CA", "V6B 1A1"],
    ["V6B1A1", "CA", "V6B 1A1"],
    ["v6b", "CA", "V6B"],
    ["sw1a\u00a01aa", "GB", "SW1A 1AA"],
    ["SW1A-1AA", "GB", "SW1A-1AA"],
    ["m1-4bt", "GB", "M1-4BT"],
    ["1000-001", "PT", "1000-001"],
    ["1000001", "PT", "1000001"],
    ["100-0001", "JP", "100-0001"],
    ["lv-1010", "LV", "LV-1010"],
  ])("%j of %s is %s", (postalCode, countryCode, written) => {
    expect(location({ postalCode, countryCode }).postalCode).toBe(written);
  });

  it("of post-office boxes is known as such", () => {
    expect(geography.resolve({ postalCode: "1001" })).toMatchObject({ ok: true, poBox: true });
    expect(geography.resolve({ postalCode: "2000" })).toMatchObject({ ok: true, poBox: false });
  });

  it("that spans states goes by the state or the suburb given", () => {
    expect(location({ postalCode: "2620" })).toMatchObject({ suburb: "Queanbeyan", state: "NSW" });
    expect(location({ postalCode: "2620", state: "ACT" })).toMatchObject({ suburb: "Hume", state: "ACT", city: "Canberra" });
    expect(location({ postalCode: "2620", suburb: "Hume" })).toMatchObject({ state: "ACT" });
    expect(location({ postalCode: "2620", suburb: "Williamsdale", state: "Australian Capital Territory" })).toMatchObject({ state: "ACT" });
  });
});

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

  it("written as one of several that are alike is that one, and otherwise the first", () => {
    const suburbOf = (suburb: string) => location({ postalCode: "3088", suburb }).suburb;
    expect(["Saint Helena", "St Helena", "ST HELENA", "st. helena", "Saint-Helena"].map(suburbOf)).toEqual([
      "Saint Helena",
      "St Helena",
      "St Helena",
      "Saint Helena",
      "Saint Helena",
    ]);
  });

  it("written as one of several that are alike is still another when the state says so", () => {
    expect(location({ postalCode: "2540", suburb: "Greenhills" })).toMatchObject({ suburb: "Greenhills", state: "ACT" });
    expect(location({ postalCode: "2540", suburb: "Greenhills", state: "NSW" })).toMatchObject({ suburb: "Green Hills", state: "NSW" });
  });

  it("of another postcode is a fault that names what is there", () => {
    expect(geography.resolve({ postalCode: "2000", suburb: "Darwin" })).toEqual({
      ok: false,
      fault: "suburb",
      message: 'Suburb "Darwin" is not in postcode 2000; it has Sydney, The Rocks',
    });
  });

  it("left blank is not given", () => {
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
    geography.reload("GB");
    geography.resolve({ postalCode: "M1", countryCode: "GB" });
    expect(reads()).toBe(before + 1);
  });
});

describe("a postcode that a spreadsheet took for a number", () => {
  it.each([
    ["800", "0800", "0800"],
    ["0800", "0800", "0800"],
    ["2108", "02108", "02108"],
    ["110", "0110", "0110"],
    ["m5v-3l9", "M5V 3L9", "m5v-3l9"],
    ["02108-1234", "02108", "02108-1234"],
  ])("%s, found as %s, is recorded as %s", (written, found, recorded) => expect(withLostZeros(written, found)).toBe(recorded));
});
