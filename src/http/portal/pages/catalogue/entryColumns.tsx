// The columns and cells of the catalogue's lists, derived from the fields of the schema.
import { type CatalogueField, fieldsOfSection, valueInWords } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile, RateCard, Section } from "../../../../domain/catalogue/schema.js";
import { entryId, usesInWords, usesOf } from "../../../../domain/catalogue/uses.js";
import { cellText, dayInWords, type Value } from "../../shell/formats.js";
import { Badge, Link, type State, Time, withCommas } from "../../shell/parts.js";
import { type Column, column } from "../../shell/table.js";
import type { PresentCatalogue } from "../customers.js";
import { capitalised, type Entry, entryPath, nameOfEntry, sectionNames } from "./cataloguePaths.js";

/** The fields that each section's list shows besides the name. */
const listedFields: Readonly<Record<Section, readonly string[]>> = {
  customers: ["carrierIds", "rateCardIds"],
  carriers: ["mandatoryCustomFields"],
  services: ["carrierId", "type", "class"],
  zoneMaps: ["zones"],
  rateCards: ["serviceId", "zoneMapId", "lanes"],
  customFields: [],
};

/** Looks up an entry's name by its id. Returns the id if the section has no such entry. */
function entryNames(file: OrganisationFile, section: Section): (id: unknown) => string {
  const names = new Map(file[section].map((entry) => [entryId(entry), nameOfEntry(entry)]));
  return (id) => names.get(String(id)) ?? String(id);
}

const maxLinks = 5;

/** Links to entries. Of a long list it shows the first, and the number of the others. */
export function EntryLinks({ view: { file }, section, ids }: { view: PresentCatalogue; section: Section; ids: readonly string[] }) {
  const nameOf = entryNames(file, section);
  if (ids.length === 0) return <span class="muted">None</span>;
  return (
    <span>
      {withCommas(ids.slice(0, maxLinks).map((id) => <Link to={entryPath(section, id)}>{nameOf(id)}</Link>))}
      {ids.length > maxLinks ? ` and ${ids.length - maxLinks} more` : ""}
    </span>
  );
}

const maxShownTexts = 12;

function Texts({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return <span class="muted">The rest of the country</span>;
  if (texts.length <= maxShownTexts) return <span>{texts.join(", ")}</span>;
  return (
    <details class="postcodes">
      <summary>
        {texts.slice(0, 3).join(", ")} and {texts.length - 3} more
      </summary>
      {texts.join(", ")}
    </details>
  );
}

/** The column of a field, for lists, facts, files and the search. */
export function columnOf(view: PresentCatalogue, field: CatalogueField) {
  const { key, kind, label: heading, refersTo } = field;
  const valueIn = (entry: object) => (entry as Readonly<Record<string, unknown>>)[key];
  const textsIn = (entry: object) => [valueIn(entry) ?? []].flat() as string[];
  const nameOf = refersTo && entryNames(view.file, refersTo);
  const value = (entry: object): Exclude<Value, Date> => {
    if (nameOf || kind === "texts")
      return textsIn(entry)
        .map(nameOf ?? String)
        .join(", ");
    const fieldValue = valueIn(entry);
    if (kind === "list") return (fieldValue as readonly unknown[]).length;
    if (fieldValue === undefined || fieldValue === null || fieldValue === "") return null;
    return kind === "day" ? { day: String(fieldValue) } : capitalised(valueInWords(field, fieldValue));
  };
  const cell = (entry: object) => {
    if (refersTo) return <EntryLinks view={view} section={refersTo} ids={textsIn(entry)} />;
    if (kind === "texts") return <Texts texts={textsIn(entry)} />;
    return cellText(value(entry)) || <span class="muted">{kind === "day" ? "No end" : "None"}</span>;
  };
  return { key, heading, number: kind === "list", value, cell };
}

/** Whether a rate card prices consignments today. */
function stateOfCard({ validFrom, validTo, spot }: RateCard, today: string, now: Date): State {
  if (validFrom > today) return { label: "Not valid yet", badge: "busy" };
  const hasEnded = (validTo !== null && validTo < today) || (spot !== null && Date.parse(spot.expiresAt) <= now.getTime());
  if (hasEnded) return { label: "Ended", badge: "" };
  return spot ? { label: "Valid, spot rate", badge: "good" } : { label: "Valid", badge: "good" };
}

const daysInWords = ({ validFrom, validTo }: RateCard): string =>
  validTo === null ? `From ${dayInWords(validFrom)}` : `${dayInWords(validFrom)} to ${dayInWords(validTo)}`;

export const Validity = ({ view: { catalogue, now }, card }: { view: PresentCatalogue; card: RateCard }) => (
  <span class="endpoint-state">
    {daysInWords(card)} <Badge state={stateOfCard(card, catalogue.today(now), now)} />
  </span>
);

export const SpotRate = ({ spot: { expiresAt, message } }: { spot: NonNullable<RateCard["spot"]> }) => (
  <span>
    Until <Time at={new Date(expiresAt)} />
    {message === "" ? "" : `: ${message}`}
  </span>
);

export function entryColumns(view: PresentCatalogue, section: Section): readonly Column<Entry>[] {
  const { file } = view;
  const users = usesOf(file, section);
  const validity: Column<Entry> = column("validity", "Validity", (card) => daysInWords(card as RateCard), {
    cell: (card) => <Validity view={view} card={card as RateCard} />,
  });
  const usedBy: Column<Entry> = column("usedBy", "Used by", (entry) => usesInWords(users(entryId(entry)), 0));
  return [
    column("name", capitalised(sectionNames[section].noun), nameOfEntry, {
      names: true,
      cell: (entry) => (
        <span class="named">
          <Link to={entryPath(section, entryId(entry))}>{nameOfEntry(entry)}</Link>{" "}
          {nameOfEntry(entry) === entryId(entry) ? null : <span class="muted customer-id">{entryId(entry)}</span>}
        </span>
      ),
    }),
    ...fieldsOfSection(section)
      .filter(({ key }) => listedFields[section].includes(key))
      .map((field) => columnOf(view, field) as Column<Entry>),
    ...(section === "rateCards" ? [validity] : []),
    ...(section === "customers" ? [] : [usedBy]),
    column("id", "Id", entryId, { onlyInFiles: true }),
  ];
}
