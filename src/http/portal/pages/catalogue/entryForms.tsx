// The forms that add, change and remove: entries of the catalogue, the zones of a map, the surcharges of a card, and the organisation itself.
import { type CatalogueField, fieldsOfSection } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile, Section } from "../../../../domain/catalogue/schema.js";
import { idOf, type Uses, usesInWords, usesOf, usesOfZone } from "../../../../domain/catalogue/uses.js";
import { Rejection } from "../../../../domain/rejection.js";
import { numberIn } from "../../fields.js";
import type { FormDefinition, SignedInVisit, Subject } from "../../pageDefinition.js";
import { Tick } from "../../shell/form.js";
import { judgeAgainPath } from "../corrections/unknownCustomers.js";
import * as paths from "./cataloguePaths.js";
import { entryPages } from "./entryPage.js";
import { FormBody, readInputs, type Values } from "./formFields.js";
import { catalogueForm, type Edit, editForm } from "./waitingChange.js";

/** Where something stands in the file: `["zoneMaps", 0, "zones", 2]`. */
type Place = readonly (string | number)[];

const valueAt = (whole: unknown, [first, ...rest]: Place): unknown =>
  first === undefined ? whole : valueAt((whole as Values)[first], rest);

/** The same with another value there; `undefined` takes an entry out of its list. */
export function putAt<Whole>(whole: Whole, [first, ...rest]: Place, value: unknown): Whole {
  if (first === undefined) return value as Whole;
  const changed = putAt((whole as Values)[first], rest, value);
  if (!Array.isArray(whole)) return { ...whole, [first]: changed };
  return whole.toSpliced(Number(first), 1, ...(changed === undefined ? [] : [changed])) as Whole;
}

/** An id is not changed later. Lists have pages of their own; only the form that adds an entry asks for the first item of a list that must have one. */
const fieldsToChange = (section: Section | "organisation") =>
  fieldsOfSection(section).filter(({ key, kind }) => kind !== "list" && key !== "id" && key !== "key");
const fieldsToAdd = (section: Section) =>
  fieldsOfSection(section).filter(({ kind, whenEmpty }) => kind !== "list" || whenEmpty === "required");

/** What the form at a path adds or changes. */
interface FormSubject {
  /** Of a new entry: the place behind the last of its list. */
  readonly place: Place;
  /** Of the page, and of the form on it. */
  readonly title: string;
  readonly caption: string;
  readonly about: string;
  /** The page to go to from it. */
  readonly back: string;
  /** Where the form may also remove it. */
  readonly removal?: { readonly noun: string; readonly name: string; readonly uses: readonly Uses[] };
}

interface EntryForm {
  readonly path: string;
  readonly fields: readonly CatalogueField[];
  readonly subjectIn: (visit: SignedInVisit, file: OrganisationFile) => FormSubject;
  /** Only where something is added: the form's first values, and the text and the page after it. */
  readonly firstValues?: (visit: SignedInVisit) => Values;
  readonly afterAdding?: (added: Values, file: OrganisationFile, back: string) => Pick<Edit, "about" | "goTo">;
}

/** A fault begins with the label of its field, or says that the id is taken. */
const fieldFaults = (fields: readonly CatalogueField[]) =>
  Object.fromEntries(
    fields
      .filter(({ kind }) => kind !== "group" && kind !== "list" && kind !== "flag")
      .map(({ key, label }) => {
        const beginnings = [" ", ",", ":"].map((end) => label + end).concat(key === "id" || key === "key" ? "There is a " : []);
        return [key, { test: (fault: string) => beginnings.some((beginning) => fault.startsWith(beginning)) }];
      }),
  );

const entryForm = ({ path, fields, subjectIn, firstValues, afterAdding }: EntryForm) =>
  catalogueForm({
    path,
    faults: fieldFaults(fields),
    title: (visit, file) => subjectIn(visit, file).title,
    body: (visit, view) => {
      const { place, caption, back, removal } = subjectIn(visit, view.file);
      const values = (valueAt(view.file, place) ?? firstValues?.(visit)) as Values | undefined;
      const hidden = { back: visit.submitted.get("back") || visit.query["back"] };
      return (
        <FormBody {...{ view, fields, values, back, hidden }} title={caption}>
          {removal ? <Tick label={`Remove this ${removal.noun}`} name="remove" value="on" /> : null}
        </FormBody>
      );
    },
    edit: (sent, file, visit) => {
      const { place, about, back, removal } = subjectIn(visit, file);
      if (removal && sent.get("remove") !== "") {
        refuseUsed(removal.name, removal.uses);
        return { file: putAt(file, place, undefined), goTo: back, about };
      }
      const value = readInputs(fields, sent, (valueAt(file, place) ?? {}) as Values);
      return { file: putAt(file, place, value), goTo: back, about, own: place.join("."), ...afterAdding?.(value, file, sent.get("back")) };
    },
  });

/** What is still used cannot be removed. */
function refuseUsed(name: string, uses: readonly Uses[]): void {
  if (uses.length > 0) throw new Rejection("invalid", `${paths.capitalised(name)} is used by ${usesInWords(uses)}. Change those first`);
}

const addForm = (section: Section) => {
  const { noun } = paths.sectionNames[section];
  const fields = fieldsToAdd(section);
  return entryForm({
    path: paths.addPath(section),
    fields,
    subjectIn: (_, file) => ({
      place: [section, file[section].length],
      title: `Add ${noun}`,
      caption: `New ${noun}`,
      about: noun,
      back: paths.listPath(section),
    }),
    firstValues: ({ query }) => Object.fromEntries(fields.map(({ key }) => [key, query[key]?.trim().slice(0, 64)])),
    afterAdding: (added, file, back) => {
      const id = idOf(added as unknown as paths.Entry);
      // Without this the fault would name the other entry by its place in the file.
      if (file[section].some((known) => idOf(known) === id)) throw new Rejection("invalid", `There is a ${noun} ${id} already`);
      return { about: `${noun} ${id}`, goTo: back === "judge-again" ? judgeAgainPath : paths.entryPath(section, id) };
    },
  });
};

function entryIn(section: Section, visit: SignedInVisit, file: OrganisationFile) {
  const entry: paths.Entry = paths.requireEntry(visit, file, section);
  const id = idOf(entry);
  const place: Place = [section, (file[section] as readonly paths.Entry[]).indexOf(entry)];
  return { entry, id, place, about: `${paths.sectionNames[section].noun} ${id}`, back: paths.entryPath(section, id) };
}

const changeForm = (section: Section) =>
  entryForm({
    path: `${paths.entryRoute(section)}/change`,
    fields: fieldsToChange(section),
    subjectIn: (visit, file) => {
      const { entry, about, back, place } = entryIn(section, visit, file);
      return { place, about, back, title: `Change ${paths.nameOfEntry(entry)}`, caption: paths.capitalised(about) };
    },
  });

const removeForm = (section: Section): FormDefinition =>
  editForm(entryPages[section], "/remove", (_, file, visit) => {
    const { id, place, about } = entryIn(section, visit, file);
    refuseUsed(about, usesOf(file, section)(id));
    return { file: putAt(file, place, undefined), goTo: paths.listPath(section), about };
  });

/** A zone of a map, a surcharge of a card: a form that adds one, and one that changes or removes one. */
function partForms(list: paths.PartList) {
  const { section, noun } = paths.partLists[list];
  const fields = fieldsOfSection(section).find(({ key }) => key === list)?.fields ?? [];
  const add = entryForm({
    path: paths.partRoute(list, "new"),
    fields,
    subjectIn: (visit, file) => {
      const { id, place, about, back } = entryIn(section, visit, file);
      const entries = valueAt(file, [...place, list]) as readonly unknown[];
      return { place: [...place, list, entries.length], about, back, title: `Add ${noun}`, caption: `New ${noun} of ${id}` };
    },
  });
  const change = entryForm({
    path: paths.partRoute(list, "{place}"),
    fields,
    subjectIn: (visit, file) => {
      const { id, place, about, back } = entryIn(section, visit, file);
      const entries = valueAt(file, [...place, list]) as readonly Values[];
      const index = (numberIn(visit.params["place"]) ?? 0) - 1;
      const entry = entries[index];
      if (!entry) throw new Rejection("notFound", `There is no such ${noun} in the catalogue`);
      const name = String(entry["name"] ?? entry["zone"]);
      const isLastOfZone = list === "zones" && entries.filter(({ zone }) => zone === entry["zone"]).length === 1;
      return {
        place: [...place, list, index],
        about,
        back,
        title: `Change ${name}`,
        caption: `${paths.capitalised(noun)} of ${id}`,
        removal: { noun, name: `${noun} ${name}`, uses: isLastOfZone ? usesOfZone(file, id, name) : [] },
      };
    },
  });
  return [add, change];
}

const organisationForm = entryForm({
  path: paths.organisationPath,
  fields: fieldsToChange("organisation"),
  subjectIn: (_, { organisation }) => ({
    place: ["organisation"],
    title: "Organisation",
    caption: `Organisation ${organisation.id}`,
    about: "organisation",
    back: paths.cataloguePath,
  }),
});

const all = [
  organisationForm,
  ...paths.tabOrder.flatMap((section) => [addForm(section), changeForm(section)]),
  ...(Object.keys(paths.partLists) as paths.PartList[]).flatMap(partForms),
];

export const entryForms: Subject = {
  pages: all.map(({ page }) => page),
  forms: [...all.map(({ form }) => form), ...paths.tabOrder.map(removeForm)],
};
