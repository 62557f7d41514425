import { fieldsOf } from "../imports/fields.js";
import { faultsOf, parseInSentences } from "../validation.js";
import { laneKey } from "./laneKey.js";
import { createOverlapCheck } from "./overlaps.js";
import { duplicateFaults, type ReadableCard, type ReadableFile, readableFile, shownId, unknownIdFaults } from "./readable.js";
import { type OrganisationFile, organisationFile, sections } from "./schema.js";
import { zoneFaults } from "./zones.js";

export type ParsedOrganisationFile =
  | { readonly ok: true; readonly file: OrganisationFile }
  | { readonly ok: false; readonly faults: string[] };

/** An entry becomes one event, and the event store takes no more than a mebibyte at a time. */
const maxEntryBytes = 900_000;

/** Checks the whole file and lists every fault, path first. References are not checked if a list is too long. */
export function parseOrganisationFile(input: unknown): ParsedOrganisationFile {
  const { success, data, error } = parseInSentences(organisationFile, input);
  if (!success) {
    const faults = faultsOf(error, "the file");
    const isTooLong = error.issues.some((issue) => issue.code === "too_big" && issue.origin === "array");
    return { ok: false, faults: isTooLong ? faults : [...faults, ...crossCheck(readableFile(input))] };
  }
  // Checks the file as it will be stored, with texts trimmed: two ids that differ only in a blank are one id there.
  const faults = [...crossCheck(readableFile(data)), ...sections.flatMap((section) => sizeFaults(section, data[section]))];
  return faults.length === 0 ? { ok: true, file: data } : { ok: false, faults };
}

const sizeFaults = (section: string, entries: readonly unknown[]): string[] =>
  entries.flatMap((entry, index) => {
    const size = Buffer.byteLength(JSON.stringify(entry));
    return size > maxEntryBytes ? [`${section}.${index} is ${size} bytes as JSON; split it so that it has at most ${maxEntryBytes}`] : [];
  });

/** The faults in what one part of the file says about another, such as unknown ids. Each fault begins with its path. */
function crossCheck(file: ReadableFile): string[] {
  const keys = file.customFields.map((field) => field.key);
  const knownKeys = new Set(keys);
  const carriers = new Set(idsOf(file.carriers));
  const services = new Set(idsOf(file.services));
  const zonesOf = new Map(file.zoneMaps.map(({ id, zones }) => [id, new Set(zones.map(({ zone }) => zone))]));
  return [
    ...duplicateFaults("customFields", keys, "key"),
    ...keys.flatMap((key, index) =>
      reservedKeys.has(key.toLowerCase()) ? [`customFields.${index}.key ${shownId(key)} is already the name of a field`] : [],
    ),
    ...duplicateFaults("carriers", idsOf(file.carriers)),
    ...file.carriers.flatMap((carrier, index) =>
      unknownIdFaults(`carriers.${index}.mandatoryCustomFields`, carrier.mandatoryCustomFields, knownKeys, "custom field"),
    ),
    ...duplicateFaults("services", idsOf(file.services)),
    ...file.services.flatMap(({ carrierId }, index) =>
      carrierId === "" || carriers.has(carrierId)
        ? []
        : [`services.${index}.carrierId ${shownId(carrierId)} is not a carrier of this file`],
    ),
    ...duplicateFaults("zoneMaps", idsOf(file.zoneMaps)),
    ...file.zoneMaps.flatMap((map, index) => zoneFaults(map, `zoneMaps.${index}.zones`)),
    ...duplicateFaults("rateCards", idsOf(file.rateCards)),
    ...file.rateCards.flatMap((card, index) => cardFaults(card, `rateCards.${index}`, services, zonesOf)),
    ...duplicateFaults("customers", idsOf(file.customers)),
    ...customerFaults(file),
  ];
}

const idsOf = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id);

/** Names that a custom field cannot have, in lower case. Most are columns of a file; the last two are special names in JavaScript. */
const reservedKeys: ReadonlySet<string> = new Set(
  [...fieldsOf("shipment", "goodsLine").map(({ name }) => name), "customFields", "items", "row", "reason", "constructor", "prototype"].map(
    (column) => column.toLowerCase(),
  ),
);

function customerFaults(file: ReadableFile): string[] {
  const carriers = new Set(idsOf(file.carriers));
  const cards = new Map(file.rateCards.map((card) => [card.id, card]));
  const cardIds = new Set(cards.keys());
  const overlapFaults = createOverlapCheck([...cards.values()]);
  return file.customers.flatMap((customer, index) => [
    ...unknownIdFaults(`customers.${index}.carrierIds`, customer.carrierIds, carriers, "carrier"),
    ...unknownIdFaults(`customers.${index}.rateCardIds`, customer.rateCardIds, cardIds, "rate card"),
    ...overlapFaults(customer.rateCardIds, `customers.${index}.rateCardIds`),
  ]);
}

type ZonesOf = ReadonlyMap<string, ReadonlySet<string>>;

function cardFaults(card: ReadableCard, path: string, services: ReadonlySet<string>, zonesOf: ZonesOf): string[] {
  const faults: string[] = [];
  const { serviceId, zoneMapId, validFrom, validTo } = card;
  if (serviceId !== "" && !services.has(serviceId)) {
    faults.push(`${path}.serviceId ${shownId(serviceId)} is not a service of this file`);
  }
  if (validTo !== null && validFrom !== "" && validTo < validFrom) faults.push(`${path}.validTo must not be before validFrom`);
  const zones = zonesOf.get(zoneMapId);
  if (!zones && zoneMapId !== "") faults.push(`${path}.zoneMapId ${shownId(zoneMapId)} is not a zone map of this file`);
  const checkZone = (at: string, zone: string): void => {
    if (zones && zone !== "" && !zones.has(zone)) faults.push(`${at} ${shownId(zone)} is not a zone of zone map ${shownId(zoneMapId)}`);
  };
  card.lanes.forEach(({ from, to }, index) => {
    if (from !== "*") checkZone(`${path}.lanes.${index}.from`, from);
    if (to !== "*") checkZone(`${path}.lanes.${index}.to`, to);
  });
  card.surcharges.forEach(({ when }, index) => {
    const at = `${path}.surcharges.${index}.when`;
    when.destinationZones?.forEach((zone, number) => void checkZone(`${at}.destinationZones.${number}`, zone));
    when.originZones?.forEach((zone, number) => void checkZone(`${at}.originZones.${number}`, zone));
  });
  const surchargeKeys = card.surcharges.map((surcharge) => surcharge.key);
  return [...faults, ...laneFaults(card, path), ...duplicateFaults(`${path}.surcharges`, surchargeKeys, "key")];
}

function laneFaults(card: ReadableCard, path: string): string[] {
  const faults: string[] = [];
  const first = new Map<string, number>();
  card.lanes.forEach((lane, index) => {
    const at = `${path}.lanes.${index}`;
    const ends = laneKey(lane);
    const earlier = first.get(ends);
    if (earlier === undefined) first.set(ends, index);
    else faults.push(`${at} is the same lane as ${path}.lanes.${earlier}`);
    lane.breaks.forEach((weightBreak, number) => {
      const before = lane.breaks[number - 1];
      if (before && weightBreak.fromKg <= before.fromKg)
        faults.push(`${at}.breaks.${number}.fromKg must be greater than the one before it`);
    });
    if (lane.transit.max < lane.transit.min) faults.push(`${at}.transit.max must not be less than min`);
  });
  return faults;
}
