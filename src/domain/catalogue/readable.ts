// Plain functions and not a schema: a schema that falls back for what is unreadable takes ten times as long, and a file has a million values.
type Fields = Readonly<Record<string, unknown>>;

const object = (value: unknown): Fields => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);
const textsIfGiven = (value: unknown): string[] | undefined => (value === undefined ? undefined : texts(value));
const list = <Entry>(value: unknown, read: (fields: Fields) => Entry): Entry[] =>
  Array.isArray(value) ? value.map((entry) => read(object(entry))) : [];

export type ReadableFile = ReturnType<typeof readableFile>;
export type ReadableCard = ReturnType<typeof readableCard>;
export type ReadableZoneMap = ReturnType<typeof readableZoneMap>;

/** As much of a file as can be read, faults or not: so that one wrong price does not hide a wrong reference. What is unreadable is empty. */
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

const readableZoneMap = ({ id, zones }: Fields) => ({
  id: text(id),
  zones: list(zones, ({ zone, country, postcodes }) => ({
    zone: text(zone),
    country: text(country),
    postcodes: textsIfGiven(postcodes),
  })),
});

const readableCard = (card: Fields) => ({
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
      destinationZones: textsIfGiven(object(when)["destinationZones"]),
      originZones: textsIfGiven(object(when)["originZones"]),
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

export function unknownIdFaults(path: string, given: readonly string[], known: ReadonlySet<string>, what: string): string[] {
  const seen = new Set<string>();
  return given.flatMap((id, index) => {
    const repeated = seen.has(id);
    seen.add(id);
    if (id === "") return [];
    if (!known.has(id)) return [`${path}.${index} ${shownId(id)} is not a ${what} of this file`];
    return repeated ? [`${path}.${index} ${shownId(id)} is given twice`] : [];
  });
}
