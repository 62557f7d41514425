import { describe, expect, it } from "vitest";
import { restoreLeadingZeros } from "../../../src/domain/geography/postalCode.js";
import { faultOf, geography, location } from "./places.js";

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

  it("that lost its leading zero in a spreadsheet is found", () => {
    expect(location({ postalCode: "800" })).toMatchObject({ postalCode: "0800", suburb: "Darwin" });
  });

  it("that does not exist is refused", () => {
    for (const postalCode of ["9999", "0000", "20", "", "   ", "2000-2001", "20000", "2OOO", "AU2000", "²000"])
      expect(faultOf({ postalCode })).toBe("postcode");
  });

  it("with signs, control characters or a misplaced hyphen is refused", () => {
    const signs = ["-2000", "+2000", "20-00", "2,000", "20_00", "(2000)", "2000!", "2000\u{1f600}", "\u00e92000", "\u042f2000"];
    const controls = ["20\n00", "20\u000000", "20\t00", "\u200b2000"];
    for (const postalCode of [...signs, ...controls, "8.00", "-800", "\u00e9800", "2000-", "--2000"])
      expect(geography.resolve({ postalCode })).toMatchObject({ message: `Postcode "${postalCode}" is not a postcode of Australia` });
    const abroad: [country: string, postalCodes: string[]][] = [
      ["US", ["1-0001", "10-001", "-10001", "10001-", "10001--1234", "10001.1234", "10001-123"]],
      ["CA", ["V6-B1A1", "V6B-", "V6B--1A1", "V6B.1A1", "-V6B"]],
      ["JP", ["06-00000", "060--0000", "-060-0000", "060_0000"]],
      ["NZ", ["10-10", "-1010", "1010-", "-110"]],
      ["GB", ["\u017fw1a 1aa", "S-W1A 1AA", "SW1A/1AA", "M1-"]], // the first letter is a long s, which upper-cases to S
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

  it("of post-office boxes is marked as such", () => {
    expect(geography.resolve({ postalCode: "1001" })).toMatchObject({ ok: true, poBox: true });
    expect(geography.resolve({ postalCode: "2000" })).toMatchObject({ ok: true, poBox: false });
  });

  it("that spans states is resolved by the given state or suburb", () => {
    expect(location({ postalCode: "2620" })).toMatchObject({ suburb: "Queanbeyan", state: "NSW" });
    expect(location({ postalCode: "2620", state: "ACT" })).toMatchObject({ suburb: "Hume", state: "ACT", city: "Canberra" });
    expect(location({ postalCode: "2620", suburb: "Hume" })).toMatchObject({ state: "ACT" });
    expect(location({ postalCode: "2620", suburb: "Williamsdale", state: "Australian Capital Territory" })).toMatchObject({ state: "ACT" });
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
  ])("%s, found as %s, is recorded as %s", (written, found, recorded) => expect(restoreLeadingZeros(written, found)).toBe(recorded));
});
