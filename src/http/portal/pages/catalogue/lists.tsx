// The lists of the catalogue and the cells of their columns, made from the fields of the schema.
import type { Child } from "hono/jsx";
import type { Catalogue } from "../../../../domain/catalogue/catalogue.js";
import { type CatalogueField, fieldsOf, valueInWords } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile, RateCard, Section } from "../../../../domain/catalogue/schema.js";
import { idOf, usesInWords, usesOf } from "../../../../domain/catalogue/uses.js";
import type { SignedInVisit } from "../../page.js";
import { Badge } from "../../shell/panel.js";
import type { Column } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import { type Entry, headed, nameOf, thingPath, things } from "./addresses.js";

export interface OfCatalogue {
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

export const Thing = ({ visit, section, id, label }: { visit: SignedInVisit; section: Section; id: string; label?: string }) => (
  <a href={visit.links.to(thingPath(section, id))}>{label ?? id}</a>
);

const mostLinks = 5;

/** Several things as links; the rest of a long list as a number. */
export function Things({ of: { visit, file }, section, ids }: { of: OfCatalogue; section: Section; ids: readonly string[] }) {
  if (ids.length === 0) return <span class="muted">None</span>;
  const named = new Map<string, Entry>(file[section].map((entry) => [idOf(entry), entry]));
  return (
    <span>
      {ids.slice(0, mostLinks).map((id, index) => {
        const entry = named.get(id);
        return (
          <>
            {index === 0 ? "" : ", "}
            <Thing visit={visit} section={section} id={id} label={entry ? nameOf(entry) : id} />
          </>
        );
      })}
      {ids.length > mostLinks ? ` and ${ids.length - mostLinks} more` : ""}
    </span>
  );
}

/** A value of the catalogue, as lists and facts show it. */
export function cellOf(of: OfCatalogue, field: CatalogueField, value: unknown): Child {
  const { kind, refers } = field;
  if (refers) return <Things of={of} section={refers} ids={[value ?? []].flat() as string[]} />;
  if (kind === "list") return <Amount value={(value as readonly unknown[]).length} />;
  if (kind === "day") return typeof value === "string" ? dayInWords(value) : <span class="muted">No end</span>;
  if (kind === "texts") return <Texts texts={value as readonly string[] | undefined} />;
  if (value === undefined || value === null || value === "") return <span class="muted">None</span>;
  return headed(valueInWords(field, value));
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

export const columnOf = (of: OfCatalogue, field: CatalogueField): Column<object> => ({
  heading: field.label,
  number: field.kind === "list",
  cell: (entry) => cellOf(of, field, (entry as Record<string, unknown>)[field.key]),
});

/** Whether a card prices consignments today. */
export function stateOfCard({ validFrom, validTo, spot }: RateCard, today: string, now: Date): { label: string; badge: string } {
  if (validFrom > today) return { label: "Not valid yet", badge: "busy" };
  const hasEnded = (validTo !== null && validTo < today) || (spot !== null && Date.parse(spot.expiresAt) <= now.getTime());
  if (hasEnded) return { label: "Ended", badge: "" };
  return spot ? { label: "Valid, spot rate", badge: "good" } : { label: "Valid", badge: "good" };
}

export const Validity = ({ of: { catalogue, now }, card }: { of: OfCatalogue; card: RateCard }) => (
  <span class="endpoint-state">
    {daysInWords(card)} <Badge state={stateOfCard(card, catalogue.today(now), now)} />
  </span>
);

export function columnsOf(of: OfCatalogue, section: Section): readonly Column<Entry>[] {
  const { visit, file } = of;
  const users = usesOf(file, section);
  const validity: Column<Entry> = { heading: "Validity", cell: (card) => <Validity of={of} card={card as RateCard} /> };
  return [
    {
      heading: headed(things[section].noun),
      names: true,
      cell: (entry) => (
        <span class="named">
          <Thing visit={visit} section={section} id={idOf(entry)} label={nameOf(entry)} />{" "}
          {nameOf(entry) === idOf(entry) ? null : <span class="muted customer-id">{idOf(entry)}</span>}
        </span>
      ),
    },
    ...fieldsOf(section)
      .filter(({ key }) => listed[section].includes(key))
      .map((field) => columnOf(of, field) as Column<Entry>),
    ...(section === "rateCards" ? [validity] : []),
    ...(section === "customers"
      ? []
      : [{ heading: "Used by", cell: (entry: Entry) => usesInWords(users(idOf(entry)), 0) || <span class="muted">Nothing</span> }]),
  ];
}

/** What a search looks at: the ids and names of an entry and of what it refers to. */
export function searchTextOf(file: OrganisationFile, section: Section): (entry: Entry) => string {
  const referring = fieldsOf(section).flatMap(({ key, refers }) => {
    if (!refers || section === "customers") return []; // thousands of customers share a carrier: its name would find them all
    return [{ key, names: new Map<string, Entry>(file[refers].map((each) => [idOf(each), each])) }];
  });
  return (entry) => {
    const values = entry as unknown as Record<string, string | string[]>;
    const others = referring.flatMap(({ key, names }) => [values[key] ?? []].flat().map((id) => nameIn(names, id)));
    const zones = "zones" in entry ? entry.zones.map(({ zone }) => zone) : [];
    return [idOf(entry), nameOf(entry), ...others, ...zones].join(" ");
  };
}

function nameIn(names: ReadonlyMap<string, Entry>, id: string): string {
  const entry = names.get(id);
  return entry ? nameOf(entry) : id;
}

const dayFormat = new Intl.DateTimeFormat("en-AU", { timeZone: "UTC", dateStyle: "medium" });

/** `2026-01-31` as `31 Jan 2026`. */
export const dayInWords = (day: string): string => dayFormat.format(new Date(`${day}T00:00:00Z`));

const daysInWords = ({ validFrom, validTo }: Pick<RateCard, "validFrom" | "validTo">): string =>
  validTo === null ? `From ${dayInWords(validFrom)}` : `${dayInWords(validFrom)} to ${dayInWords(validTo)}`;
