// Forms that add, change and remove catalogue entries, zones of a map and surcharges of a card. Another changes the organisation itself.
import { type CatalogueField, fieldsOfSection } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile, Section } from "../../../../domain/catalogue/schema.js";
import { entryId, type SectionUses, usesInWords, usesOf, usesOfZone } from "../../../../domain/catalogue/uses.js";
import { Rejection } from "../../../../domain/rejection.js";
import { parsePositiveInteger } from "../../fields.js";
import type { FormDefinition, SignedInVisit, Subject } from "../../pageDefinition.js";
import { CheckBox } from "../../shell/form.js";
import { judgeAgainPath } from "../corrections/unknownCustomers.js";
import * as paths from "./cataloguePaths.js";
import { entryPages } from "./entryPage.js";
import { FormBody, readInputs, type Values } from "./formFields.js";
import { catalogueForm, type Edit, editForm } from "./waitingChange.js";

/** The path of a value in the organisation file, such as `["zoneMaps", 0, "zones", 2]`. */
type JsonPath = readonly (string | number)[];

const valueAt = (whole: unknown, [first, ...rest]: JsonPath): unknown =>
  first === undefined ? whole : valueAt((whole as Values)[first], rest);

/** Copies `whole` with another value at the path. `undefined` removes an item from its list. */
export function replaceAt<Whole>(whole: Whole, [first, ...rest]: JsonPath, value: unknown): Whole {
  if (first === undefined) return value as Whole;
  const changed = replaceAt((whole as Values)[first], rest, value);
  if (!Array.isArray(whole)) return { ...whole, [first]: changed };
  return whole.toSpliced(Number(first), 1, ...(changed === undefined ? [] : [changed])) as Whole;
}

/** Omits ids, which never change, and lists, which have their own pages. A form for a new entry asks for a required list's first item. */
const fieldsToChange = (section: Section | "organisation") =>
  fieldsOfSection(section).filter(({ key, kind }) => kind !== "list" && key !== "id" && key !== "key");
const fieldsToAdd = (section: Section) =>
  fieldsOfSection(section).filter(({ kind, whenEmpty }) => kind !== "list" || whenEmpty === "required");

/** What a form adds or changes. `about` names it in the title of the page that asks to apply the change. */
interface FormSubject {
  /** For a new entry, the index after the last one of its list. */
  readonly jsonPath: JsonPath;
  /** `title` is the page's; `caption` is the form's. */
  readonly title: string;
  readonly caption: string;
  readonly about: string;
  /** The page to go to after the form, or when it is cancelled. */
  readonly back: string;
  /** Set if the form can also remove the subject. `uses` are the entries that prevent that. */
  readonly removal?: { readonly noun: string; readonly name: string; readonly uses: readonly SectionUses[] };
}

interface EntryForm {
  readonly path: string;
  readonly fields: readonly CatalogueField[];
  readonly subjectIn: (visit: SignedInVisit, file: OrganisationFile) => FormSubject;
  /** For a form that adds an entry: its initial values, and the subject and the page to go to once it is added. */
  readonly firstValues?: (visit: SignedInVisit) => Values;
  readonly afterAdding?: (added: Values, file: OrganisationFile, back: string) => Pick<Edit, "about" | "goTo">;
}

/** Assigns faults to fields: a fault begins with its field's label, or says that the id is taken. */
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
      const { jsonPath, caption, back, removal } = subjectIn(visit, view.file);
      const values = (valueAt(view.file, jsonPath) ?? firstValues?.(visit)) as Values | undefined;
      const hidden = { back: visit.submitted.get("back") || visit.query["back"] };
      return (
        <FormBody {...{ view, fields, values, back, hidden }} title={caption}>
          {removal ? <CheckBox label={`Remove this ${removal.noun}`} name="remove" value="on" /> : null}
        </FormBody>
      );
    },
    edit: (sent, file, visit) => {
      const { jsonPath, about, back, removal } = subjectIn(visit, file);
      if (removal && sent.get("remove") !== "") {
        requireUnused(removal.name, removal.uses);
        return { file: replaceAt(file, jsonPath, undefined), goTo: back, about };
      }
      const value = readInputs(fields, sent, (valueAt(file, jsonPath) ?? {}) as Values);
      const edit = { file: replaceAt(file, jsonPath, value), goTo: back, about, editedPath: jsonPath.join(".") };
      return { ...edit, ...afterAdding?.(value, file, sent.get("back")) };
    },
  });

function requireUnused(name: string, uses: readonly SectionUses[]): void {
  if (uses.length > 0) throw new Rejection("invalid", `${paths.capitalised(name)} is used by ${usesInWords(uses)}. Change those first`);
}

const addForm = (section: Section) => {
  const { noun } = paths.sectionNames[section];
  const fields = fieldsToAdd(section);
  return entryForm({
    path: paths.addPath(section),
    fields,
    subjectIn: (_, file) => ({
      jsonPath: [section, file[section].length],
      title: `Add ${noun}`,
      caption: `New ${noun}`,
      about: noun,
      back: paths.listPath(section),
    }),
    firstValues: ({ query }) => Object.fromEntries(fields.map(({ key }) => [key, query[key]?.trim().slice(0, 64)])),
    afterAdding: (added, file, back) => {
      const id = entryId(added as unknown as paths.Entry);
      // Without this check, the schema's fault would name the other entry by its index in the file.
      if (file[section].some((known) => entryId(known) === id)) throw new Rejection("invalid", `There is a ${noun} ${id} already`);
      return { about: `${noun} ${id}`, goTo: back === "judge-again" ? judgeAgainPath : paths.entryPath(section, id) };
    },
  });
};

function entryIn(section: Section, visit: SignedInVisit, file: OrganisationFile) {
  const entry: paths.Entry = paths.requireEntry(visit, file, section);
  const id = entryId(entry);
  const jsonPath: JsonPath = [section, (file[section] as readonly paths.Entry[]).indexOf(entry)];
  return { entry, id, jsonPath, about: `${paths.sectionNames[section].noun} ${id}`, back: paths.entryPath(section, id) };
}

const changeForm = (section: Section) =>
  entryForm({
    path: `${paths.entryRoute(section)}/change`,
    fields: fieldsToChange(section),
    subjectIn: (visit, file) => {
      const { entry, about, back, jsonPath } = entryIn(section, visit, file);
      return { jsonPath, about, back, title: `Change ${paths.nameOfEntry(entry)}`, caption: paths.capitalised(about) };
    },
  });

const removeForm = (section: Section): FormDefinition =>
  editForm(entryPages[section], "/remove", (_, file, visit) => {
    const { id, jsonPath, about } = entryIn(section, visit, file);
    requireUnused(about, usesOf(file, section)(id));
    return { file: replaceAt(file, jsonPath, undefined), goTo: paths.listPath(section), about };
  });

/** The forms for zones or surcharges: one adds an item, the other changes or removes one. */
function partForms(list: paths.PartList) {
  const { section, noun } = paths.partLists[list];
  const fields = fieldsOfSection(section).find(({ key }) => key === list)?.fields ?? [];
  const add = entryForm({
    path: paths.partRoute(list, "new"),
    fields,
    subjectIn: (visit, file) => {
      const { id, jsonPath, about, back } = entryIn(section, visit, file);
      const items = valueAt(file, [...jsonPath, list]) as readonly unknown[];
      return { jsonPath: [...jsonPath, list, items.length], about, back, title: `Add ${noun}`, caption: `New ${noun} of ${id}` };
    },
  });
  const change = entryForm({
    path: paths.partRoute(list, "{place}"),
    fields,
    subjectIn: (visit, file) => {
      const { id, jsonPath, about, back } = entryIn(section, visit, file);
      const items = valueAt(file, [...jsonPath, list]) as readonly Values[];
      const index = (parsePositiveInteger(visit.params["place"]) ?? 0) - 1;
      const item = items[index];
      if (!item) throw new Rejection("notFound", `There is no such ${noun} in the catalogue`);
      const name = String(item["name"] ?? item["zone"]);
      const isLastOfZone = list === "zones" && items.filter(({ zone }) => zone === item["zone"]).length === 1;
      return {
        jsonPath: [...jsonPath, list, index],
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
    jsonPath: ["organisation"],
    title: "Organisation",
    caption: `Organisation ${organisation.id}`,
    about: "organisation",
    back: paths.cataloguePath,
  }),
});

const entryFormPages = [
  organisationForm,
  ...paths.tabOrder.flatMap((section) => [addForm(section), changeForm(section)]),
  ...(Object.keys(paths.partLists) as paths.PartList[]).flatMap(partForms),
];

export const entryForms: Subject = {
  pages: entryFormPages.map(({ page }) => page),
  forms: [...entryFormPages.map(({ form }) => form), ...paths.tabOrder.map(removeForm)],
};
