// The columns and cells of the catalogue's lists, derived from the fields of the schema.
import { type CatalogueField, fieldsOfSection, valueInWords } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile, RateCard, Section } from "../../../../domain/catalogue/schema.js";
import { entryId, usesInWords, usesOf } from "../../../../domain/catalogue/uses.js";
import { dayInWords, displayText, type Value } from "../../shell/formats.js";
import { Badge, Link, type State, Time, withCommas } from "../../shell/markup.js";
import { type Column, column } from "../../shell/table.js";
import type { CurrentCatalogue } from "../customers.js";
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

/** Returns a function that gives an entry's name for its id, or the id itself if the section has no such entry. */
function entryNames(file: OrganisationFile, section: Section): (id: unknown) => string {
  const names = new Map(file[section].map((entry) => [entryId(entry), nameOfEntry(entry)]));
  return (id) => names.get(String(id)) ?? String(id);
}

const maxLinks = 5;

/** Links to entries. Of a long list only the first are links, followed by the number of the others. */
export function EntryLinks({ view: { file }, section, ids }: { view: CurrentCatalogue; section: Section; ids: readonly string[] }) {
  const nameOf = entryNames(file, section);
  if (ids.length === 0) return <span class="muted">None</span>;
  return (
    <span>
      {withCommas(ids.slice(0, maxLinks).map((id) => <Link to={entryPath(section, id)}>{nameOf(id)}</Link>))}
      {ids.length > maxLinks ? ` and ${ids.length - maxLinks} more` : ""}
    </span>
  );
}

const maxShownPostcodes = 12;

function Postcodes({ postcodes }: { postcodes: readonly string[] }) {
  if (postcodes.length === 0) return <span class="muted">The rest of the country</span>;
  if (postcodes.length <= maxShownPostcodes) return <span>{postcodes.join(", ")}</span>;
  return (
    <details class="postcodes">
      <summary>
        {postcodes.slice(0, 3).join(", ")} and {postcodes.length - 3} more
      </summary>
      {postcodes.join(", ")}
    </details>
  );
}

/** The column of a field, whose `value` and `cell` are also used outside of tables: for the search and for facts. */
export function columnOf(view: CurrentCatalogue, field: CatalogueField) {
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
    if (kind === "texts") return <Postcodes postcodes={textsIn(entry)} />; // of a zone
    return displayText(value(entry)) || <span class="muted">{kind === "day" ? "No end" : "None"}</span>;
  };
  return { key, heading, number: kind === "list", value, cell };
}

/** A badge for whether a rate card prices consignments today. */
function stateOfCard({ validFrom, validTo, spot }: RateCard, today: string, now: Date): State {
  if (validFrom > today) return { label: "Not valid yet", badge: "busy" };
  const hasEnded = (validTo !== null && validTo < today) || (spot !== null && Date.parse(spot.expiresAt) <= now.getTime());
  if (hasEnded) return { label: "Ended", badge: "" };
  return spot ? { label: "Valid, spot rate", badge: "good" } : { label: "Valid", badge: "good" };
}

const daysInWords = ({ validFrom, validTo }: RateCard): string =>
  validTo === null ? `From ${dayInWords(validFrom)}` : `${dayInWords(validFrom)} to ${dayInWords(validTo)}`;

export const Validity = ({ view: { catalogue, now }, card }: { view: CurrentCatalogue; card: RateCard }) => (
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

export function entryColumns(view: CurrentCatalogue, section: Section): readonly Column<Entry>[] {
  const { file } = view;
  const findUses = usesOf(file, section);
  const validity: Column<Entry> = column("validity", "Validity", (card) => daysInWords(card as RateCard), {
    cell: (card) => <Validity view={view} card={card as RateCard} />,
  });
  const usedBy: Column<Entry> = column("usedBy", "Used by", (entry) => usesInWords(findUses(entryId(entry)), 0));
  return [
    column("name", capitalised(sectionNames[section].noun), nameOfEntry, {
      isRowHeader: true,
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
