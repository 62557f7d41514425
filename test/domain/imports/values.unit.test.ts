import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRecordableNumber, parseDecimal } from "../../../src/domain/imports/fields.js";
import { instantOf, isOtherDateForm, isTimestamp, readTimestamp, wallToInstant } from "../../../src/domain/imports/timestamp.js";

describe("numbers", () => {
  it.each([
    ["5", 5],
    ["0.1", 0.1],
    ["-3.25", -3.25],
    ["000012", 12],
    ["999999999999999", 999999999999999],
    ["0.000000001", 1e-9],
    ["1.0000000000", 1],
    ["33.333333333333336", 100 / 3],
    ["0.30000000000000004", 0.1 + 0.2],
    ["0.12345678901234567890123", 0.12345678901234568],
    ["1e3", 1000],
    ["1.5E-07", 1.5e-7],
    ["1.", 1],
    [".5", 0.5],
  ])("%s is a number", (text, value) => expect(parseDecimal(text)).toBe(value));

  it.each([
    "",
    " ",
    ".",
    "e3",
    "1e",
    "1e+",
    "0x10",
    "Infinity",
    "NaN",
    "1,000",
    "$1",
    "1 000",
    "1000000000000000",
    "1e15",
    "1e400",
    "1e-320",
    "1e-400",
    "-0.0000000009",
    "--1",
    "١",
  ])("%j is not a number", (text) => expect(parseDecimal(text)).toBeUndefined());

  it("a number of a JSON push is read as the same number from the file that the push becomes", () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(parseDecimal(String(value))).toBe(isRecordableNumber(value) ? value + 0 : undefined); // -0 is written as 0
      }),
    );
  });
});

describe("timestamps", () => {
  it.each(["2026-02-28", "2024-02-29T10:00", "2026-01-01T00:00:00Z", "2026-01-01 09:30:00+1000", "2026-01-01T09:30:00.123456+10:30"])(
    "%s is a timestamp",
    (text) => expect(isTimestamp(text)).toBe(true),
  );

  it.each([
    "",
    "1",
    "2026-02-29",
    "2026-02-30T00:00:00Z",
    "2026-13-01",
    "2026-00-10",
    "2026-01-01T24:00:00Z",
    "2026-01-01T10:60:00Z",
    "2026-01-01T10:00:00+15:00",
    "01/02/2026",
    "2026-01-01T10:00:00Z ",
    "tomorrow",
  ])("%j is not a timestamp", (text) => expect(isTimestamp(text)).toBe(false));

  it("every way to write an instant is read as that instant", () => {
    const two = (number: number) => String(number).padStart(2, "0");
    const seconds = fc.option(fc.tuple(fc.nat(59), fc.constantFrom(".", ","), fc.stringMatching(/^\d{0,9}$/)), { nil: undefined });
    const zone = fc.tuple(fc.constantFrom("+", "-"), fc.nat(13), fc.nat(59), fc.constantFrom(":", "", undefined));
    const day = fc.date({ min: new Date("1900-01-02"), max: new Date("2199-12-30"), noInvalidDate: true });
    const clock = fc.record({ day, hour: fc.nat(23), minute: fc.nat(59), between: fc.constantFrom("T", "t", " "), seconds });
    fc.assert(
      fc.property(clock, fc.oneof(fc.constantFrom("Z", "z"), zone), ({ day, hour, minute, between, seconds }, zone) => {
        const [second, mark, fraction] = seconds ?? [0, "", ""];
        const [sign, hours, minutes, colon] = typeof zone === "string" ? ["+", 0, 0, undefined] : zone;
        const written = typeof zone === "string" ? zone : `${sign}${two(hours)}${colon === undefined ? "" : colon + two(minutes)}`;
        const offset = (sign === "-" ? -1 : 1) * (hours * 60 + (colon === undefined ? 0 : minutes)) * 60_000;
        const rest = seconds ? `:${two(second)}${fraction && mark + fraction}` : "";
        const text = `${day.toISOString().slice(0, 10)}${between}${two(hour)}:${two(minute)}${rest}`;
        const wall = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), hour, minute, second);
        expect(instantOf(text + written, "UTC")).toBe(wall + Math.floor(Number(`0.${fraction || 0}`) * 1000) - offset);
        expect(instantOf(text, "UTC")).toBe(instantOf(`${text}Z`, "UTC"));
        expect(readTimestamp(text + written, "Australia/Sydney")).toBe(text + written);
      }),
    );
  });

  it.each([
    "6/10/2026",
    "06.10.2026",
    "6-10-26",
    "2026/10/06 09:30",
    "2026-1-5",
    "20261006",
    "20261006T093000Z",
    "6 Oct 2026",
    "October 6, 2026",
    "6-SEPT-26",
  ])("%s is a date in another form", (text) => expect(isOtherDateForm(text)).toBe(true));

  it.each([
    "",
    "yesterday",
    "2026",
    "12",
    "46027.5",
    "09:30",
    "18:00:00",
    "2026-02-30",
    "2026-01-01T24:00:00Z",
    "October",
    "Marked 7",
    "1/2",
    `1/2/3 ${"x".repeat(60)}`,
  ])("%j is not a date in another form", (text) => expect(isOtherDateForm(text)).toBe(false));

  it("a timestamp with a zone is kept as sent", () => {
    expect(readTimestamp("2026-01-01T09:30:00+10:00", "Australia/Sydney")).toBe("2026-01-01T09:30:00+10:00");
  });

  it("the years 1900 to 9999 of the organisation's zone are taken, as far as they end in UTC, and what is recorded is taken again", () => {
    expect(readTimestamp("1900-01-01", "Australia/Sydney")).toBe("1899-12-31T14:00:00.000Z");
    expect(readTimestamp("1899-12-31T14:00:00.000Z", "UTC")).toBe("1899-12-31T14:00:00.000Z");
    expect(readTimestamp("9999-12-31", "America/New_York")).toBe("9999-12-31T05:00:00.000Z");
    for (const text of [
      "1899-12-31",
      "1899-12-31T23:59:59-10:00",
      "1899-12-31T09:59:59Z",
      "9999-12-31T23:59:59",
      "9999-12-31T19:00:00-05:00",
    ])
      expect([text, readTimestamp(text, "America/New_York") ?? "rejected"]).toEqual([text, text.includes("-10:00") ? text : "rejected"]);
  });

  it("wall time is read in the organisation's time zone, in summer and in winter", () => {
    expect(readTimestamp("2026-01-15T12:00:00", "Australia/Sydney")).toBe("2026-01-15T01:00:00.000Z");
    expect(readTimestamp("2026-07-15", "Australia/Sydney")).toBe("2026-07-14T14:00:00.000Z");
  });

  it("of an hour that clocks show twice the first is meant; a skipped hour is read as the time after it", () => {
    expect(readTimestamp("2026-04-05T02:30:00", "Australia/Sydney")).toBe("2026-04-04T15:30:00.000Z");
    expect(readTimestamp("2026-10-04T02:30:00", "Australia/Sydney")).toBe("2026-10-03T16:30:00.000Z");
  });

  it("two texts for one instant give the same instant", () => {
    expect(instantOf("2026-01-01T10:00:00+10:00", "UTC")).toBe(instantOf("2026-01-01T00:00:00Z", "UTC"));
  });

  it("an instant's wall time gives the instant again in every zone, or the earlier one where clocks go back", () => {
    const zones = ["UTC", "Australia/Sydney", "Australia/Lord_Howe", "America/New_York", "Asia/Kathmandu"];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 4e12 }), (zone, instant) => {
        const shown = new Date(instant).toLocaleString("sv-SE", { timeZone: zone }).replace(" ", "T");
        const wall = Date.parse(`${shown}Z`);
        const back = wallToInstant(wall, zone);
        expect(Math.floor(instant / 1000) * 1000 - back).toSatisfy((gap: number) => gap === 0 || gap === 3_600_000 || gap === 1_800_000);
      }),
    );
  });
});
