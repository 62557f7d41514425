// The lists of the catalogue and the cells of their columns, made from the fields of the schema.
import type { Child } from "hono/jsx";
import type { Catalogue } from "../../../../domain/catalogue/catalogue.js";
import { type CatalogueField, fieldsOfSection, valueInWords } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile, RateCard, Section } from "../../../../domain/catalogue/schema.js";
import { idOf, usesInWords, usesOf } from "../../../../domain/catalogue/uses.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { dayInWords, inWords, type Value } from "../../shell/formats.js";
import { Badge } from "../../shell/panel.js";
import type { Column } from "../../shell/table.js";
import { capitalised, type Entry, entryPath, nameOfEntry, sectionNames } from "./addresses.js";

export interface CatalogueView {
  readonly visit: SignedInVisit;
  readonly catalogue: Catalogue;
  readonly file: OrganisationFile;
  readonly version: number;
  readonly now: Date;
}

/** The fields that a list shows besides the name. */
const listed: Readonly<Record<Section, readonly string[]>> = {
  customers: ["carrierIds", "rateCardIds"],
  carriers: ["mandatoryCustomFields"],
  services: ["carrierId", "type", "class"],
  zoneMaps: ["zones"],
  rateCards: ["serviceId", "zoneMapId", "lanes"],
  customFields: [],
};

export const EntryLink = ({ visit, section, id, label }: { visit: SignedInVisit; section: Section; id: string; label?: string }) => (
  <a href={visit.links.to(entryPath(section, id))}>{label ?? id}</a>
);

const mostLinks = 5;

/** Several things as links; the rest of a long list as a number. */
export function EntryLinks({ of: { visit, file }, section, ids }: { of: CatalogueView; section: Section; ids: readonly string[] }) {
  if (ids.length === 0) return <span class="muted">None</span>;
  const named = new Map<string, Entry>(file[section].map((entry) => [idOf(entry), entry]));
  return (
    <span>
      {ids.slice(0, mostLinks).map((id, index) => (
        <>
          {index === 0 ? "" : ", "}
          <EntryLink visit={visit} section={section} id={id} label={nameIn(named, id)} />
        </>
      ))}
      {ids.length > mostLinks ? ` and ${ids.length - mostLinks} more` : ""}
    </span>
  );
}

/** A value of the catalogue, for files and for what a page shows without links. */
function plainValue({ file }: CatalogueView, { kind, refers, ...field }: CatalogueField, value: unknown): Value {
  if (refers) {
    const named = new Map<string, Entry>(file[refers].map((entry) => [idOf(entry), entry]));
    return [value ?? []]
      .flat()
      .map((id) => nameIn(named, String(id)))
      .join(", ");
  }
  if (kind === "list") return (value as readonly unknown[]).length;
  if (kind === "texts") return ((value ?? []) as readonly string[]).join(", ");
  if (value === undefined || value === null || value === "") return null;
  return kind === "day" ? { day: String(value) } : capitalised(valueInWords({ ...field, kind }, value));
}

/** The same as lists and facts show it. */
export function cellOf(of: CatalogueView, field: CatalogueField, value: unknown): Child {
  if (field.refers) return <EntryLinks of={of} section={field.refers} ids={[value ?? []].flat() as string[]} />;
  if (field.kind === "texts") return <Texts texts={value as readonly string[] | undefined} />;
  return inWords(plainValue(of, field, value), "UTC") || <span class="muted">{field.kind === "day" ? "No end" : "None"}</span>;
}

const shownTexts = 12;

function Texts({ texts = [] }: { texts?: readonly string[] | undefined }) {
  if (texts.length === 0) return <span class="muted">The rest of the country</span>;
  if (texts.length <= shownTexts) return <span>{texts.join(", ")}</span>;
  return (
    <details class="postcodes">
      <summary>
        {texts.slice(0, 3).join(", ")} and {texts.length - 3} more
      </summary>
      {texts.join(", ")}
    </details>
  );
}

export const columnOf = (of: CatalogueView, field: CatalogueField): Column<object> => {
  const inEntry = (entry: object) => (entry as Record<string, unknown>)[field.key];
  return {
    ...{ key: field.key, heading: field.label, number: field.kind === "list", value: (entry) => plainValue(of, field, inEntry(entry)) },
    cell: (entry) => cellOf(of, field, inEntry(entry)),
  };
};

/** Whether a card prices consignments today. */
export function stateOfCard({ validFrom, validTo, spot }: RateCard, today: string, now: Date): { label: string; badge: string } {
  if (validFrom > today) return { label: "Not valid yet", badge: "busy" };
  const hasEnded = (validTo !== null && validTo < today) || (spot !== null && Date.parse(spot.expiresAt) <= now.getTime());
  if (hasEnded) return { label: "Ended", badge: "" };
  return spot ? { label: "Valid, spot rate", badge: "good" } : { label: "Valid", badge: "good" };
}

export const Validity = ({ of: { catalogue, now }, card }: { of: CatalogueView; card: RateCard }) => (
  <span class="endpoint-state">
    {daysInWords(card)} <Badge state={stateOfCard(card, catalogue.today(now), now)} />
  </span>
);

export function entryColumns(of: CatalogueView, section: Section): readonly Column<Entry>[] {
  const { visit, file } = of;
  const users = usesOf(file, section);
  const validity: Column<Entry> = {
    ...{ key: "validity", heading: "Validity", value: (card) => daysInWords(card as RateCard) },
    cell: (card) => <Validity of={of} card={card as RateCard} />,
  };
  const usedBy: Column<Entry> = { key: "usedBy", heading: "Used by", value: (entry) => usesInWords(users(idOf(entry)), 0) };
  return [
    {
      ...{ key: "name", heading: capitalised(sectionNames[section].noun), names: true, value: nameOfEntry },
      cell: (entry) => (
        <span class="named">
          <EntryLink visit={visit} section={section} id={idOf(entry)} label={nameOfEntry(entry)} />{" "}
          {nameOfEntry(entry) === idOf(entry) ? null : <span class="muted customer-id">{idOf(entry)}</span>}
        </span>
      ),
    },
    ...fieldsOfSection(section)
      .filter(({ key }) => listed[section].includes(key))
      .map((field) => columnOf(of, field) as Column<Entry>),
    ...(section === "rateCards" ? [validity] : []),
    ...(section === "customers" ? [] : [usedBy]),
    { key: "id", heading: "Id", value: idOf, onlyInFiles: true },
  ];
}

/** What a search looks at: the ids and names of an entry and of what it refers to. */
export function searchTextOf(file: OrganisationFile, section: Section): (entry: Entry) => string {
  const referring = fieldsOfSection(section).flatMap(({ key, refers }) => {
    if (!refers || section === "customers") return []; // thousands of customers share a carrier: its name would find them all
    return [{ key, names: new Map<string, Entry>(file[refers].map((each) => [idOf(each), each])) }];
  });
  return (entry) => {
    const values = entry as unknown as Record<string, string | string[]>;
    const others = referring.flatMap(({ key, names }) => [values[key] ?? []].flat().map((id) => nameIn(names, id)));
    const zones = "zones" in entry ? entry.zones.map(({ zone }) => zone) : [];
    return [idOf(entry), nameOfEntry(entry), ...others, ...zones].join(" ");
  };
}

function nameIn(names: ReadonlyMap<string, Entry>, id: string): string {
  const entry = names.get(id);
  return entry ? nameOfEntry(entry) : id;
}

const daysInWords = ({ validFrom, validTo }: Pick<RateCard, "validFrom" | "validTo">): string =>
  validTo === null ? `From ${dayInWords(validFrom)}` : `${dayInWords(validFrom)} to ${dayInWords(validTo)}`;
