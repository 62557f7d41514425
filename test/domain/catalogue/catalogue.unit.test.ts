import { describe, expect, it } from "vitest";
import { readAustralia } from "../../../scripts/localities/australia.js";
import { demoOrganisation } from "../../../src/demo/demoOrganisation.js";
import { compileCatalogue } from "../../../src/domain/catalogue/catalogue.js";
import { differencesInSentences } from "../../../src/domain/catalogue/diff.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import { type OrganisationFile, organisationFile } from "../../../src/domain/catalogue/schema.js";
import { sampleFile } from "./sample.js";

function parsed(input: unknown): OrganisationFile {
  const result = parseOrganisationFile(input);
  if (!result.ok) throw new Error(result.faults.join("\n"));
  return result.file;
}

describe("a compiled catalogue", () => {
  const catalogue = compileCatalogue(parsed(sampleFile()));

  it("finds the zone of a postcode, at the edges of its ranges too", () => {
    const zone = (code: string, country = "AU") => catalogue.zoneOf("hubs", country, code);
    expect([zone("2000"), zone("2249"), zone("2555"), zone("3207"), zone("1234", "NZ")]).toEqual(["SYD", "SYD", "SYD", "MEL", "NZ"]);
    expect([zone("1999"), zone("2250"), zone("2554"), zone("3208"), zone("2000", "GB")]).toEqual(Array(5).fill(undefined));
    expect(catalogue.zoneOf("no such map", "AU", "2000")).toBeUndefined();
  });

  it("calls a place serviceable when it lies in any zone", () => {
    expect(catalogue.isServiceable("AU", "2000")).toBe(true);
    expect(catalogue.isServiceable("AU", "6000")).toBe(false);
  });

  it("knows the custom fields that a customer's carriers want", () => {
    expect(catalogue.mandatoryCustomFields("CUST-001")).toEqual(["costCentre"]);
    expect(catalogue.mandatoryCustomFields("nobody")).toEqual([]);
    expect(catalogue.customFieldKeys.has("costCentre")).toBe(true);
  });

  it("collects the custom fields of a customer's carriers once, when they are first asked for", () => {
    const file = parsed(sampleFile());
    let reads = 0;
    const fields = new Proxy(["costCentre"], {
      get: (target, key) => {
        reads += key === "0" ? 1 : 0;
        return Reflect.get(target, key);
      },
    });
    const { mandatoryCustomFields } = compileCatalogue({
      ...file,
      carriers: [{ id: "roadco", name: "RoadCo", mandatoryCustomFields: fields }],
    });
    expect(reads).toBe(0);
    for (let times = 0; times < 3; times += 1) expect(mandatoryCustomFields("CUST-001")).toEqual(["costCentre"]);
    expect(reads).toBe(1);
  });

  it("takes the date from the organisation's own calendar", () => {
    expect(catalogue.today(new Date("2026-11-14T12:59:59Z"))).toBe("2026-11-14");
    expect(catalogue.today(new Date("2026-11-14T13:00:00Z"))).toBe("2026-11-15");
  });

  it("gives a zone without postcodes the rest of its country, and a prefix all postcodes that begin with it", () => {
    const zones = [
      { zone: "LONDON", country: "GB", postcodes: ["SW1-SW3", "N1"] },
      { zone: "UK", country: "GB" },
    ];
    const { zoneOf } = compileCatalogue(
      organisationFile.parse({ ...sampleFile(), zoneMaps: [...(sampleFile().zoneMaps ?? []), { id: "gb", zones }] }),
    );
    const zone = (code: string) => zoneOf("gb", "GB", code);
    expect([zone("SW1A 1AA"), zone("sw3 4xy"), zone("N1 9GU"), zone("M1 4BT"), zone("SW4 7AA")]).toEqual([
      "LONDON",
      "LONDON",
      "LONDON",
      "UK",
      "UK",
    ]);
  });

  it("takes the smallest range where one lies within another", () => {
    const zones = [
      { zone: "CBD", country: "AU", postcodes: ["2000-2001", "2010"] },
      { zone: "NSW", country: "AU", postcodes: ["2000-2999"] },
      { zone: "SYD", country: "AU", postcodes: ["2000-2249", "2555-2574"] },
      { zone: "AU", country: "AU" },
    ];
    const file = { ...sampleFile(), zoneMaps: [...(sampleFile().zoneMaps ?? []), { id: "nested", zones }] };
    const { zoneOf } = compileCatalogue(parsed(file));
    const zone = (code: string) => zoneOf("nested", "AU", code);
    expect(["2000", "2001", "2010"].map(zone)).toEqual(["CBD", "CBD", "CBD"]);
    expect(["2002", "2009", "2011", "2249", "2555", "2574"].map(zone)).toEqual(Array(6).fill("SYD"));
    expect(["2250", "2554", "2575", "2999"].map(zone)).toEqual(Array(4).fill("NSW"));
    expect(["1999", "3000"].map(zone)).toEqual(["AU", "AU"]);
  });

  it("can put a whole Canadian postcode into another zone than the rest of its first half", () => {
    const zones = [
      { zone: "BC", country: "CA", postcodes: ["V0A-V9Z"] },
      { zone: "DOWNTOWN", country: "CA", postcodes: ["V6B"] },
      { zone: "DOCKS", country: "CA", postcodes: ["V6B 1A1", "V6B 2A0-V6B 2Z9"] },
    ];
    const file = { ...sampleFile(), zoneMaps: [...(sampleFile().zoneMaps ?? []), { id: "canada", zones }] };
    const { zoneOf } = compileCatalogue(parsed(file));
    const zone = (code: string) => zoneOf("canada", "CA", code);
    expect(["V6B 1A1", "V6B 2K4"].map(zone)).toEqual(["DOCKS", "DOCKS"]);
    expect(["V6B", "V6B 1A2", "V6B 3A1"].map(zone)).toEqual(Array(3).fill("DOWNTOWN"));
    expect(["V6C", "V6A 1A1", "M5V 3L9"].map(zone)).toEqual(["BC", "BC", undefined]);
  });
});

describe("the demo catalogue", () => {
  const file = parsed(demoOrganisation);
  const catalogue = compileCatalogue(file);

  it("has a zone for every Australian postcode", () => {
    const codes = new Set([...readAustralia()].map(({ postalCode }) => postalCode));
    expect([...codes].filter((code) => catalogue.zoneOf("australia", "AU", code) === undefined)).toEqual([]);
    expect(codes.size).toBeGreaterThan(3_000);
  });

  it("asks nothing extra of CUST-001, so that a first import is easy", () => {
    expect(catalogue.mandatoryCustomFields("CUST-001")).toEqual([]);
    expect(catalogue.mandatoryCustomFields("CUST-003")).toEqual(["costCentre"]);
  });

  it("has three carriers, four services and three customers with different cards", () => {
    expect([file.carriers.length, file.services.length, file.customers.length]).toEqual([3, 4, 3]);
    expect(new Set(file.customers.map(({ rateCardIds }) => rateCardIds.join())).size).toBe(3);
    expect(file.rateCards.filter(({ spot }) => spot !== null).length).toBe(1);
  });
});

describe("what changed between two catalogues", () => {
  const before = parsed(sampleFile());

  it("is nothing when nothing did", () => {
    expect(differencesInSentences(before, parsed(sampleFile()))).toEqual([]);
  });

  it("is one sentence for each change", () => {
    const after = structuredClone(before);
    after.organisation.name = "Renamed";
    const lane = after.rateCards[0]?.lanes[0];
    if (lane) lane.perKg = 0.45;
    after.customers.push({ id: "CUST-002", name: "Birch", carrierIds: [], rateCardIds: [] });
    after.customFields = [];
    expect(differencesInSentences(before, after)).toEqual([
      'Organisation: name "Demo 3PL" -> "Renamed"',
      "Custom field costCentre removed",
      "Rate card road-2026: lane SYD to MEL: perKg 0.42 -> 0.45",
      "Customer CUST-002 added",
    ]);
  });

  it("names lanes, breaks, zones and ids of a list, wherever they stand in it", () => {
    const after = structuredClone(before);
    const [card, map, customer] = [after.rateCards[0], after.zoneMaps[0], after.customers[0]];
    if (!card || !map || !customer) throw new Error("the sample has changed");
    const [lane] = card.lanes;
    if (lane) lane.breaks = [...lane.breaks, { fromKg: 900, perKg: 0.3 }];
    card.lanes.unshift({ from: "*", to: "NZ", basic: 1, perKg: 1, minimum: 0, breaks: [] });
    map.zones.reverse();
    map.zones.find(({ zone }) => zone === "SYD")?.postcodes?.push("2600");
    customer.carrierIds = ["airco"];
    expect(differencesInSentences(before, after)).toEqual([
      'Zone map hubs: zone SYD (AU): postcodes "2600" added',
      "Rate card road-2026: lane * to NZ added",
      "Rate card road-2026: lane SYD to MEL: break from 900 kg added",
      'Customer CUST-001: carrierIds "airco" added',
      'Customer CUST-001: carrierIds "roadco" removed',
    ]);
  });

  it("tells a new order of a list, and that two zones of one name have changed by their places", () => {
    const turned = structuredClone(before);
    turned.zoneMaps[0]?.zones.reverse();
    expect(differencesInSentences(before, turned)).toEqual(["Zone map hubs: zones reordered"]);
    const twice = structuredClone(before);
    twice.zoneMaps[0]?.zones.push({ zone: "SYD", country: "AU", postcodes: ["2600"] });
    expect(differencesInSentences(before, twice)).toEqual([expect.stringMatching(/^Zone map hubs: zones\.3 nothing -> /)]);
  });

  it("does not depend on the order in which a database returns the fields", () => {
    const turned = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(turned)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, each]) => [key, turned(each)]),
            )
          : value;
    expect(differencesInSentences(before, turned(before) as OrganisationFile)).toEqual([]);
  });

  it("lists everything as added when there was no catalogue before", () => {
    expect(differencesInSentences(undefined, before)).toEqual([
      "Organisation demo created",
      "Custom field costCentre added",
      "Carrier roadco added",
      "Service roadco-std added",
      "Zone map hubs added",
      "Rate card road-2026 added",
      "Customer CUST-001 added",
    ]);
  });
});
