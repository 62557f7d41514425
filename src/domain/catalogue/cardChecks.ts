import { duplicates, quote, type ReadableCard, type ReadableFile } from "./readable.js";

export function cardFaults(card: ReadableCard, path: string, file: ReadableFile): string[] {
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
