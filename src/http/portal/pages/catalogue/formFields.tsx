// Makes a form's inputs from the fields of the organisation file's schema, and reads their values.
import type { Child } from "hono/jsx";
import type { CatalogueField } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { entryId } from "../../../../domain/catalogue/uses.js";
import type { Fields } from "../../fields.js";
import type { Visit } from "../../pageDefinition.js";
import { CheckBox, CheckBoxGroup, Choice, Field, Form, parseList, tickedValues } from "../../shell/form.js";
import { Panel, type Query, useVisit } from "../../shell/markup.js";
import type { CurrentCatalogue } from "../customers.js";
import { nameOfEntry } from "./cataloguePaths.js";

export type Values = Readonly<Record<string, unknown>>;

interface FormBodyProps {
  readonly view: CurrentCatalogue;
  readonly title: string;
  readonly fields?: readonly CatalogueField[];
  readonly values?: Values | undefined;
  readonly back: string;
  readonly hidden?: Query;
  readonly children?: Child;
}

/** The catalogue version that the form edits. A form that is shown again keeps its version. */
export const formVersion = ({ submitted }: Visit, { catalogueVersion }: CurrentCatalogue): string =>
  submitted.get("version") || String(catalogueVersion);

/** A form that is sent to its page's own path. */
export const FormBody = ({ view, title, fields = [], values = {}, back, hidden = {}, children }: FormBodyProps) => (
  <Panel id="entry" title={title}>
    <Form to={useVisit().path} hidden={{ version: formVersion(useVisit(), view), ...hidden }} submit="Show changes" cancel={back}>
      <Inputs file={view.file} fields={fields} values={values} />
      {children}
    </Form>
  </Panel>
);

/** A longer list, such as a zone's postcodes, gets a field with several lines. */
const maxLineLength = 80;

interface InputsProps {
  readonly file: OrganisationFile;
  readonly fields: readonly CatalogueField[];
  readonly values: Values;
  /** The start of the inputs' names: the name of their group. */
  readonly prefix?: string;
  /** Set inside a group that may be left empty: then none of its inputs is required. */
  readonly isOptional?: boolean;
}

const Inputs = (props: InputsProps): ReturnType<typeof Field> => (
  <>
    {props.fields.map((field) => (
      <Input {...props} field={field} value={props.values[field.key]} />
    ))}
  </>
);

function Input({ field, value, file, prefix = "", isOptional }: InputsProps & { field: CatalogueField; value: unknown }) {
  const { key, kind, label, hint, refersTo, options, words, whenEmpty, maxLength } = field;
  const name = `${prefix}${key}`;
  const text = textOf(value);
  const required = whenEmpty === "required" && !isOptional;
  const entries = refersTo ? file[refersTo].map((entry) => ({ value: entryId(entry), label: nameOfEntry(entry) })) : [];
  const emptyOption = { value: "", label: whenEmpty === "required" ? "Choose one" : "None" };
  switch (kind) {
    case "flag":
      return <CheckBox label={label} name={name} value="on" checked={value === true} />;
    case "choice": {
      const choices = options.map((option) => ({ value: option, label: words?.[option] ?? option }));
      return <Choice label={label} name={name} options={isOptional ? [{ value: "", label: "-" }, ...choices] : choices} value={text} />;
    }
    case "reference":
      return <Choice label={label} name={name} options={[emptyOption, ...entries]} value={text} />;
    case "references":
      return (
        <CheckBoxGroup legend={label} name={name} options={entries} ticked={(value ?? []) as string[]}>
          {entries.length === 0 ? <p class="hint">The catalogue has no {label.toLowerCase()}.</p> : null}
        </CheckBoxGroup>
      );
    case "group":
    case "list": // the form for a new entry asks for the list's first item
      return (
        <fieldset class="choices">
          <legend>{kind === "list" ? `First ${label.toLowerCase().replace(/s$/, "")}` : label}</legend>
          {hint ? <p class="hint">{hint}</p> : null}
          <div class="stacked">
            <Inputs
              {...{ file, prefix: `${name}.`, isOptional: whenEmpty !== "required" }}
              fields={withoutLists(field.fields)}
              values={(value ?? {}) as Values}
            />
          </div>
        </fieldset>
      );
  }
  const lines = kind === "texts" && text.length > maxLineLength ? 6 : undefined;
  const type = kind === "day" ? "date" : "text";
  return <Field {...{ label, name, type, lines, required, hint }} maxlength={maxLength} value={text} autocomplete="off" />;
}

/** The inputs of a group or a first item have no lists of their own. */
const withoutLists = (fields: readonly CatalogueField[]) => fields.filter(({ kind }) => kind !== "list");

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value);

/** Keeps the entry's order and puts new ids at the end, so that ticking a box does not change the order of the others. */
const earlierOrderFirst = (before: readonly string[], chosen: readonly string[]): string[] => [
  ...before.filter((id) => chosen.includes(id)),
  ...chosen.filter((id) => !before.includes(id)),
];

/** Returns `before` with the form's values. Values of fields that are not in the form stay. */
export function readInputs(fields: readonly CatalogueField[], sent: Fields, before: Values, prefix = ""): Values {
  const values = fields.map((field): [string, unknown] => [field.key, readInput(field, sent, before[field.key], `${prefix}${field.key}`)]);
  const filledIn = values.filter(([, value]) => value !== undefined);
  const names = new Set(fields.map(({ key }) => key));
  return { ...Object.fromEntries(Object.entries(before).filter(([key]) => !names.has(key))), ...Object.fromEntries(filledIn) };
}

function readInput(field: CatalogueField, sent: Fields, before: unknown, name: string): unknown {
  const { kind, whenEmpty } = field;
  const text = sent.get(name).trim();
  const empty = whenEmpty === "null" ? null : undefined;
  switch (kind) {
    case "flag":
      return text !== "" ? true : empty;
    case "number":
      return text === "" ? empty : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case "texts":
      return parseList(text).length > 0 ? parseList(text) : empty;
    case "references":
      return earlierOrderFirst((before ?? []) as string[], tickedValues(sent, name));
    case "group":
    case "list": {
      const value = readInputs(withoutLists(field.fields), sent, {}, `${name}.`);
      if (kind === "list") return [value];
      return Object.keys(value).length === 0 || isBlank(field, value) ? (whenEmpty === "required" ? {} : empty) : value;
    }
    default:
      return text === "" && whenEmpty !== "required" ? empty : text;
  }
}

/** An optional group counts as blank if all of its required fields are empty. */
const isBlank = ({ fields, whenEmpty }: CatalogueField, value: Values): boolean =>
  whenEmpty !== "required" && fields.filter((field) => field.whenEmpty === "required").every(({ key }) => (value[key] ?? "") === "");
