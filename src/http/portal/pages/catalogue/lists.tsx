// The lists of the catalogue: what their rows are, what a search looks at, and their columns.
import type { Catalogue } from "../../../../domain/catalogue/catalogue.js";
import type { OrganisationFile, RateCard } from "../../../../domain/catalogue/schema.js";
import type { SignedInVisit } from "../../page.js";
import { Badge } from "../../shell/panel.js";
import type { Column } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import { daysInWords, NamedThing, Thing, Things } from "./parts.js";

export interface OfCatalogue {
  readonly visit: SignedInVisit;
  readonly catalogue: Catalogue;
  readonly file: OrganisationFile;
  readonly now: Date;
}

export interface CatalogueList<Row> {
  readonly key: string;
  readonly label: string;
  /** What its pages are pages of. */
  readonly of: string;
  readonly rows: (file: OrganisationFile) => readonly Row[];
  /** What a search looks at. */
  readonly text: (row: Row, file: OrganisationFile) => string;
  readonly columns: (of: OfCatalogue, shown: readonly Row[]) => readonly Column<Row>[];
}

/** How often each id is named. */
function usesOf(named: Iterable<readonly string[]>): (id: string) => number {
  const uses = new Map<string, number>();
  for (const ids of named) for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + 1);
  return (id) => uses.get(id) ?? 0;
}

type Entry<S extends "customers" | "carriers" | "zoneMaps" | "rateCards" | "customFields"> = OrganisationFile[S][number];

const customers: CatalogueList<Entry<"customers">> = {
  key: "customers",
  label: "Customers",
  of: "customers",
  rows: (file) => file.customers,
  text: ({ id, name }) => `${id} ${name}`,
  columns: ({ visit, file }) => {
    const names = new Map(file.carriers.map(({ id, name }) => [id, name]));
    return [
      {
        heading: "Customer",
        names: true,
        cell: ({ id, name }) => <NamedThing visit={visit} section="customers" id={id} name={name} />,
      },
      {
        heading: "Carriers",
        cell: ({ carrierIds }) => (
          <Things visit={visit} section="carriers" of={carrierIds.map((id) => ({ id, label: names.get(id) ?? id }))} />
        ),
      },
      { heading: "Rate cards", number: true, cell: ({ rateCardIds }) => <Amount value={rateCardIds.length} /> },
    ];
  },
};

const carriers: CatalogueList<Entry<"carriers">> = {
  key: "carriers",
  label: "Carriers and services",
  of: "carriers",
  rows: (file) => file.carriers,
  text: ({ id, name }, file) =>
    [id, name, ...file.services.filter(({ carrierId }) => carrierId === id).flatMap((service) => [service.id, service.name])].join(" "),
  columns: ({ visit, file }) => {
    const customersOf = usesOf(file.customers.map(({ carrierIds }) => carrierIds));
    return [
      {
        heading: "Carrier",
        names: true,
        cell: ({ id, name }) => <NamedThing visit={visit} section="carriers" id={id} name={name} />,
      },
      {
        heading: "Services",
        cell: (carrier) => {
          const own = file.services.filter(({ carrierId }) => carrierId === carrier.id);
          return <Things visit={visit} section="services" of={own.map(({ id, name }) => ({ id, label: name }))} />;
        },
      },
      { heading: "Customers", number: true, cell: ({ id }) => <Amount value={customersOf(id)} /> },
    ];
  },
};

const zoneMaps: CatalogueList<Entry<"zoneMaps">> = {
  key: "zone-maps",
  label: "Zone maps",
  of: "zone maps",
  rows: (file) => file.zoneMaps,
  text: ({ id, zones }) => [id, ...zones.map(({ zone }) => zone)].join(" "),
  columns: ({ visit, file }) => {
    const cardsOf = usesOf(file.rateCards.map(({ zoneMapId }) => [zoneMapId]));
    return [
      { heading: "Zone map", names: true, cell: ({ id }) => <Thing visit={visit} section="zoneMaps" id={id} /> },
      { heading: "Countries", cell: ({ zones }) => [...new Set(zones.map(({ country }) => country))].join(", ") },
      { heading: "Zones", number: true, cell: ({ zones }) => <Amount value={zones.length} /> },
      { heading: "Rate cards", number: true, cell: ({ id }) => <Amount value={cardsOf(id)} /> },
    ];
  },
};

/** Whether a card prices consignments today. */
export function stateOfCard({ validFrom, validTo, spot }: RateCard, today: string, now: Date): { label: string; badge: string } {
  if (validFrom > today) return { label: "Not valid yet", badge: "busy" };
  const hasEnded = (validTo !== null && validTo < today) || (spot !== null && Date.parse(spot.expiresAt) <= now.getTime());
  if (hasEnded) return { label: "Ended", badge: "" };
  return spot ? { label: "Valid, spot rate", badge: "good" } : { label: "Valid", badge: "good" };
}

const rateCards: CatalogueList<Entry<"rateCards">> = {
  key: "rate-cards",
  label: "Rate cards",
  of: "rate cards",
  rows: (file) => file.rateCards,
  text: ({ id, name, serviceId }, file) => `${id} ${name} ${file.services.find((service) => service.id === serviceId)?.name ?? ""}`,
  columns: ({ visit, file, catalogue, now }) => {
    const customersOf = usesOf(file.customers.map(({ rateCardIds }) => rateCardIds));
    const today = catalogue.today(now);
    return [
      {
        heading: "Rate card",
        names: true,
        cell: ({ id, name }) => <NamedThing visit={visit} section="rateCards" id={id} name={name} />,
      },
      {
        heading: "Service",
        cell: ({ serviceId }) => (
          <Thing visit={visit} section="services" id={serviceId} label={catalogue.services.get(serviceId)?.name ?? serviceId} />
        ),
      },
      { heading: "Validity", cell: daysInWords },
      { heading: "State", cell: (card) => <Badge state={stateOfCard(card, today, now)} /> },
      { heading: "Lanes", number: true, cell: ({ lanes }) => <Amount value={lanes.length} /> },
      { heading: "Customers", number: true, cell: ({ id }) => <Amount value={customersOf(id)} /> },
    ];
  },
};

const customFields: CatalogueList<Entry<"customFields">> = {
  key: "custom-fields",
  label: "Custom fields",
  of: "custom fields",
  rows: (file) => file.customFields,
  text: ({ key, label }) => `${key} ${label}`,
  columns: ({ visit, file }) => [
    {
      heading: "Custom field",
      names: true,
      cell: (field) => <NamedThing visit={visit} section="customFields" id={field.key} name={field.label} />,
    },
    {
      heading: "Mandatory for",
      cell: ({ key }) => {
        const demanding = file.carriers.filter(({ mandatoryCustomFields }) => mandatoryCustomFields.includes(key));
        return <Things visit={visit} section="carriers" of={demanding.map(({ id, name }) => ({ id, label: name }))} />;
      },
    },
  ],
};

export const catalogueLists = [customers, carriers, zoneMaps, rateCards, customFields] as const;
