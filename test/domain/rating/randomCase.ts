import { organisationFile } from "../../../src/domain/catalogue/schema.js";
import type { PriceTerms } from "../../../src/domain/rating/price.js";
import type { Item } from "../../../src/domain/rating/quoteRequest.js";
import type { OracleCase, OracleItem, OracleSurcharge } from "./oracle.js";

/** A small repeatable generator: the same seed, the same case. */
function random(seed: number): (below: number) => bigint {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return BigInt(Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below));
  };
}

export function randomCase(seed: number): OracleCase {
  const below = random(seed);
  const chance = (percent: number): boolean => below(100) < BigInt(percent);
  const items = Array.from({ length: 1 + Number(below(4)) }, (): OracleItem => {
    const big = chance(10);
    return {
      quantity: 1n + below(big ? 5_000 : 12),
      mm: [1n + below(3_000), 1n + below(1_500), 1n + below(1_500)],
      grams: 1n + below(big ? 1_000_000 : 60_000),
      value: below(1_000_000),
    };
  });
  let from = 0n;
  const breaks = Array.from({ length: Number(below(4)) }, () => {
    from += 1n + below(800);
    return { fromKg: from, perKg: below(20_000) };
  });
  const kinds = ["flat", "perItem", "perKg", "percentOfFreight"] as const;
  const surcharges = Array.from({ length: Number(below(4)) }, (): OracleSurcharge => {
    const kind = kinds[Number(below(4))] ?? "flat";
    return {
      kind,
      value: below(kind === "percentOfFreight" ? 10_000 : 500_000),
      ...(chance(30) ? { longerThanMm: below(3_000) } : {}),
      ...(chance(30) ? { heavierThanGrams: below(60_000) } : {}),
      ...(chance(20) ? { valueOver: below(2_000_000) } : {}),
      fuelApplies: chance(50),
    };
  });
  return {
    items,
    factor: chance(70) ? 250n : 1n + below(400),
    basic: below(500_000),
    perKg: below(20_000),
    minimum: below(900_000),
    breaks,
    cumulative: chance(50),
    surcharges,
    fuelPercent: chance(80) ? below(4_000) : 0n,
    gst: chance(80),
  };
}

/** The decimal text that a JSON body would carry. */
function scaled(value: bigint, places: number): number {
  return Number(`${value}e-${places}`);
}

export function itemsOf(of: OracleCase): Item[] {
  return of.items.map(({ quantity, mm, grams, value }) => ({
    quantity: Number(quantity),
    length: scaled(mm[0], 3),
    width: scaled(mm[1], 3),
    height: scaled(mm[2], 3),
    weight: scaled(grams, 3),
    itemValue: scaled(value, 2),
  }));
}

export function termsOf(of: OracleCase): PriceTerms {
  return {
    originZone: "A",
    destinationZone: "B",
    cubicFactor: Number(of.factor),
    lane: {
      from: "A",
      to: "B",
      basic: scaled(of.basic, 4),
      perKg: scaled(of.perKg, 4),
      minimum: scaled(of.minimum, 4),
      breaks: of.breaks.map(({ fromKg, perKg }) => ({ fromKg: Number(fromKg), perKg: scaled(perKg, 4) })),
    },
    breakMethod: of.cumulative ? "cumulative" : "total",
    surcharges: of.surcharges.map(({ kind, value, longerThanMm, heavierThanGrams, valueOver, fuelApplies }, index) => ({
      key: `S${index}`,
      name: `S${index}`,
      description: "",
      when: {
        always: true as const,
        ...(longerThanMm === undefined ? {} : { itemLongerThan: scaled(longerThanMm, 3) }),
        ...(heavierThanGrams === undefined ? {} : { itemHeavierThan: scaled(heavierThanGrams, 3) }),
        ...(valueOver === undefined ? {} : { declaredValueOver: scaled(valueOver, 2) }),
      },
      charge: { [kind]: scaled(value, kind === "percentOfFreight" ? 2 : 4) },
      fuelApplies,
    })),
    fuelLevyPercent: scaled(of.fuelPercent, 2),
    gstApplies: of.gst,
  };
}

/** Whether the organisation file's schema accepts these terms: only cases that an organisation could have are tested. */
export function isApplicable(terms: PriceTerms): boolean {
  const { lane, breakMethod, surcharges, fuelLevyPercent } = terms;
  const zones = [
    { zone: "A", country: "AU", postcodes: ["2000"] },
    { zone: "B", country: "AU", postcodes: ["3000"] },
  ];
  return organisationFile.safeParse({
    organisation: { id: "x", name: "x" },
    zoneMaps: [{ id: "z", zones }],
    rateCards: [
      {
        id: "c",
        name: "c",
        serviceId: "s",
        zoneMapId: "z",
        validFrom: "2026-01-01",
        breakMethod,
        lanes: [lane],
        surcharges,
        fuelLevyPercent,
      },
    ],
  }).success;
}
