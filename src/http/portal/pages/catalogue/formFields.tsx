// The inputs of a form, made from the fields of the organisation file's schema, and what is read from them.
import type { Child } from "hono/jsx";
import type { CatalogueField } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { idOf } from "../../../../domain/catalogue/uses.js";
import type { Fields } from "../../fields.js";
import type { Visit } from "../../pageDefinition.js";
import { Choice, Field, Form, listIn, Tick, Ticks, tickedIn } from "../../shell/form.js";
import { Panel, type Query, useVisit } from "../../shell/parts.js";
import type { PresentCatalogue } from "../customers.js";
import { nameOfEntry } from "./cataloguePaths.js";

export type Values = Readonly<Record<string, unknown>>;

interface FormBodyProps {
  readonly view: PresentCatalogue;
  readonly title: string;
  readonly fields?: readonly CatalogueField[];
  readonly values?: Values | undefined;
  readonly back: string;
  readonly hidden?: Query;
  readonly children?: Child;
}

/** The version that a form is made from. One that is shown again stays a form of the same version. */
export const madeFrom = ({ submitted }: Visit, { catalogueVersion }: PresentCatalogue): string =>
  submitted.get("version") || String(catalogueVersion);

/** Is sent to the address of its page. */
export const FormBody = ({ view, title, fields = [], values = {}, back, hidden = {}, children }: FormBodyProps) => (
  <Panel id="entry" title={title}>
    <Form to={useVisit().path} hidden={{ version: madeFrom(useVisit(), view), ...hidden }} submit="Show changes" cancel={back}>
      <Inputs file={view.file} fields={fields} values={values} />
      {children}
    </Form>
  </Panel>
);

/** Long texts of postcodes need more than a line. */
const longList = 80;

interface InputsProps {
  readonly file: OrganisationFile;
  readonly fields: readonly CatalogueField[];
  readonly values: Values;
  /** Before the names of the inputs: that of the group they belong to. */
  readonly prefix?: string;
  /** None of them has to be filled in, since their group may be left empty. */
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
  const { key, kind, label, hint, refers, options, words, whenEmpty, longest } = field;
  const name = `${prefix}${key}`;
  const text = textOf(value);
  const required = whenEmpty === "required" && !isOptional;
  const entries = refers ? file[refers].map((entry) => ({ value: idOf(entry), label: nameOfEntry(entry) })) : [];
  const empty = { value: "", label: whenEmpty === "required" ? "Choose one" : "None" };
  switch (kind) {
    case "flag":
      return <Tick label={label} name={name} value="on" checked={value === true} />;
    case "choice": {
      const choices = options.map((option) => ({ value: option, label: words?.[option] ?? option }));
      return <Choice label={label} name={name} options={isOptional ? [{ value: "", label: "-" }, ...choices] : choices} value={text} />;
    }
    case "reference":
      return <Choice label={label} name={name} options={[empty, ...entries]} value={text} />;
    case "references":
      return (
        <Ticks legend={label} name={name} options={entries} ticked={(value ?? []) as string[]}>
          {entries.length === 0 ? <p class="hint">The catalogue has no {label.toLowerCase()}.</p> : null}
        </Ticks>
      );
    case "group":
    case "list": // the form of a new entry asks for the first one
      return (
        <fieldset class="choices">
          <legend>{kind === "list" ? `First ${label.toLowerCase().replace(/s$/, "")}` : label}</legend>
          {hint ? <p class="hint">{hint}</p> : null}
          <div class="stacked">
            <Inputs
              {...{ file, prefix: `${name}.`, isOptional: whenEmpty !== "required" }}
              fields={simple(field.fields)}
              values={(value ?? {}) as Values}
            />
          </div>
        </fieldset>
      );
  }
  const lines = kind === "texts" && text.length > longList ? 6 : undefined;
  const type = kind === "day" ? "date" : "text";
  return <Field {...{ label, name, type, lines, required, hint }} maxlength={longest} value={text} autocomplete="off" />;
}

/** Of the first lane or zone: not its lists. */
const simple = (fields: readonly CatalogueField[]) => fields.filter(({ kind }) => kind !== "list");

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value);

/** In the order that the entry had them, new ones behind: ticking a box does not change the order of the others. */
const inOrder = (before: readonly string[], chosen: readonly string[]): string[] => [
  ...before.filter((id) => chosen.includes(id)),
  ...chosen.filter((id) => !before.includes(id)),
];

/** What was filled in, over the entry as it was. Fields that are not in the form stay. */
export function readInputs(fields: readonly CatalogueField[], sent: Fields, before: Values, prefix = ""): Values {
  const read = fields.map((field): [string, unknown] => [field.key, readInput(field, sent, before[field.key], `${prefix}${field.key}`)]);
  const given = read.filter(([, value]) => value !== undefined);
  const names = new Set(fields.map(({ key }) => key));
  return { ...Object.fromEntries(Object.entries(before).filter(([key]) => !names.has(key))), ...Object.fromEntries(given) };
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
      return listIn(text).length > 0 ? listIn(text) : empty;
    case "references":
      return inOrder((before ?? []) as string[], tickedIn(sent, name));
    case "group":
    case "list": {
      const value = readInputs(simple(field.fields), sent, {}, `${name}.`);
      if (kind === "list") return [value];
      return Object.keys(value).length === 0 || isBlank(field, value) ? (whenEmpty === "required" ? {} : empty) : value;
    }
    default:
      return text === "" && whenEmpty !== "required" ? empty : text;
  }
}

/** An optional group counts as filled in when one of the fields that it cannot be without is. */
const isBlank = ({ fields, whenEmpty }: CatalogueField, value: Values): boolean =>
  whenEmpty !== "required" && fields.filter((field) => field.whenEmpty === "required").every(({ key }) => (value[key] ?? "") === "");
