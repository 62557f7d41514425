// src/domain/catalogue: an organisation's catalogue as `org apply` reads it, its faults, and its compiled form for quotes and imports.
// This file has the schema. Its `meta` has the words from which forms, lists and descriptions of changes are made.
// `organisationFile.ts` checks what one part of the file says about another.
import { z } from "zod";
import { limits } from "../imports/limits.js";
import { unusualKinds } from "../imports/unusual.js";

const identifier = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "must be letters, digits, dots, dashes and underscores, beginning with a letter or digit")
  .meta({ label: "Id", hint: "Letters, digits, dots, dashes and underscores. You cannot change it later." });
/** The lists of the file. Entries of one list refer to those of another by id. */
export const sections = ["customFields", "carriers", "services", "zoneMaps", "rateCards", "customers"] as const;
export type Section = (typeof sections)[number];

/** What people read for a field. */
export interface FieldWords {
  readonly label: string;
  readonly hint?: string;
  /** The list of the file whose ids the field holds. */
  readonly refersTo?: Section;
  /** The words for the values of a choice. */
  readonly words?: Readonly<Record<string, string>>;
  /** Shown after the number. */
  readonly unit?: string;
  /** A price: shown with two decimals at least. */
  readonly price?: boolean;
}

/** Text without control characters and lone surrogates: databases refuse them, and nobody types them on purpose. */
const text = (maxLength: number) =>
  z
    .string()
    .trim()
    .max(maxLength)
    .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), "must not have control characters");
const name = text(200).min(1).meta({ label: "Name" });
const hasAtMostDecimals = (places: number) => (value: number) =>
  Math.abs(value) < 1e-6 ? value === 0 : (String(value).split(".")[1] ?? "").length <= places;
const amount = (max: number) =>
  z.number().min(0, "must not be negative").max(max).refine(hasAtMostDecimals(6), "must have at most 6 decimals");

const money = amount(100_000_000);
const perKg = amount(10_000).meta({ label: "Per kg", price: true });
const perItem = amount(10_000);
const percent = amount(1_000);
const requiredOr = (text: string) => (issue: { input?: unknown }) => (issue.input === undefined ? "is required" : text);
const day = z.iso.date({ error: requiredOr("must be a date such as 2026-01-31") });
const zoneName = text(64).min(1);
const names = z.array(text(100).min(1)).min(1).max(500);

function isTimezone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

const cubicFactor = z
  .number()
  .positive("must be greater than 0")
  .max(10_000)
  .refine(hasAtMostDecimals(6), "must have at most 6 decimals")
  .meta({ label: "Cubic factor", unit: "kg per cubic metre", hint: "Kilograms per cubic metre." });

const organisation = z.strictObject({
  id: z
    .string()
    .max(64)
    .regex(/^[a-z0-9][a-z0-9-]*$/, "must be lower-case letters, digits and dashes")
    .meta({ label: "Id" }),
  name,
  cubicFactor: cubicFactor.default(250),
  timezone: z
    .string()
    .refine(isTimezone, "must be a time zone such as Australia/Sydney")
    .default("Australia/Sydney")
    .meta({ label: "Time zone", hint: "Such as Australia/Sydney." }),
  /** No default: a file applied by an earlier version does not have it, and must stay the same file. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "must be a currency's three capital letters, such as AUD")
    .optional()
    .meta({ label: "Currency", hint: "Three capital letters. AUD where it is empty." }),
});

const customField = z.strictObject({
  key: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "must be a letter followed by letters, digits, dashes and underscores")
    .meta({
      label: "Key",
      hint: "The column name in files. Start with a letter; use letters, digits, dashes and underscores. You cannot change it later.",
    }),
  label: name.meta({ label: "Label", hint: "The name that people see." }),
});

const references = (refersTo: Section, label: string, max: number) => z.array(z.string()).max(max).default([]).meta({ label, refersTo });
const reference = (refersTo: Section, label: string) => z.string().meta({ label, refersTo });

const carrier = z.strictObject({ id: identifier, name, mandatoryCustomFields: references("customFields", "Mandatory custom fields", 100) });

const word = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, "must be letters, digits, dashes and underscores, beginning with a letter");

const service = z.strictObject({
  id: identifier,
  carrierId: reference("carriers", "Carrier"),
  name,
  type: word.meta({ label: "Type", hint: "Such as DOMESTIC or INTERNATIONAL." }),
  class: word.meta({ label: "Class", hint: "Such as STANDARD or EXPRESS." }),
  cubicFactor: cubicFactor.optional().meta({
    label: "Cubic factor",
    unit: "kg per cubic metre",
    hint: "Kilograms per cubic metre. Leave empty for the organisation's.",
  }),
});

const zone = z.strictObject({
  zone: zoneName.meta({ label: "Zone" }),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be a two-letter country code")
    .meta({ label: "Country", hint: "Two capital letters, such as AU." }),
  postcodes: z
    .array(z.string().min(1).max(32))
    .min(1)
    .max(10_000)
    .optional()
    .meta({ label: "Postcodes", hint: "Such as 2000-2249, 2555-2574. Leave empty for the rest of the country." }),
});

const zoneMap = z.strictObject({ id: identifier, zones: z.array(zone).min(1).max(2_000).meta({ label: "Zones" }) });

const weightBreak = z.strictObject({ fromKg: amount(1_000_000_000).meta({ label: "From kg" }), perKg });

const days = z.int().min(0).max(365);
const transit = z.strictObject({
  min: days.meta({ label: "Shortest transit" }),
  max: days.meta({ label: "Longest transit" }),
  unit: z.enum(["H", "D", "W"]).meta({ label: "Transit unit", words: { H: "hours", D: "business days", W: "weeks" } }),
});

export const lane = z.strictObject({
  from: zoneName.meta({ label: "From", hint: "A zone, or * for any." }),
  to: zoneName.meta({ label: "To", hint: "A zone, or * for any." }),
  basic: money.default(0).meta({ label: "Basic", price: true }),
  perKg: perKg.default(0),
  minimum: money.default(0).meta({ label: "Minimum", price: true }),
  breaks: z.array(weightBreak).max(100).default([]).meta({ label: "Breaks" }),
  transit: transit.optional().meta({ label: "Transit" }),
});

const condition = z
  .strictObject({
    always: z.literal(true).optional().meta({ label: "Always" }),
    itemLongerThan: amount(1_000).optional().meta({ label: "An item longer than", unit: "m", hint: "Metres." }),
    itemHeavierThan: amount(1_000_000).optional().meta({ label: "An item heavier than", unit: "kg", hint: "Kilograms." }),
    destinationZones: names.optional().meta({ label: "To zones", hint: "Separated by commas." }),
    originZones: names.optional().meta({ label: "From zones", hint: "Separated by commas." }),
    itemTypes: names.optional().meta({ label: "Items of type", hint: "Separated by commas." }),
    declaredValueOver: amount(1_000_000_000_000).optional().meta({ label: "A declared value over" }),
  })
  .refine((when) => Object.keys(when).length > 0, 'must name a condition; use { "always": true } for every consignment');

const charge = z
  .strictObject({
    flat: money.optional().meta({ label: "Per consignment", price: true }),
    perItem: perItem.optional().meta({ label: "Per item", price: true }),
    perKg: perKg.optional(),
    percentOfFreight: percent.optional().meta({ label: "% of the freight" }),
  })
  .refine((fields) => Object.keys(fields).length === 1, "must be exactly one of flat, perItem, perKg and percentOfFreight");

const surcharge = z.strictObject({
  key: word.refine((key) => key.toUpperCase() !== "FUEL", "must not be FUEL, which is the fuel levy's own").meta({ label: "Key" }),
  name,
  description: text(500).default("").meta({ label: "Description" }),
  when: condition.meta({ label: "When", hint: "All that are filled in have to hold." }),
  charge: charge.meta({ label: "Charge", hint: "Fill in one." }),
  fuelApplies: z.boolean().default(false).meta({ label: "Fuel levy on it" }),
});

const spot = z.strictObject({
  message: text(500).default("").meta({ label: "Message" }),
  expiresAt: z.iso
    .datetime({ offset: true, error: requiredOr("must be a time with a zone, such as 2026-01-31T17:00:00+11:00") })
    .meta({ label: "Spot rate until", hint: "A time with a zone, such as 2026-01-31T17:00:00+11:00. Leave empty if it is no spot rate." }),
});

const rateCard = z.strictObject({
  id: identifier,
  name,
  serviceId: reference("services", "Service"),
  zoneMapId: reference("zoneMaps", "Zone map"),
  validFrom: day.meta({ label: "Valid from" }),
  validTo: day.nullable().default(null).meta({ label: "Valid to", hint: "The last day it applies. Leave empty for no end date." }),
  breakMethod: z
    .enum(["total", "cumulative"])
    .default("total")
    .meta({
      label: "Weight breaks",
      words: {
        total: "The whole weight is priced at the rate of the break it reaches",
        cumulative: "Each break prices only the kilograms within it",
      },
    }),
  lanes: z.array(lane).min(1).max(10_000).meta({ label: "Lanes" }),
  fuelLevyPercent: percent.default(0).meta({ label: "Fuel levy", unit: "%", hint: "Percent." }),
  surcharges: z.array(surcharge).max(50).default([]).meta({ label: "Surcharges" }),
  spot: spot.nullable().default(null).meta({ label: "Spot rate" }),
});

const customer = z.strictObject({
  /** A business id: whatever the organisation calls its customers. */
  id: text(64).min(1).meta({ label: "Id", hint: "The id that your files and API requests use. You cannot change it later." }),
  name,
  carrierIds: references("carriers", "Carriers", 500),
  rateCardIds: references("rateCards", "Rate cards", 500),
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
  /** No default: a file applied by an earlier version does not have it, and must stay the same file. */
  unusual: unusual.optional(),
});

/** The file as people write it: fields with a default may be left out. */
export type OrganisationFileInput = z.input<typeof organisationFile>;
export type OrganisationFile = z.output<typeof organisationFile>;
export type ZoneMap = z.output<typeof zoneMap>;
export type RateCard = z.output<typeof rateCard>;
export type Lane = z.output<typeof lane>;
export type Surcharge = z.output<typeof surcharge>;
export type Service = z.output<typeof service>;
export type Customer = z.output<typeof customer>;
