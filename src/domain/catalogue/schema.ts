// The catalogue of an organisation: what `org apply` takes, what is wrong with it, and the form that quotes and imports work with.
// This file is the shape; `organisationFile.ts` checks what one part says about another.
import { z } from "zod";
import { limits } from "../imports/limits.js";
import { unusualKinds } from "../imports/unusual.js";

const identifier = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "must be letters, digits, dots, dashes and underscores, beginning with a letter or digit");
/** Text without control characters and lone surrogates: databases refuse them, and they are never meant. */
const text = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .refine((given) => !/[\p{Cc}\p{Cs}]/u.test(given), "must not have control characters");
const name = text(200).min(1);
const decimals = (places: number) => (value: number) =>
  Math.abs(value) < 1e-6 ? value === 0 : (String(value).split(".")[1] ?? "").length <= places;
const amount = (most: number) => z.number().min(0, "must not be negative").max(most).refine(decimals(6), "must have at most 6 decimals");

const money = amount(100_000_000);
const perKg = amount(10_000);
const perItem = amount(10_000);
const percent = amount(1_000);
const orMissing = (text: string) => (issue: { input?: unknown }) => (issue.input === undefined ? "is required" : text);
const day = z.iso.date({ error: orMissing("must be a date such as 2026-01-31") });
const zoneName = text(64).min(1);
const labels = z.array(text(100).min(1)).min(1).max(500);

function isTimezone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

const organisation = z.strictObject({
  id: z
    .string()
    .max(64)
    .regex(/^[a-z0-9][a-z0-9-]*$/, "must be lower-case letters, digits and dashes"),
  name,
  cubicFactor: z.number().positive("must be greater than 0").max(10_000).refine(decimals(6), "must have at most 6 decimals").default(250),
  timezone: z.string().refine(isTimezone, "must be a time zone such as Australia/Sydney").default("Australia/Sydney"),
  /** No default: a file that was applied by an earlier version has none, and must stay the same file. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "must be a currency's three capital letters, such as AUD")
    .optional(),
});

const customField = z.strictObject({
  key: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "must be a letter followed by letters, digits, dashes and underscores"),
  label: name,
});

const carrier = z.strictObject({ id: identifier, name, mandatoryCustomFields: z.array(z.string()).max(100).default([]) });

const word = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, "must be letters, digits, dashes and underscores, beginning with a letter");

const service = z.strictObject({
  id: identifier,
  carrierId: z.string(),
  name,
  type: word,
  class: word,
  cubicFactor: z.number().positive("must be greater than 0").max(10_000).refine(decimals(6), "must have at most 6 decimals").optional(),
});

const zone = z.strictObject({
  zone: zoneName,
  country: z.string().regex(/^[A-Z]{2}$/, "must be a two-letter country code"),
  postcodes: z.array(z.string().min(1).max(32)).min(1).max(10_000).optional(),
});

const zoneMap = z.strictObject({ id: identifier, zones: z.array(zone).min(1).max(2_000) });

const weightBreak = z.strictObject({ fromKg: amount(1_000_000_000), perKg });

const transit = z.strictObject({ min: z.int().min(0).max(365), max: z.int().min(0).max(365), unit: z.enum(["H", "D", "W"]) });

const lane = z.strictObject({
  from: zoneName,
  to: zoneName,
  basic: money.default(0),
  perKg: perKg.default(0),
  minimum: money.default(0),
  breaks: z.array(weightBreak).max(100).default([]),
  transit: transit.optional(),
});

const condition = z
  .strictObject({
    always: z.literal(true).optional(),
    itemLongerThan: amount(1_000).optional(),
    itemHeavierThan: amount(1_000_000).optional(),
    destinationZones: labels.optional(),
    originZones: labels.optional(),
    itemTypes: labels.optional(),
    declaredValueOver: amount(1_000_000_000_000).optional(),
  })
  .refine((when) => Object.keys(when).length > 0, 'must name a condition; use { "always": true } for every consignment');

const charge = z
  .strictObject({ flat: money.optional(), perItem: perItem.optional(), perKg: perKg.optional(), percentOfFreight: percent.optional() })
  .refine((of) => Object.keys(of).length === 1, "must be exactly one of flat, perItem, perKg and percentOfFreight");

const surcharge = z.strictObject({
  key: word.refine((key) => key.toUpperCase() !== "FUEL", "must not be FUEL, which is the fuel levy's own"),
  name,
  description: text(500).default(""),
  when: condition,
  charge,
  fuelApplies: z.boolean().default(false),
});

const spot = z.strictObject({
  message: text(500).default(""),
  expiresAt: z.iso.datetime({ offset: true, error: orMissing("must be a time with a zone, such as 2026-01-31T17:00:00+11:00") }),
});

const rateCard = z.strictObject({
  id: identifier,
  name,
  serviceId: z.string(),
  zoneMapId: z.string(),
  validFrom: day,
  validTo: day.nullable().default(null),
  breakMethod: z.enum(["total", "cumulative"]).default("total"),
  lanes: z.array(lane).min(1).max(10_000),
  fuelLevyPercent: percent.default(0),
  surcharges: z.array(surcharge).max(50).default([]),
  spot: spot.nullable().default(null),
});

const customer = z.strictObject({
  id: text(64).min(1), // a business id: whatever the organisation calls its customers
  name,
  carrierIds: z.array(z.string()).max(500).default([]),
  rateCardIds: z.array(z.string()).max(500).default([]),
});

const unusual = z.strictObject({
  /** Kinds of unusual rows that are not looked for. */
  off: z.array(z.enum(unusualKinds)).max(unusualKinds.length).default([]),
});

export const organisationFile = z.strictObject({
  organisation,
  customFields: z.array(customField).max(limits.customFields).default([]),
  carriers: z.array(carrier).max(500).default([]),
  services: z.array(service).max(2_000).default([]),
  zoneMaps: z.array(zoneMap).max(200).default([]),
  rateCards: z.array(rateCard).max(2_000).default([]),
  customers: z.array(customer).max(10_000).default([]),
  /** No default: a file that was applied by an earlier version has none, and must stay the same file. */
  unusual: unusual.optional(),
});

/** As people write it: with defaults left out. */
export type OrganisationFileInput = z.input<typeof organisationFile>;
export type OrganisationFile = z.output<typeof organisationFile>;
export type ZoneMap = z.output<typeof zoneMap>;
export type RateCard = z.output<typeof rateCard>;
export type Lane = z.output<typeof lane>;
export type Surcharge = z.output<typeof surcharge>;
export type Service = z.output<typeof service>;
export type Customer = z.output<typeof customer>;
