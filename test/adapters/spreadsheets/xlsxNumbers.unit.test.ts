import { describe, expect, it } from "vitest";
import { kindOfFormat, numberCellText, plainDecimal, serialText } from "../../../src/adapters/spreadsheets/xlsx/numbers.js";

describe("number formats", () => {
  it.each([
    ["General", "number"],
    ["0.00", "number"],
    ["0.00E+00", "number"],
    ["#,##0.00 [$€-407]", "number"],
    ['0 "days"', "number"],
    ["[Red]0", "number"],
    ["@", "number"],
    ["0\\d", "number"],
    ["[h]:mm:ss", "number"],
    ["00000", { digits: 5 }],
    ["dd/mm/yyyy", "date"],
    ["mmm yy", "date"],
    ["mmmm", "date"],
    ["[$-C09]dddd, d mmmm yyyy;@", "date"],
    ["yyyy\\-mm\\-dd\\Thh:mm", "dateAndTime"],
    ["h:mm AM/PM", "time"],
    ["mm:ss.0", "time"],
    ["YYYY/MM/DD", "date"],
  ])("%s is a %s", (code, kind) => {
    expect(kindOfFormat(code)).toEqual(kind);
  });

  it("date serials are converted correctly at the ends of the calendar and at its false 29 February 1900", () => {
    expect(serialText(1, "date", false)).toBe("1900-01-01");
    expect(serialText(59, "date", false)).toBe("1900-02-28");
    expect(serialText(61, "date", false)).toBe("1900-03-01");
    expect([2_957_003, 2_957_004].map((serial) => serialText(serial, "date", true))).toEqual(["9999-12-31", undefined]);
    expect(serialText(2_958_465.999_999_999, "dateAndTime", false)).toBe(undefined);
    expect(serialText(2_958_465, "date", false)).toBe("9999-12-31");
    expect(serialText(2_958_466, "date", false)).toBe(undefined);
    expect(serialText(-1, "date", false)).toBe(undefined);
    expect(serialText(Number.NaN, "date", false)).toBe(undefined);
    expect(serialText(46_027.999_999_999_99, "date", false)).toBe("2026-01-06T00:00:00");
    expect(serialText(46_027.437_512_5, "date", false)).toBe("2026-01-05T10:30:01.080");
  });

  it.each([
    ["12345678901234567", "12345678901234567"],
    ["1.2345678901234499E+16", "12345678901234500"],
    ["1.1000000000000001", "1.1"],
    ["-0", "0"],
    ["00800", "800"],
    ["+5", "5"],
    [".5", "0.5"],
    ["5.", "5"],
    ["1e-20", "0.00000000000000000001"],
    ["123456.789", "123456.789"],
    ["-1E3", "-1000"],
    ["0.0", "0"],
  ])("%s reads %s", (raw, text) => {
    expect(plainDecimal(raw)).toBe(text);
  });

  it.each(["", "1e999999", "1e309", "-1e309", "0x10", "NaN", "1,5", "--1", "1e"])("%j is no number", (raw) => {
    expect(numberCellText(raw, "number", false, false)).toMatchObject({ fault: "holds a number that cannot be read" });
  });
});
