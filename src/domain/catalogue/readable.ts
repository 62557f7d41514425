import { z } from "zod";

const text = z.string().catch("");
const texts = z.array(text).catch([]);
const number = z.number().catch(Number.NaN);
const list = <S extends z.ZodType>(entry: S) => z.array(entry).catch([]);
const object = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}), z.object(shape));

const lane = object({
  from: text,
  to: text,
  breaks: list(object({ fromKg: number })),
  transit: object({ min: number, max: number }),
});

/** As much of a file as can be read, faults or not: so that one wrong price does not hide a wrong reference. What is unreadable is empty. */
export const readableFile = object({
  customFields: list(object({ key: text })),
  carriers: list(object({ id: text, mandatoryCustomFields: texts })),
  services: list(object({ id: text, carrierId: text })),
  zoneMaps: list(object({ id: text, zones: list(object({ zone: text, country: text, postcodes: texts.optional() })) })),
  rateCards: list(
    object({
      id: text,
      serviceId: text,
      zoneMapId: text,
      validFrom: text,
      validTo: z.string().nullable().catch(null),
      breakMethod: text,
      lanes: list(lane),
      surcharges: list(object({ key: text, when: object({ destinationZones: texts.optional(), originZones: texts.optional() }) })),
      spot: z.unknown().optional(),
    }),
  ),
  customers: list(object({ id: text, carrierIds: texts, rateCardIds: texts })),
});

export type ReadableFile = z.output<typeof readableFile>;
export type ReadableCard = ReadableFile["rateCards"][number];
export type ReadableZoneMap = ReadableFile["zoneMaps"][number];

/** Ids in messages stay short, whatever the file holds. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
}

export function duplicates(path: string, ids: readonly string[], key = "id"): string[] {
  const first = new Map<string, number>();
  return ids.flatMap((id, index) => {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    return earlier === undefined || id === "" ? [] : [`${path}.${index}.${key} ${quote(id)} is already used by ${path}.${earlier}`];
  });
}

export function notAmong(path: string, given: readonly string[], known: ReadonlySet<string>, what: string): string[] {
  const seen = new Set<string>();
  return given.flatMap((id, index) => {
    const repeated = seen.has(id);
    seen.add(id);
    if (id === "") return [];
    if (!known.has(id)) return [`${path}.${index} ${quote(id)} is not a ${what} of this file`];
    return repeated ? [`${path}.${index} ${quote(id)} is given twice`] : [];
  });
}
