import { referringFields } from "./fields.js";
import type { OrganisationFile, Section } from "./schema.js";
import { nounOf } from "./tree.js";

type Entry = OrganisationFile[Section][number];

export interface SectionUses {
  readonly section: Section;
  readonly entries: readonly Entry[];
}

export const entryId = (entry: { readonly id: string } | { readonly key: string }): string => ("key" in entry ? entry.key : entry.id);

/** Reads the file once. Returns a function that finds the entries, by section, that refer to an entry of the target section. */
export function usesOf(file: OrganisationFile, target: Section): (id: string) => SectionUses[] {
  const byReference = referringFields(target).map(({ section, key }) => {
    const users = new Map<string, Entry[]>();
    for (const entry of file[section]) {
      const ids = (entry as unknown as Record<string, unknown>)[key];
      for (const id of new Set([ids].flat() as string[])) {
        const entries = users.get(id);
        if (entries) entries.push(entry);
        else users.set(id, [entry]);
      }
    }
    return { section, users };
  });
  return (id) => byReference.flatMap(({ section, users }) => (users.has(id) ? [{ section, entries: users.get(id) ?? [] }] : []));
}

/** Such as `2 services (a, b) and 1 customer (CUST-001)`; empty if there are no uses. */
export const usesInWords = (uses: readonly SectionUses[], maxNamed = 3): string =>
  uses
    .map(({ section, entries }) => {
      const noun = nounOf(section)?.toLowerCase();
      const names = entries.slice(0, maxNamed).map(entryId).join(", ");
      const counted = `${entries.length} ${noun}${entries.length === 1 ? "" : "s"}`;
      return maxNamed === 0 ? counted : `${counted} (${names}${entries.length > maxNamed ? ", ..." : ""})`;
    })
    .join(" and ");

/** The rate cards that price a zone of a map, or charge for it. */
export const usesOfZone = (file: OrganisationFile, zoneMapId: string, zone: string): SectionUses[] => {
  const entries = file.rateCards.filter(
    (card) =>
      card.zoneMapId === zoneMapId &&
      (card.lanes.some(({ from, to }) => from === zone || to === zone) ||
        card.surcharges.some(({ when }) => when.destinationZones?.includes(zone) || when.originZones?.includes(zone))),
  );
  return entries.length === 0 ? [] : [{ section: "rateCards", entries }];
};
