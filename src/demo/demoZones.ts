// The demo organisation: a catalogue that a freight person recognises, for trying things out and for the documentation's examples.
// Prices follow distance, so that every lane is plausible without being typed in by hand.
import type { OrganisationFileInput } from "../domain/catalogue/schema.js";

interface DemoZone {
  readonly zone: string;
  readonly kind: "metro" | "country" | "remote";
  readonly at: readonly [latitude: number, longitude: number];
  readonly postcodes: readonly string[];
}

/** Every Australian postcode lies in exactly one of these. */
export const demoZones: readonly DemoZone[] = [
  { zone: "SYD", kind: "metro", at: [-33.87, 151.21], postcodes: ["1000-1999", "2000-2249", "2555-2574", "2740-2786"] },
  {
    zone: "MEL",
    kind: "metro",
    at: [-37.81, 144.96],
    postcodes: ["3000-3211", "3335-3341", "3427-3442", "3750-3811", "3910-3944", "3975-3981", "8000-8999"],
  },
  { zone: "BNE", kind: "metro", at: [-27.47, 153.03], postcodes: ["4000-4313", "4500-4521", "4550-4575", "9000-9999"] },
  { zone: "ADL", kind: "metro", at: [-34.93, 138.6], postcodes: ["5000-5199", "5800-5999"] },
  { zone: "PER", kind: "metro", at: [-31.95, 115.86], postcodes: ["6000-6199", "6800-6999"] },
  { zone: "CBR", kind: "metro", at: [-35.28, 149.13], postcodes: ["0200-0299", "2600-2620", "2900-2999"] },
  { zone: "HBA", kind: "metro", at: [-42.88, 147.33], postcodes: ["7000-7199", "7800-7999"] },
  { zone: "DRW", kind: "metro", at: [-12.46, 130.84], postcodes: ["0800-0839", "0900-0999"] },
  { zone: "NSW-COUNTRY", kind: "country", at: [-32.25, 148.6], postcodes: ["2250-2554", "2575-2599", "2621-2739", "2787-2897"] },
  {
    zone: "VIC-COUNTRY",
    kind: "country",
    at: [-36.76, 144.28],
    postcodes: ["3212-3334", "3342-3426", "3443-3749", "3812-3909", "3945-3974", "3982-3999"],
  },
  {
    zone: "QLD-COUNTRY",
    kind: "country",
    at: [-23.38, 150.51],
    postcodes: ["4314-4499", "4522-4549", "4576-4720", "4737-4820", "4849-4870", "4877-4889"],
  },
  { zone: "SA-COUNTRY", kind: "country", at: [-33.18, 138.02], postcodes: ["5200-5709"] },
  { zone: "WA-COUNTRY", kind: "country", at: [-33.33, 115.64], postcodes: ["6200-6699"] },
  { zone: "TAS-COUNTRY", kind: "country", at: [-41.43, 147.14], postcodes: ["7200-7799"] },
  {
    zone: "REMOTE-EAST",
    kind: "remote",
    at: [-20.73, 139.49],
    postcodes: ["2898-2899", "4721-4736", "4821-4848", "4871-4876", "4890-4999"],
  },
  { zone: "REMOTE-CENTRE", kind: "remote", at: [-23.7, 133.88], postcodes: ["0840-0899", "5710-5799"] },
  { zone: "REMOTE-WEST", kind: "remote", at: [-20.74, 116.85], postcodes: ["6700-6799"] },
];

export const remoteZones = demoZones.filter(({ kind }) => kind === "remote").map(({ zone }) => zone);

type LaneInput = NonNullable<OrganisationFileInput["rateCards"]>[number]["lanes"][number];

export interface Tariff {
  readonly basic: number;
  readonly perKg: number;
  readonly perKgPer1000Km: number;
  readonly minimum: number;
  /** Share of the full rate from that weight on. */
  readonly breaks: readonly { readonly fromKg: number; readonly share: number }[];
  readonly kmPerDay: number;
  readonly serves: readonly DemoZone["kind"][];
}

const extras = {
  metro: { basic: 0, minimum: 0, km: 0, days: 0 },
  country: { basic: 6, minimum: 8, km: 300, days: 1 },
  remote: { basic: 35, minimum: 60, km: 900, days: 3 },
};

/** A lane from every zone that the tariff serves to every other, and within each. */
export function lanesOf(tariff: Tariff): LaneInput[] {
  const zones = demoZones.filter(({ kind }) => tariff.serves.includes(kind));
  return zones.flatMap((from) => zones.map((to) => laneOf(tariff, from, to)));
}

function laneOf(tariff: Tariff, from: DemoZone, to: DemoZone): LaneInput {
  const [pickup, delivery] = [extras[from.kind], extras[to.kind]];
  const km = 1.23 * straightKm(from.at, to.at) + pickup.km + delivery.km;
  const perKg = tariff.perKg + (tariff.perKgPer1000Km * km) / 1000;
  const days = Math.max(1, Math.ceil(km / tariff.kmPerDay)) + delivery.days;
  return {
    from: from.zone,
    to: to.zone,
    basic: cents(tariff.basic + pickup.basic + delivery.basic),
    perKg: cents(perKg),
    minimum: cents(tariff.minimum + pickup.minimum + delivery.minimum),
    breaks: tariff.breaks.map(({ fromKg, share }) => ({ fromKg, perKg: cents(cents(perKg) * share) })),
    transit: { min: days, max: days + (tariff.kmPerDay > 1_000 ? 0 : 1), unit: "D" },
  };
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

function straightKm(a: DemoZone["at"], b: DemoZone["at"]): number {
  const radians = Math.PI / 180;
  return 6371 * Math.hypot((b[1] - a[1]) * radians * Math.cos(((a[0] + b[0]) / 2) * radians), (b[0] - a[0]) * radians);
}
