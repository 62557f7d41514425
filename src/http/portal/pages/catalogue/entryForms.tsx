// The forms that add, change and remove: entries of the catalogue, the zones of a map, the surcharges of a card, and the organisation itself.
import type { Child } from "hono/jsx";
import { type CatalogueField, fieldsOfSection } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile, Section } from "../../../../domain/catalogue/schema.js";
import { idOf, type Uses, usesInWords, usesOf, usesOfZone } from "../../../../domain/catalogue/uses.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { FormDefinition, PageDefinition, SignedInVisit } from "../../pageDefinition.js";
import { Button, ButtonLink, Form, HiddenFields } from "../../shell/form.js";
import { Panel } from "../../shell/panel.js";
import { judgeAgainPath } from "../corrections/unknownCustomers.js";
import {
  addPath,
  capitalised,
  cataloguePath,
  type Entry,
  entryPath,
  entryRoute,
  listPath,
  nameOfEntry,
  organisationPath,
  type PartList,
  partLists,
  partPath,
  partRoute,
  requireEntry,
  sectionNames,
  tabOrder,
} from "./addresses.js";
import { catalogueForm, type Edit, editForm, type FormView } from "./draft.js";
import { entryPages } from "./entryPage.js";
import { Inputs, readInputs } from "./formFields.js";

type Values = Readonly<Record<string, unknown>>;
type FormWithPage = ReturnType<typeof catalogueForm>;

/** An id is chosen once; lists have pages of their own, and a new entry begins with the first of those that it cannot be without. */
const fieldsToChange = (section: Section | "organisation") =>
  fieldsOfSection(section).filter(({ key, kind }) => kind !== "list" && key !== "id" && key !== "key");
const fieldsToAdd = (section: Section) =>
  fieldsOfSection(section).filter(({ kind, whenEmpty }) => kind !== "list" || whenEmpty === "required");

interface FormBodyProps {
  readonly view: FormView;
  readonly to: string;
  readonly title: string;
  readonly fields?: readonly CatalogueField[];
  readonly values?: Values;
  readonly back: string;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly children?: Child;
}

export const FormBody = ({ view, to, title, fields = [], values = {}, back, hidden = {}, children }: FormBodyProps) => (
  <Panel id="entry" title={title}>
    <Form visit={view.visit} to={to}>
      <HiddenFields values={{ version: String(view.version), ...hidden }} />
      <Inputs file={view.file} fields={fields} values={values} typed={view.typed} />
      {children}
      <div class="button-row">
        <Button label="Show changes" />
        <ButtonLink to={view.visit.links.to(back)} label="Cancel" quiet />
      </div>
    </Form>
  </Panel>
);

export const replaced = (file: OrganisationFile, section: Section, old: Entry, by: readonly unknown[]): OrganisationFile => ({
  ...file,
  [section]: (file[section] as readonly Entry[]).flatMap((entry) => (entry === old ? by : [entry])),
});

function addForm(section: Section): FormWithPage {
  const { noun } = sectionNames[section];
  const backOf = ({ visit, typed }: Pick<FormView, "visit" | "typed">) => (typed ? typed.get("back") : (visit.query["back"] ?? ""));
  return catalogueForm({
    path: addPath(section),
    title: () => `Add ${noun}`,
    body: (view) => (
      <FormBody
        {...{ view, to: addPath(section), title: `New ${noun}`, fields: fieldsToAdd(section), back: listPath(section) }}
        values={Object.fromEntries(fieldsToAdd(section).map(({ key }) => [key, view.visit.query[key]?.trim().slice(0, 64)]))}
        hidden={{ back: backOf(view) }}
      />
    ),
    edit: (fields, file) => {
      const entry = readInputs(fieldsToAdd(section), fields, {}) as unknown as Entry;
      const id = idOf(entry);
      // Without this the fault would name the other entry by its place in the file.
      if (file[section].some((known) => idOf(known) === id)) throw new Rejection("invalid", `There is a ${noun} ${id} already`);
      return {
        file: { ...file, [section]: [...file[section], entry] },
        goTo: fields.get("back") === "judge-again" ? judgeAgainPath : entryPath(section, id),
        about: `${noun} ${id}`,
        own: `${section}.${file[section].length}`,
      };
    },
  });
}

function changeForm(section: Section): FormWithPage {
  const { noun } = sectionNames[section];
  return catalogueForm({
    path: `${entryRoute(section)}/change`,
    title: ({ visit, file }) => `Change ${nameOfEntry(requireEntry(visit, file, section))}`,
    body: (view) => {
      const entry = requireEntry(view.visit, view.file, section);
      const back = entryPath(section, idOf(entry));
      const title = `${capitalised(noun)} ${idOf(entry)}`;
      return (
        <FormBody {...{ view, title, back }} to={`${back}/change`} fields={fieldsToChange(section)} values={entry as unknown as Values} />
      );
    },
    edit: (fields, file, visit) => {
      const entry = requireEntry(visit, file, section);
      const changed = readInputs(fieldsToChange(section), fields, entry as unknown as Values);
      return {
        file: replaced(file, section, entry, [changed]),
        goTo: entryPath(section, idOf(entry)),
        about: `${noun} ${idOf(entry)}`,
        own: `${section}.${(file[section] as readonly Entry[]).indexOf(entry)}`,
      };
    },
  });
}

/** What is still used cannot be removed. */
function refuseUsed(what: string, uses: readonly Uses[]): void {
  if (uses.length > 0) throw new Rejection("invalid", `${what} is used by ${usesInWords(uses)}. Change those first`);
}

const removeForm = (section: Section): FormDefinition<SignedInVisit> =>
  editForm(`${entryRoute(section)}/remove`, entryPages[section], (_, file, visit) => {
    const entry = requireEntry(visit, file, section);
    const about = `${sectionNames[section].noun} ${idOf(entry)}`;
    refuseUsed(capitalised(about), usesOf(file, section)(idOf(entry)));
    return { file: replaced(file, section, entry, []), goTo: listPath(section), about };
  });

const placeRoute = "{place}";

/** A zone of a map, a surcharge of a card: a form that adds one, one that changes one, and one that removes one. */
function partForms(list: PartList): { pages: PageDefinition<SignedInVisit>[]; forms: FormDefinition<SignedInVisit>[] } {
  const { section, noun } = partLists[list];
  const fields = fieldsOfSection(section).find(({ key }) => key === list)?.fields ?? [];
  const ownerIn = (visit: SignedInVisit, file: OrganisationFile) => {
    const owner = requireEntry(visit, file, section);
    const entries = (owner as unknown as Record<PartList, readonly Values[]>)[list];
    return { owner, entries, back: entryPath(section, owner.id), path: `${section}.${(file[section] as readonly Entry[]).indexOf(owner)}` };
  };
  const placed = (visit: SignedInVisit, file: OrganisationFile) => {
    const of = ownerIn(visit, file);
    const place = /^[1-9]\d{0,4}$/.test(visit.params["place"] ?? "") ? Number(visit.params["place"]) : 0;
    const entry = of.entries[place - 1];
    if (!entry) throw new Rejection("notFound", `There is no such ${noun} in the catalogue`);
    return { ...of, place, entry };
  };
  const nameOfPart = (entry: Values) => String(entry["name"] ?? entry["zone"]);
  const edited = (file: OrganisationFile, of: ReturnType<typeof ownerIn>, entries: readonly unknown[], place: number): Edit => ({
    file: replaced(file, section, of.owner, [{ ...of.owner, [list]: entries }]),
    goTo: of.back,
    about: `${sectionNames[section].noun} ${of.owner.id}`,
    own: `${of.path}.${list}.${place}`,
  });
  const add = catalogueForm({
    path: partRoute(list, "new"),
    title: () => `Add ${noun}`,
    body: (view) => {
      const { owner, back } = ownerIn(view.visit, view.file);
      return <FormBody {...{ view, fields, back }} title={`New ${noun} of ${owner.id}`} to={partPath(list, owner.id, "new")} />;
    },
    edit: (sent, file, visit) => {
      const of = ownerIn(visit, file);
      return edited(file, of, [...of.entries, readInputs(fields, sent, {})], of.entries.length);
    },
  });
  const change = catalogueForm({
    path: partRoute(list, placeRoute),
    title: ({ visit, file }) => `Change ${nameOfPart(placed(visit, file).entry)}`,
    body: (view) => {
      const { owner, entry, place, back } = placed(view.visit, view.file);
      return (
        <FormBody
          {...{ view, fields, back }}
          title={`${capitalised(noun)} of ${owner.id}`}
          to={partPath(list, owner.id, place)}
          values={entry}
        >
          <label class="check">
            <input type="checkbox" name="remove" value="on" />
            <span>Remove this {noun}</span>
          </label>
        </FormBody>
      );
    },
    edit: (sent, file, visit) => {
      const { entry, place, ...of } = placed(visit, file);
      const isRemoved = sent.get("remove") !== "";
      const zone = String(entry["zone"]);
      const isLast = of.entries.filter((each) => each["zone"] === zone).length === 1;
      if (isRemoved && list === "zones" && isLast) refuseUsed(`Zone ${zone}`, usesOfZone(file, of.owner.id, zone));
      const kept = of.entries.flatMap((each) => (each === entry ? (isRemoved ? [] : [readInputs(fields, sent, entry)]) : [each]));
      return edited(file, of, kept, place - 1);
    },
  });
  return { pages: [add.page, change.page], forms: [add.form, change.form] };
}

const organisation = catalogueForm({
  path: organisationPath,
  title: () => "Organisation",
  body: (view) => (
    <FormBody
      {...{ view, to: organisationPath, back: cataloguePath, fields: fieldsToChange("organisation") }}
      title={`Organisation ${view.file.organisation.id}`}
      values={view.file.organisation}
    />
  ),
  edit: (fields, file) => ({
    file: {
      ...file,
      organisation: readInputs(fieldsToChange("organisation"), fields, file.organisation) as OrganisationFile["organisation"],
    },
    goTo: cataloguePath,
    about: "organisation",
    own: "organisation",
  }),
});

const entryForms = tabOrder.flatMap((section) => [addForm(section), changeForm(section)]);
const ofParts = (Object.keys(partLists) as PartList[]).map(partForms);

/** Pages that add stand before those of things, whose addresses would match theirs. */
export const formPages: PageDefinition<SignedInVisit>[] = [
  organisation.page,
  ...entryForms.map(({ page }) => page),
  ...ofParts.flatMap(({ pages }) => pages),
];
export const entryFormsAndRemovals: FormDefinition<SignedInVisit>[] = [
  organisation.form,
  ...entryForms.map(({ form }) => form),
  ...tabOrder.map(removeForm),
  ...ofParts.flatMap(({ forms }) => forms),
];
