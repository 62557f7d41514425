// Plain functions instead of a schema: a schema with a fallback for each value takes ten times as long for a file's million values.
type JsonObject = Readonly<Record<string, unknown>>;

const object = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);
const optionalTexts = (value: unknown): string[] | undefined => (value === undefined ? undefined : texts(value));
const list = <Entry>(value: unknown, read: (fields: JsonObject) => Entry): Entry[] =>
  Array.isArray(value) ? value.map((entry) => read(object(entry))) : [];

export type ReadableFile = ReturnType<typeof readableFile>;
export type ReadableCard = ReturnType<typeof readableCard>;
export type ReadableZoneMap = ReturnType<typeof readableZoneMap>;

/** Reads as much of a faulty file as possible, so that one wrong price does not hide a wrong reference. Unreadable values are empty. */
export function readableFile(input: unknown) {
  const file = object(input);
  return {
    customFields: list(file["customFields"], ({ key }) => ({ key: text(key) })),
    carriers: list(file["carriers"], ({ id, mandatoryCustomFields }) => ({
      id: text(id),
      mandatoryCustomFields: texts(mandatoryCustomFields),
    })),
    services: list(file["services"], ({ id, carrierId }) => ({ id: text(id), carrierId: text(carrierId) })),
    zoneMaps: list(file["zoneMaps"], readableZoneMap),
    rateCards: list(file["rateCards"], readableCard),
    customers: list(file["customers"], ({ id, carrierIds, rateCardIds }) => ({
      id: text(id),
      carrierIds: texts(carrierIds),
      rateCardIds: texts(rateCardIds),
    })),
  };
}

const readableZoneMap = ({ id, zones }: JsonObject) => ({
  id: text(id),
  zones: list(zones, ({ zone, country, postcodes }) => ({
    zone: text(zone),
    country: text(country),
    postcodes: optionalTexts(postcodes),
  })),
});

const readableCard = (card: JsonObject) => ({
  id: text(card["id"]),
  serviceId: text(card["serviceId"]),
  zoneMapId: text(card["zoneMapId"]),
  validFrom: text(card["validFrom"]),
  validTo: typeof card["validTo"] === "string" ? card["validTo"] : null,
  breakMethod: text(card["breakMethod"]),
  lanes: list(card["lanes"], ({ from, to, breaks, transit }) => ({
    from: text(from),
    to: text(to),
    breaks: list(breaks, ({ fromKg }) => ({ fromKg: number(fromKg) })),
    transit: { min: number(object(transit)["min"]), max: number(object(transit)["max"]) },
  })),
  surcharges: list(card["surcharges"], ({ key, when }) => ({
    key: text(key),
    when: {
      destinationZones: optionalTexts(object(when)["destinationZones"]),
      originZones: optionalTexts(object(when)["originZones"]),
    },
  })),
  spot: card["spot"],
});

/** Ids in messages stay short, whatever the file holds. */
export const shownId = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);

export function duplicateFaults(path: string, ids: readonly string[], key = "id"): string[] {
  const first = new Map<string, number>();
  return ids.flatMap((id, index) => {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    return earlier === undefined || id === "" ? [] : [`${path}.${index}.${key} ${shownId(id)} is already used by ${path}.${earlier}`];
  });
}

export function unknownIdFaults(path: string, ids: readonly string[], knownIds: ReadonlySet<string>, noun: string): string[] {
  const seen = new Set<string>();
  return ids.flatMap((id, index) => {
    const isRepeated = seen.has(id);
    seen.add(id);
    if (id === "") return [];
    if (!knownIds.has(id)) return [`${path}.${index} ${shownId(id)} is not a ${noun} of this file`];
    return isRepeated ? [`${path}.${index} ${shownId(id)} is given twice`] : [];
  });
}
