// What the pages of the catalogue share: addresses, links to things, and lists in pages.
import type { Child } from "hono/jsx";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { SignedInVisit } from "../../page.js";
import { Pager } from "../../shell/panel.js";

export const cataloguePath = "/portal/catalogue";
export const versionsPath = `${cataloguePath}/versions`;
export const changesPath = `${cataloguePath}/changes`;
export const uploadPath = `${cataloguePath}/upload`;
export const downloadRoute = `${cataloguePath}/organisation.json`;

/** The organisation file of a version, as `org apply` takes it. */
export const downloadPath = (version: number): string => `${downloadRoute}?version=${version}`;

const things = {
  customers: { folder: "customers", parameter: "customerId", noun: "customer" },
  carriers: { folder: "carriers", parameter: "carrierId", noun: "carrier" },
  services: { folder: "services", parameter: "serviceId", noun: "service" },
  zoneMaps: { folder: "zone-maps", parameter: "zoneMapId", noun: "zone map" },
  rateCards: { folder: "rate-cards", parameter: "rateCardId", noun: "rate card" },
  customFields: { folder: "custom-fields", parameter: "fieldKey", noun: "custom field" },
} as const;

export type Section = keyof typeof things;
type EntryOf<S extends Section> = OrganisationFile[S][number];

/** The pattern of the addresses of such things. */
export const thingRoute = (section: Section): string => `${cataloguePath}/${things[section].folder}/{${things[section].parameter}}`;

const addingName = "new";
export const addPath = (section: Section): string => `${cataloguePath}/${things[section].folder}/${addingName}`;

/** Ids hold any character. A browser takes `.` and `..` for folders, and `new` is the form that adds: these ids have a sign before them. */
const needsSign = (id: string): boolean => [".", "..", addingName].includes(id) || id.startsWith("~");

export const thingPath = (section: Section, id: string): string =>
  `${cataloguePath}/${things[section].folder}/${needsSign(id) ? "~" : ""}${encodeURIComponent(id.toWellFormed())}`;

/** The addresses of the forms that change a thing. */
export const changeRoutes = {
  customers: `${thingRoute("customers")}/change`,
  customFields: `${thingRoute("customFields")}/change`,
  validity: `${thingRoute("rateCards")}/validity`,
} as const;
export const changePath = (section: Section, id: string): string => `${thingPath(section, id)}/change`;
export const validityPath = (id: string): string => `${thingPath("rateCards", id)}/validity`;

export const idOf = (entry: { readonly id: string } | { readonly key: string }): string => ("key" in entry ? entry.key : entry.id);

export const Thing = ({ visit, section, id, label }: { visit: SignedInVisit; section: Section; id: string; label?: string }) => (
  <a href={visit.links.to(thingPath(section, id))}>{label ?? id}</a>
);

/** A link with the thing's name, and its id. */
export const NamedThing = ({ visit, section, id, name }: { visit: SignedInVisit; section: Section; id: string; name: string }) => (
  <span class="named">
    <Thing visit={visit} section={section} id={id} label={name} /> <span class="muted customer-id">{id}</span>
  </span>
);

/** Several things as links, with commas between them; the rest of a long list as a number. */
export function Things({ visit, section, of }: { visit: SignedInVisit; section: Section; of: readonly { id: string; label: string }[] }) {
  const most = 5;
  if (of.length === 0) return <span class="muted">None</span>;
  return (
    <span>
      {of.slice(0, most).map(({ id, label }, index) => (
        <>
          {index === 0 ? "" : ", "}
          <Thing visit={visit} section={section} id={id} label={label} />
        </>
      ))}
      {of.length > most ? ` and ${of.length - most} more` : ""}
    </span>
  );
}

/** The thing that the address names. Another organisation's is not there. */
export function requireThing<S extends Section>({ params }: SignedInVisit, file: OrganisationFile, section: S): EntryOf<S> {
  const { parameter, noun } = things[section];
  const id = (params[parameter] ?? "").replace(/^~/, "");
  const entries = file[section] as readonly EntryOf<S>[];
  const found = entries.find((entry) => idOf(entry) === id);
  if (!found) throw new Rejection("notFound", `There is no such ${noun} in the catalogue`);
  return found;
}

export const rowsPerPage = 50;
const longestSearch = 100;

/** What was typed into the search of a page. */
export const searchIn = ({ query }: SignedInVisit, name = "search"): string => query[name]?.trim().slice(0, longestSearch) ?? "";

/** Whether every word of the search stands in the text, in any letter case. */
export function matches(search: string, text: string): boolean {
  const within = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}

export interface Part<Row> {
  readonly rows: readonly Row[];
  readonly pager: Child;
}

/** A page of a list that is in memory; the address says at which place it begins. */
export function partOf<Row>(
  visit: SignedInVisit,
  all: readonly Row[],
  of: string,
  address: (from: string | undefined) => string,
  name = "from",
): Part<Row> {
  const given = visit.query[name] ?? "";
  const from = /^\d{1,7}$/.test(given) ? Number(given) : 0;
  const next = from + rowsPerPage;
  return {
    rows: all.slice(from, next),
    pager: (
      <Pager
        of={of}
        cursor={from === 0 ? undefined : String(from)}
        nextCursor={next < all.length ? String(next) : null}
        address={(cursor) => visit.links.to(address(cursor))}
      />
    ),
  };
}

/** The line under the heading of a thing's page: back to its list, and its id. */
export const UnderThing = ({ visit, list, label, id }: { visit: SignedInVisit; list: string; label: string; id?: string }) => (
  <p class="under-heading">
    <a href={visit.links.to(cataloguePath, { list })}>{label}</a>
    {id === undefined ? null : (
      <span class="muted">
        Id <code>{id}</code>
      </span>
    )}
  </p>
);

const dayFormat = new Intl.DateTimeFormat("en-AU", { timeZone: "UTC", dateStyle: "medium" });

/** `2026-01-31` as `31 Jan 2026`. */
export const dayInWords = (day: string): string => dayFormat.format(new Date(`${day}T00:00:00Z`));

export const daysInWords = ({ validFrom, validTo }: { validFrom: string; validTo: string | null }): string =>
  validTo === null ? `From ${dayInWords(validFrom)}` : `${dayInWords(validFrom)} to ${dayInWords(validTo)}`;
