import { cacheResults } from "../cacheResults.js";
import { dayAt } from "../imports/timestamp.js";
import { laneKey } from "./laneKey.js";
import type { Customer, Lane, OrganisationFile, RateCard, Service } from "./schema.js";
import { compileZones, type ZoneOf } from "./zones.js";

export type Catalogue = ReturnType<typeof compileCatalogue>;

/** Prepares an organisation file for quotes and imports, so that each look-up takes constant or logarithmic time. */
export function compileCatalogue(file: OrganisationFile) {
  const customers: ReadonlyMap<string, Customer> = new Map(file.customers.map((customer) => [customer.id, customer]));
  const services: ReadonlyMap<string, Service> = new Map(file.services.map((service) => [service.id, service]));
  const zoneMaps = new Map<string, ZoneOf>(file.zoneMaps.map((map) => [map.id, compileZones(map)]));
  const allZoneMaps = [...zoneMaps.values()];
  const cards = new Map(
    file.rateCards.map((card) => [card.id, compileCard(card, services.get(card.serviceId), file.organisation.cubicFactor)]),
  );
  const cardsOf = new Map(file.customers.map((customer) => [customer.id, customer.rateCardIds.flatMap((id) => cards.get(id) ?? [])]));
  return {
    file,
    organisation: file.organisation,
    /** The currency of all prices. */
    currency: file.organisation.currency ?? "AUD",
    customers,
    customFieldKeys: new Set(file.customFields.map((field) => field.key)) as ReadonlySet<string>,
    services,
    /** The keys of the custom fields that the customer's carriers require, in the order of the file. */
    mandatoryCustomFields: mandatoryFields(file, customers),
    /** The customer's rate cards, in the order of its `rateCardIds`. */
    cardsOf: (customerId: string): readonly CompiledCard[] => cardsOf.get(customerId) ?? [],
    zoneOf: (zoneMapId: string, countryCode: string, postalCode: string): string | undefined =>
      zoneMaps.get(zoneMapId)?.(countryCode, postalCode),
    /** Whether the place lies in any zone of the organisation. */
    isServiceable: (countryCode: string, postalCode: string): boolean =>
      allZoneMaps.some((zoneOf) => zoneOf(countryCode, postalCode) !== undefined),
    /** The date in the organisation's time zone. */
    today: (now: Date): string => dayAt(now.getTime(), file.organisation.timezone),
  };
}

/** Computes a customer's fields on first use: a catalogue can have thousands of customers, and few are ever looked up. */
function mandatoryFields({ carriers, customFields }: OrganisationFile, customers: ReadonlyMap<string, Customer>) {
  const marks = new Map(carriers.map(({ id, mandatoryCustomFields }) => [id, mandatoryCustomFields]));
  return cacheResults(customers.size, (customerId: string): readonly string[] => {
    const marked = new Set((customers.get(customerId)?.carrierIds ?? []).flatMap((id) => marks.get(id) ?? []));
    return customFields.map(({ key }) => key).filter((key) => marked.has(key));
  });
}

export interface CompiledCard {
  readonly card: RateCard;
  readonly service: Service;
  /** The service's own factor, else the organisation's. */
  readonly cubicFactor: number;
  readonly spotExpiresAt: number | undefined; // milliseconds since 1970, for a spot rate
  laneBetween(origin: string, destination: string): Lane | undefined;
}

export function compileCard(card: RateCard, service: Service | undefined, organisationFactor: number): CompiledCard {
  if (!service) throw new Error(`rate card ${card.id} names an unknown service`); // parseOrganisationFile rejects such a file
  const lanes = new Map(card.lanes.map((lane) => [laneKey(lane), lane]));
  return {
    card,
    service,
    cubicFactor: service.cubicFactor ?? organisationFactor,
    spotExpiresAt: card.spot ? Date.parse(card.spot.expiresAt) : undefined,
    /** Tries lanes that name both ends, then only the destination, then only the origin, then neither. */
    laneBetween: (from, to) =>
      lanes.get(laneKey({ from, to })) ??
      lanes.get(laneKey({ from: "*", to })) ??
      lanes.get(laneKey({ from, to: "*" })) ??
      lanes.get(laneKey({ from: "*", to: "*" })),
  };
}
