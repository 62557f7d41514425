import { fieldsOf } from "../imports/fields.js";
import { check } from "../validation.js";
import { duplicates, notAmong, quote, type ReadableCard, type ReadableFile, readableFile } from "./readable.js";
import { type OrganisationFile, organisationFile } from "./schema.js";
import { zoneFaults } from "./zones.js";

export type ParsedOrganisationFile =
  | { readonly ok: true; readonly file: OrganisationFile }
  | { readonly ok: false; readonly faults: string[] };

const sections = ["customFields", "carriers", "services", "zoneMaps", "rateCards", "customers"] as const;

/** An entry becomes one event, and the event store takes no more than a mebibyte at a time. */
const largestEntry = 900_000;

/** Checks everything there is to check and lists every fault, path first. */
export function parseOrganisationFile(input: unknown): ParsedOrganisationFile {
  const shape = check(organisationFile, input, "the file");
  const faults = [...(shape.ok ? [] : shape.faults), ...crossCheck(readableFile.parse(input))];
  if (shape.ok) faults.push(...sections.flatMap((section) => oversized(section, shape.value[section])));
  return shape.ok && faults.length === 0 ? { ok: true, file: shape.value } : { ok: false, faults };
}

function oversized(section: string, entries: readonly unknown[]): string[] {
  return entries.flatMap((entry, index) => {
    const size = Buffer.byteLength(JSON.stringify(entry));
    return size > largestEntry ? [`${section}.${index} is ${size} bytes as JSON; split it so that it has at most ${largestEntry}`] : [];
  });
}

/** The faults in what one part of the file says about another; each fault begins with its path. */
function crossCheck(file: ReadableFile): string[] {
  const keys = file.customFields.map((field) => field.key);
  const carriers = new Set(idsOf(file.carriers));
  return [
    ...duplicates("customFields", keys, "key"),
    ...keys.flatMap((key, index) =>
      reservedColumns.has(key.toLowerCase()) ? [`customFields.${index}.key ${quote(key)} is already the name of a field`] : [],
    ),
    ...duplicates("carriers", idsOf(file.carriers)),
    ...file.carriers.flatMap((carrier, index) =>
      notAmong(`carriers.${index}.mandatoryCustomFields`, carrier.mandatoryCustomFields, new Set(keys), "custom field"),
    ),
    ...duplicates("services", idsOf(file.services)),
    ...file.services.flatMap(({ carrierId }, index) =>
      carrierId === "" || carriers.has(carrierId) ? [] : [`services.${index}.carrierId ${quote(carrierId)} is not a carrier of this file`],
    ),
    ...duplicates("zoneMaps", idsOf(file.zoneMaps)),
    ...file.zoneMaps.flatMap((map, index) => zoneFaults(map, `zoneMaps.${index}.zones`)),
    ...duplicates("rateCards", idsOf(file.rateCards)),
    ...file.rateCards.flatMap((card, index) => cardFaults(card, `rateCards.${index}`, file)),
    ...duplicates("customers", idsOf(file.customers)),
    ...customerFaults(file),
  ];
}

const idsOf = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id);

/** Names that a custom field cannot have, in lower case. Most are columns of a file; the last two are special names in JavaScript. */
const reservedColumns: ReadonlySet<string> = new Set(
  [...fieldsOf("shipment", "goodsLine").map(({ name }) => name), "customFields", "items", "row", "reason", "constructor", "prototype"].map(
    (column) => column.toLowerCase(),
  ),
);

function customerFaults(file: ReadableFile): string[] {
  const carriers = new Set(idsOf(file.carriers));
  const cards = new Map(file.rateCards.map((card) => [card.id, card]));
  const competes = remembered(areRivals);
  return file.customers.flatMap((customer, index) => [
    ...notAmong(`customers.${index}.carrierIds`, customer.carrierIds, carriers, "carrier"),
    ...notAmong(`customers.${index}.rateCardIds`, customer.rateCardIds, new Set(cards.keys()), "rate card"),
    ...validityFaults(customer.rateCardIds, cards, `customers.${index}.rateCardIds`, competes),
  ]);
}

type Competes = (a: ReadableCard, b: ReadableCard) => boolean;

/** A customer has one price for each service, lane and day, so its cards must not overlap. Spot rates may stand beside a card and are not checked. */
function validityFaults(ids: readonly string[], cards: Map<string, ReadableCard>, path: string, competes: Competes): string[] {
  const seen: { card: ReadableCard; at: string }[] = [];
  const faults: string[] = [];
  ids.forEach((id, index) => {
    const card = cards.get(id);
    if (!card || card.spot || seen.some((other) => other.card === card)) return;
    const rival = seen.find((other) => competes(other.card, card));
    if (rival) {
      faults.push(`${path}.${index} ${quote(id)} overlaps the validity of ${quote(rival.card.id)} for service ${quote(card.serviceId)}`);
    }
    seen.push({ card, at: `${path}.${index}` });
  });
  return faults;
}

/** Cards that differ in their break method may be held side by side, to compare them. */
function areRivals(a: ReadableCard, b: ReadableCard): boolean {
  if (a.serviceId !== b.serviceId || a.zoneMapId !== b.zoneMapId || a.breakMethod !== b.breakMethod) return false;
  if ((a.validTo !== null && a.validTo < b.validFrom) || (b.validTo !== null && b.validTo < a.validFrom)) return false;
  const lanes = new Set(a.lanes.map(laneKey));
  return b.lanes.some((lane) => lanes.has(laneKey(lane)));
}

/** Remembers the answers, since thousands of customers share the same few cards. */
function remembered(rivals: Competes): Competes {
  const known = new Map<ReadableCard, Map<ReadableCard, boolean>>();
  return (a, b) => {
    const ofA = known.get(a) ?? new Map<ReadableCard, boolean>();
    known.set(a, ofA);
    const answer = ofA.get(b) ?? rivals(a, b);
    ofA.set(b, answer);
    return answer;
  };
}

function cardFaults(card: ReadableCard, path: string, file: ReadableFile): string[] {
  const faults: string[] = [];
  const { serviceId, zoneMapId, validFrom, validTo } = card;
  if (serviceId !== "" && !file.services.some((service) => service.id === serviceId)) {
    faults.push(`${path}.serviceId ${quote(serviceId)} is not a service of this file`);
  }
  if (validTo !== null && validFrom !== "" && validTo < validFrom) faults.push(`${path}.validTo must not be before validFrom`);
  const map = file.zoneMaps.find((candidate) => candidate.id === zoneMapId);
  if (!map && zoneMapId !== "") faults.push(`${path}.zoneMapId ${quote(zoneMapId)} is not a zone map of this file`);
  const zones = map && new Set(map.zones.map((zone) => zone.zone));
  const checkZone = (at: string, zone: string): void => {
    if (zones && zone !== "" && !zones.has(zone)) faults.push(`${at} ${quote(zone)} is not a zone of zone map ${quote(zoneMapId)}`);
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
  return [...faults, ...laneFaults(card, path), ...duplicates(`${path}.surcharges`, surchargeKeys, "key")];
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

export function laneKey(lane: { from: string; to: string }): string {
  return `${lane.from}\n${lane.to}`; // zone names have no line breaks
}
