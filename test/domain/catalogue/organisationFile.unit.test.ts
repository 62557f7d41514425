import { describe, expect, it } from "vitest";
import { demoOrganisation } from "../../../src/demo/demoOrganisation.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import { seeded } from "../../faults/randomness.js";
import { changed, faultsOf, type Json } from "./changedSample.js";
import { sampleFile } from "./sample.js";

const card = () => structuredClone(sampleFile().rateCards?.[0]) as unknown as Json;

describe("an organisation file", () => {
  it("of the documented shape has no fault", () => {
    expect(faultsOf(sampleFile())).toEqual([]);
  });

  it("may leave out what has a default", () => {
    const parsed = parseOrganisationFile({ organisation: { id: "bare", name: "Bare" } });
    expect(parsed).toMatchObject({
      ok: true,
      file: { organisation: { cubicFactor: 250, timezone: "Australia/Sydney" }, carriers: [], customers: [] },
    });
    expect(faultsOf(changed("rateCards.0.spot", undefined))).toEqual([]);
    expect(faultsOf(changed("rateCards.0.validTo", undefined))).toEqual([]);
  });

  it("may name any currency by its three letters, since amounts are not converted", () => {
    for (const currency of ["AUD", "NZD", "QQQ"]) {
      expect(parseOrganisationFile(changed("organisation.currency", currency))).toMatchObject({
        ok: true,
        file: { organisation: { currency } },
      });
    }
    expect(parseOrganisationFile(sampleFile())).not.toHaveProperty("file.organisation.currency");
  });

  it("of the demo organisation has no fault", () => {
    expect(faultsOf(demoOrganisation)).toEqual([]);
  });

  it("that is no object at all is refused", () => {
    for (const nonsense of [null, 7, "text", [], undefined]) expect(faultsOf(nonsense).length).toBeGreaterThan(0);
  });
});

describe("a list of an organisation file", () => {
  const unknownCards = (count: number) =>
    faultsOf(
      changed(
        "customers.0.rateCardIds",
        Array.from({ length: count }, (_, n) => `card-${n}`),
      ),
    );

  it("that is as long as it may be is checked against the rest of the file", () => {
    expect(unknownCards(500)).toHaveLength(500);
    expect(unknownCards(500)[499]).toBe('customers.0.rateCardIds.499 "card-499" is not a rate card of this file');
  });

  it("that is longer is refused for that alone, so that a check takes bounded work", () => {
    expect(unknownCards(501)).toEqual(["customers.0.rateCardIds must contain at most 500 elements"]);
    const services = Array.from({ length: 2_001 }, () => ({ carrierId: "nobody" }));
    expect(faultsOf(changed("services", services))).toEqual(["services must contain at most 2000 elements"]);
  });
});

describe("a fault in an organisation file is named by its path:", () => {
  const cases: [what: string, path: string, value: unknown, fault: RegExp][] = [
    ["an unknown key at the top", "extra", 1, /^extra is not a recognised field$/],
    ["an unknown key further down", "rateCards.0.lanes.0.colour", "red", /^rateCards\.0\.lanes\.0\.colour is not a recognised field$/],
    ["a missing name", "organisation.name", undefined, /^organisation\.name is required$/],
    ["a number as text", "rateCards.0.lanes.0.basic", "12.50", /^rateCards\.0\.lanes\.0\.basic must be a number$/],
    ["a bad organisation id", "organisation.id", "Demo 3PL", /^organisation\.id must be lower-case/],
    ["a name with a control character", "organisation.name", "De\u0000mo", /^organisation\.name must not have control characters$/],
    ["a name with half a character", "customers.0.name", "\ud800", /^customers\.0\.name must not have control characters$/],
    ["an unknown time zone", "organisation.timezone", "Mars/Base", /^organisation\.timezone must be a time zone/],
    ["a currency in small letters", "organisation.currency", "aud", /^organisation\.currency must be a currency/],
    ["a currency of four letters", "organisation.currency", "AUDX", /^organisation\.currency must be a currency/],
    ["a currency of two letters", "organisation.currency", "AU", /^organisation\.currency must be a currency/],
    ["a currency with a digit", "organisation.currency", "AU1", /^organisation\.currency must be a currency/],
    ["no currency, but null", "organisation.currency", null, /^organisation\.currency must be a string$/],
    ["a cubic factor of zero", "organisation.cubicFactor", 0, /^organisation\.cubicFactor must be greater than 0$/],
    [
      "an unknown carrier of a service",
      "services.0.carrierId",
      "nobody",
      /^services\.0\.carrierId "nobody" is not a carrier of this file$/,
    ],
    ["an unknown carrier of a customer", "customers.0.carrierIds", ["nobody"], /^customers\.0\.carrierIds\.0 "nobody" is not a carrier/],
    ["an unknown service", "rateCards.0.serviceId", "x", /^rateCards\.0\.serviceId "x" is not a service/],
    ["an unknown zone map", "rateCards.0.zoneMapId", "x", /^rateCards\.0\.zoneMapId "x" is not a zone map/],
    ["an unknown rate card", "customers.0.rateCardIds", ["x"], /^customers\.0\.rateCardIds\.0 "x" is not a rate card/],
    [
      "a rate card given twice",
      "customers.0.rateCardIds",
      ["road-2026", "road-2026"],
      /^customers\.0\.rateCardIds\.1 "road-2026" is given twice$/,
    ],
    [
      "an unknown custom field",
      "carriers.0.mandatoryCustomFields",
      ["x"],
      /^carriers\.0\.mandatoryCustomFields\.0 "x" is not a custom field/,
    ],
    [
      "a custom field named like a column",
      "customFields.0.key",
      "shipmentId",
      /^customFields\.0\.key "shipmentId" is already the name of a field$/,
    ],
    [
      "a lane to a zone that does not exist",
      "rateCards.0.lanes.0.to",
      "BNE",
      /^rateCards\.0\.lanes\.0\.to "BNE" is not a zone of zone map "hubs"$/,
    ],
    ["a negative price", "rateCards.0.lanes.0.perKg", -0.42, /^rateCards\.0\.lanes\.0\.perKg must not be negative$/],
    ["a negative minimum", "rateCards.0.lanes.0.minimum", -1, /^rateCards\.0\.lanes\.0\.minimum must not be negative$/],
    ["a price beyond measure", "rateCards.0.lanes.0.perKg", 1e9, /^rateCards\.0\.lanes\.0\.perKg must be at most 10000$/],
    [
      "a price with too many decimals",
      "rateCards.0.lanes.0.perKg",
      0.1234567,
      /^rateCards\.0\.lanes\.0\.perKg must have at most 6 decimals$/,
    ],
    ["a negative fuel levy", "rateCards.0.fuelLevyPercent", -1, /^rateCards\.0\.fuelLevyPercent must not be negative$/],
    [
      "breaks out of order",
      "rateCards.0.lanes.0.breaks",
      [
        { fromKg: 500, perKg: 1 },
        { fromKg: 500, perKg: 1 },
      ],
      /^rateCards\.0\.lanes\.0\.breaks\.1\.fromKg must be greater/,
    ],
    [
      "a transit time that runs backwards",
      "rateCards.0.lanes.0.transit",
      { min: 3, max: 2, unit: "D" },
      /^rateCards\.0\.lanes\.0\.transit\.max must not be less than min$/,
    ],
    ["a validity that ends before it begins", "rateCards.0.validTo", "2025-12-31", /^rateCards\.0\.validTo must not be before validFrom$/],
    ["a date that is none", "rateCards.0.validFrom", "2026-02-30", /^rateCards\.0\.validFrom must be a date/],
    ["a spot rate without its end", "rateCards.0.spot", { message: "x" }, /^rateCards\.0\.spot\.expiresAt is required$/],
    ["an unknown break method", "rateCards.0.breakMethod", "magic", /^rateCards\.0\.breakMethod must be one of total, cumulative$/],
    ["a surcharge without a condition", "rateCards.0.surcharges.0.when", {}, /^rateCards\.0\.surcharges\.0\.when must name a condition/],
    [
      "a surcharge with two charges",
      "rateCards.0.surcharges.0.charge",
      { flat: 1, perKg: 1 },
      /^rateCards\.0\.surcharges\.0\.charge must be exactly one of/,
    ],
    ["a surcharge that calls itself fuel", "rateCards.0.surcharges.0.key", "FUEL", /^rateCards\.0\.surcharges\.0\.key must not be FUEL/],
    [
      "a surcharge for a zone that does not exist",
      "rateCards.0.surcharges.0.when",
      { destinationZones: ["MEL", "PER"] },
      /^rateCards\.0\.surcharges\.0\.when\.destinationZones\.1 "PER" is not a zone/,
    ],
    [
      "a postcode range that runs backwards",
      "zoneMaps.0.zones.0.postcodes",
      ["2249-2000"],
      /^zoneMaps\.0\.zones\.0\.postcodes\.0 "2249-2000" must be a postcode or a range/,
    ],
    ["a zone called *", "zoneMaps.0.zones.0.zone", "*", /^zoneMaps\.0\.zones\.0\.zone "\*" stands for every zone/],
    [
      "a country that is a name",
      "zoneMaps.0.zones.2.country",
      "New Zealand",
      /^zoneMaps\.0\.zones\.2\.country must be a two-letter country code$/,
    ],
    ...["XX", "ZZ", "UK", "EU", "SU"].map((code): [string, string, unknown, RegExp] => [
      `a country ${code}, which does not exist`,
      "zoneMaps.0.zones.2.country",
      code,
      new RegExp(`^zoneMaps\\.0\\.zones\\.2\\.country "${code}" is not an ISO country code$`),
    ]),
  ];
  it.each(cases)("%s", (_, path, value, fault) => {
    expect(faultsOf(changed(path, value))).toContainEqual(expect.stringMatching(fault));
  });

  it("ids used twice, in every section", () => {
    const file = sampleFile() as unknown as Record<string, unknown[]>;
    for (const section of ["customFields", "carriers", "services", "zoneMaps", "rateCards", "customers"])
      file[section]?.push(structuredClone(file[section][0]));
    const faults = faultsOf(file);
    for (const path of ["customFields.1.key", "carriers.1.id", "services.1.id", "zoneMaps.1.id", "rateCards.1.id", "customers.1.id"]) {
      expect(faults).toContainEqual(expect.stringMatching(new RegExp(`^${path} .* is already used by`)));
    }
  });

  it("ids that differ only in the blanks around them, which are not stored", () => {
    const file = sampleFile() as unknown as { customers: Json[] };
    file.customers.push({ ...file.customers[0], id: " CUST-001 " });
    expect(faultsOf(file)).toEqual(['customers.1.id "CUST-001" is already used by customers.0']);
  });

  it("the same lane twice", () => {
    const lane = sampleFile().rateCards?.[0]?.lanes[0];
    expect(faultsOf(changed("rateCards.0.lanes", [lane, lane]))).toContain("rateCards.0.lanes.1 is the same lane as rateCards.0.lanes.0");
  });

  it("all faults of a file at once, of whatever kind", () => {
    const file = changed("services.0.carrierId", "nobody") as { rateCards: { lanes: { perKg: number; to: string }[] }[] };
    Object.assign(file.rateCards[0]?.lanes[0] ?? {}, { perKg: -1, to: "BNE" });
    expect(faultsOf(file)).toEqual([
      "rateCards.0.lanes.0.perKg must not be negative",
      'services.0.carrierId "nobody" is not a carrier of this file',
      'rateCards.0.lanes.0.to "BNE" is not a zone of zone map "hubs"',
    ]);
  });
});

describe("the validity of a customer's cards for one service", () => {
  const withSecond = (second: Json) => {
    const file = sampleFile() as unknown as { rateCards: unknown[]; customers: { rateCardIds: string[] }[] };
    file.rateCards.push({ ...card(), id: "second", ...second });
    file.customers[0]?.rateCardIds.push("second");
    return faultsOf(file);
  };

  it("must not overlap", () => {
    expect(withSecond({ validFrom: "2026-07-01" })).toEqual([
      'customers.0.rateCardIds.1 "second" overlaps the validity of "road-2026" for service "roadco-std"',
    ]);
  });

  it("must not overlap either where one leaves out the break method that the other names", () => {
    const { breakMethod, ...rest } = card();
    expect(breakMethod).toBe("total");
    const file = sampleFile() as unknown as { rateCards: unknown[]; customers: { rateCardIds: string[] }[] };
    file.rateCards.push({ ...rest, id: "second" });
    file.customers[0]?.rateCardIds.push("second");
    expect(faultsOf(file)).toEqual([expect.stringMatching(/^customers\.0\.rateCardIds\.1 "second" overlaps the validity/)]);
  });

  it("may follow one another", () => {
    expect(withSecond({ validFrom: "2025-01-01", validTo: "2025-12-31" })).toEqual([]);
  });

  it("may overlap where one is a spot rate, prices other lanes, or has another break method", () => {
    expect(withSecond({ spot: { message: "now", expiresAt: "2026-12-01T00:00:00Z" } })).toEqual([]);
    expect(withSecond({ lanes: [{ from: "MEL", to: "SYD", perKg: 1 }] })).toEqual([]);
    expect(withSecond({ breakMethod: "cumulative" })).toEqual([]);
  });

  it("is compared for each two of a customer's cards, however many the file has", () => {
    const { pick, number } = seeded(45);
    const zones = ["SYD", "MEL", "NZ", "*"];
    const rateCards = Array.from({ length: 100 }, (_, n) => ({
      ...card(),
      id: `card-${n}`,
      validFrom: `2026-0${pick([1, 3, 5])}-01`,
      validTo: pick([null, "2026-02-28", "2026-04-30", "2026-12-31"]),
      breakMethod: pick(["total", "cumulative"]),
      lanes: [...new Set([pick(zones), pick(zones)])].map((from) => ({ from, to: pick(zones), perKg: 1 })),
    })).filter(({ validFrom, validTo }) => validTo === null || validFrom <= validTo);
    const rateCardIds = rateCards.map(({ id }) => id).sort(() => number(3) - 1);
    const file = { ...sampleFile(), rateCards, customers: [{ id: "CUST-001", name: "Acme", carrierIds: [], rateCardIds }] };
    const lasts = (validTo: string | null) => validTo ?? "9999";
    const areRivals = (a: (typeof rateCards)[0], b: (typeof rateCards)[0]) =>
      a.breakMethod === b.breakMethod &&
      a.validFrom <= lasts(b.validTo) &&
      b.validFrom <= lasts(a.validTo) &&
      a.lanes.some(({ from, to }) => b.lanes.some((lane) => lane.from === from && lane.to === to));
    const expected = rateCardIds.flatMap((id, index) => {
      const seen = rateCards.filter((other) => rateCardIds.indexOf(other.id) < index);
      const own = rateCards.find((each) => each.id === id) as (typeof rateCards)[0];
      const rival = seen.find((other) => areRivals(other, own));
      return rival ? [`customers.0.rateCardIds.${index} "${id}" overlaps the validity of "${rival.id}" for service "roadco-std"`] : [];
    });
    expect(expected.length).toBeGreaterThan(20);
    expect(faultsOf(file)).toEqual(expected);
  });
});
