import { describe, expect, it } from "vitest";
import { changed, faultsOf } from "./changedSample.js";

describe("a fault in an organisation file is named by its path:", () => {
  it.each([
    ["AU", "abc", "4 digits"],
    ["AU", "20000-21000", "4 digits"],
    ["AU", "20", "4 digits"],
    ["AU", "2000-20000", "4 digits"],
    ["US", "1000-V6B", "5 digits"],
    ["US", "123456", "5 digits"],
    ["CA", "2000", "3 or 6 characters"],
    ["CA", "V6B 1A", "3 or 6 characters"],
    ["CA", "V5K-V6", "3 or 6 characters"],
  ])("a postcode that %s cannot have, %s", (country, text, shape) => {
    const faults = faultsOf(changed("zoneMaps.0.zones.2", { zone: "NZ", country, postcodes: ["0", text] }));
    expect(faults).toContainEqual(
      expect.stringContaining(`zoneMaps.0.zones.2.postcodes.1 "${text}" cannot be a postcode of ${country}: those have ${shape}`),
    );
  });

  it.each([
    ["AU", ["800", "0801-0899", " 4000 "]],
    ["US", ["501", "10001-10292"]],
    ["CA", ["V6B", "v6b 1a1", "V5K-V5Z", "M5V3L9"]],
    ["GB", ["SW1-SW3", "N"]],
    ["JP", ["1000001", "060"]],
    ["XK", ["10000"]],
  ])("but none that %s can have", (country, postcodes) => {
    expect(faultsOf(changed("zoneMaps.0.zones.2", { zone: "NZ", country, postcodes }))).toEqual([]);
  });

  it("zones that overlap", () => {
    const faults = faultsOf(changed("zoneMaps.0.zones.1.postcodes", ["2200-2300", "3000"]));
    expect(faults).toEqual([
      'zoneMaps.0.zones.1.postcodes.0 "2200-2300" of zone "MEL" overlaps zoneMaps.0.zones.0.postcodes.0 "2000-2249" of zone "SYD"',
    ]);
  });

  it("ranges that begin inside a wider one and end outside it, or equal it, also when others lie within it", () => {
    const faults = faultsOf(changed("zoneMaps.0.zones.1.postcodes", ["2001", "2100-2110", "2105-2120", "2240-2250", "2000-2249"]));
    const crossing = ["2000-2249", "2105-2120", "2240-2250"];
    expect(faults.length).toBe(3);
    for (const text of crossing) expect(faults.join("\n")).toContain(`"${text}" of zone "MEL" overlaps`);
  });

  it("but not a zone that lies within a wider one", () => {
    expect(faultsOf(changed("zoneMaps.0.zones.1.postcodes", ["2000", "2001", "2100-2110", "2249"]))).toEqual([]);
  });

  it("two zones that both hold the rest of a country", () => {
    expect(faultsOf(changed("zoneMaps.0.zones.1", { zone: "MEL", country: "NZ" }))).toContain(
      "zoneMaps.0.zones.2 overlaps zoneMaps.0.zones.1: both hold the rest of NZ",
    );
  });
});
