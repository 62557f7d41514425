import type { OrganisationFileInput } from "../domain/catalogue/schema.js";
import { lanesOf, remoteZones } from "./demoZones.js";

const oversize = {
  key: "OVERSIZE",
  name: "Oversize",
  description: "An item longer than 2 m",
  when: { itemLongerThan: 2 },
  charge: { perItem: 40 },
};
const manualHandling = {
  key: "MANUAL_HANDLING",
  name: "Manual handling",
  description: "An item heavier than 35 kg",
  when: { itemHeavierThan: 35 },
  charge: { perItem: 12.5 },
};
const remoteArea = {
  key: "REMOTE_AREA",
  name: "Remote area",
  description: "Delivery to a remote area",
  when: { destinationZones: remoteZones },
  charge: { percentOfFreight: 15 },
  fuelApplies: true,
};

const road = { serviceId: "roadco-std", zoneMapId: "australia", validFrom: "2024-01-01", fuelLevyPercent: 22.5 };
const everywhere = ["metro", "country", "remote"] as const;

type CardInput = NonNullable<OrganisationFileInput["rateCards"]>[number];

/** Out of Australia and back, per country: the rate per kg, and days. */
function airLanes(): CardInput["lanes"] {
  const rates: [country: string, basic: number, perKg: number, from45Kg: number, min: number, max: number][] = [
    ["NZ", 55, 3.4, 2.9, 2, 4],
    ["US", 80, 7.2, 6.3, 3, 6],
    ["CA", 80, 7.6, 6.6, 4, 7],
    ["GB", 85, 8.1, 7, 4, 7],
    ["SG", 60, 4.2, 3.6, 2, 5],
  ];
  return rates.flatMap(([country, basic, perKg, from45Kg, min, max]) => {
    const terms = {
      basic,
      perKg,
      minimum: basic * 1.5,
      breaks: [{ fromKg: 45, perKg: from45Kg }],
      transit: { min, max, unit: "D" as const },
    };
    return [
      { from: "AU", to: country, ...terms },
      { from: country, to: "AU", ...terms },
    ];
  });
}

/** The documentation's example: 180 kg from SYD to MEL on `road-standard` is 12.50 + 180 x 0.42 = 88.10, with fuel and GST 118.71. */
export const demoRateCards: CardInput[] = [
  {
    ...road,
    id: "road-standard",
    name: "Road Standard",
    lanes: lanesOf({
      basic: 12.5,
      perKg: 0.18,
      perKgPer1000Km: 0.27,
      minimum: 20,
      breaks: [
        { fromKg: 500, share: 0.9 },
        { fromKg: 2000, share: 0.8 },
      ],
      kmPerDay: 900,
      serves: everywhere,
    }),
    surcharges: [oversize, manualHandling, remoteArea],
  },
  {
    ...road,
    id: "road-volume",
    name: "Road Volume",
    breakMethod: "cumulative",
    lanes: lanesOf({
      basic: 18,
      perKg: 0.16,
      perKgPer1000Km: 0.26,
      minimum: 32,
      breaks: [
        { fromKg: 250, share: 0.92 },
        { fromKg: 1000, share: 0.78 },
      ],
      kmPerDay: 900,
      serves: everywhere,
    }),
    surcharges: [oversize, remoteArea],
  },
  {
    ...road,
    id: "road-express",
    name: "Road Express",
    serviceId: "roadco-exp",
    lanes: lanesOf({
      basic: 19,
      perKg: 0.32,
      perKgPer1000Km: 0.48,
      minimum: 34,
      breaks: [{ fromKg: 250, share: 0.9 }],
      kmPerDay: 1400,
      serves: ["metro", "country"],
    }),
    surcharges: [oversize, manualHandling],
  },
  {
    ...road,
    id: "overnight",
    name: "Overnight Satchel and Carton",
    serviceId: "swift-overnight",
    breakMethod: "cumulative",
    lanes: lanesOf({
      basic: 24,
      perKg: 1.1,
      perKgPer1000Km: 0.9,
      minimum: 38,
      breaks: [{ fromKg: 25, share: 0.9 }],
      kmPerDay: 5000,
      serves: ["metro"],
    }),
    fuelLevyPercent: 14.5,
    surcharges: [
      oversize,
      { ...manualHandling, description: "An item heavier than 22 kg", when: { itemHeavierThan: 22 }, charge: { perItem: 18 } },
      {
        key: "EXTENDED_LIABILITY",
        name: "Extended liability",
        description: "Declared value over 5,000",
        when: { declaredValueOver: 5000 },
        charge: { flat: 35 },
      },
    ],
  },
  {
    ...road,
    id: "road-spot-syd-mel",
    name: "Road Spot Sydney to Melbourne",
    lanes: [{ from: "SYD", to: "MEL", basic: 10, perKg: 0.36, minimum: 18, breaks: [], transit: { min: 2, max: 3, unit: "D" } }],
    surcharges: [oversize, manualHandling],
    spot: { message: "Backload space on the Hume: subject to availability on the day", expiresAt: "2035-12-31T23:59:59+11:00" },
  },
  {
    id: "international-air",
    name: "International Air",
    serviceId: "globalair-intl",
    zoneMapId: "world",
    validFrom: "2024-01-01",
    lanes: airLanes(),
    fuelLevyPercent: 18,
    surcharges: [
      {
        key: "SECURITY",
        name: "Security screening",
        description: "Screening of air cargo",
        when: { always: true },
        charge: { perKg: 0.25 },
      },
      {
        key: "DANGEROUS_GOODS",
        name: "Dangerous goods",
        description: "Handling of dangerous goods",
        when: { itemTypes: ["Dangerous goods"] },
        charge: { flat: 110 },
      },
    ],
  },
];
