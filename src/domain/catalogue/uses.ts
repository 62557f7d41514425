import { referencesTo } from "./fields.js";
import type { OrganisationFile, Section } from "./schema.js";
import { nounOf } from "./tree.js";

type Entry = OrganisationFile[Section][number];

export interface Uses {
  readonly section: Section;
  readonly entries: readonly Entry[];
}

export const idOf = (entry: { readonly id: string } | { readonly key: string }): string => ("key" in entry ? entry.key : entry.id);

/** For each section that refers to another: how to find those that name an entry, at the cost of reading the file once. */
export function usesOf(file: OrganisationFile, target: Section): (id: string) => Uses[] {
  const byReference = referencesTo(target).map(({ section, key }) => {
    const users = new Map<string, Entry[]>();
    for (const entry of file[section]) {
      const named = (entry as unknown as Record<string, unknown>)[key];
      for (const id of new Set([named].flat() as string[])) {
        const known = users.get(id);
        if (known) known.push(entry);
        else users.set(id, [entry]);
      }
    }
    return { section, users };
  });
  return (id) => byReference.flatMap(({ section, users }) => (users.has(id) ? [{ section, entries: users.get(id) ?? [] }] : []));
}

/** `2 services (a, b) and 1 customer (CUST-001)`; empty for what nothing uses. */
export const usesInWords = (uses: readonly Uses[], mostNamed = 3): string =>
  uses
    .map(({ section, entries }) => {
      const noun = nounOf(section)?.toLowerCase();
      const names = entries.slice(0, mostNamed).map(idOf).join(", ");
      const counted = `${entries.length} ${noun}${entries.length === 1 ? "" : "s"}`;
      return mostNamed === 0 ? counted : `${counted} (${names}${entries.length > mostNamed ? ", ..." : ""})`;
    })
    .join(" and ");

/** The rate cards that price a zone of a map, or charge for it. */
export const usesOfZone = (file: OrganisationFile, zoneMapId: string, zone: string): Uses[] => {
  const entries = file.rateCards.filter(
    (card) =>
      card.zoneMapId === zoneMapId &&
      (card.lanes.some(({ from, to }) => from === zone || to === zone) ||
        card.surcharges.some(({ when }) => when.destinationZones?.includes(zone) || when.originZones?.includes(zone))),
  );
  return entries.length === 0 ? [] : [{ section: "rateCards", entries }];
};
