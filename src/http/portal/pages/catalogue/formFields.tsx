// The inputs of a form, made from the fields of the organisation file's schema, and what is read from them.
import type { CatalogueField } from "../../../../domain/catalogue/fields.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { idOf } from "../../../../domain/catalogue/uses.js";
import type { Fields } from "../../fields.js";
import { Choice, Field } from "../../shell/form.js";
import { nameOfEntry } from "./addresses.js";

type Values = Readonly<Record<string, unknown>>;

/** Long texts of postcodes need more than a line. */
const longList = 80;

export interface InputsProps {
  readonly file: OrganisationFile;
  readonly fields: readonly CatalogueField[];
  readonly values: Values;
  /** What was typed, where the form is shown again. */
  readonly typed: Fields | undefined;
  /** Before the names of the inputs: that of the group they belong to. */
  readonly prefix?: string;
  /** None of them has to be filled in, since their group may be left empty. */
  readonly isOptional?: boolean;
}

export const Inputs = ({ fields, values, ...shared }: InputsProps): ReturnType<typeof Field> => (
  <>
    {fields.map((field) => (
      <Input field={field} value={values[field.key]} {...shared} />
    ))}
  </>
);

function Input({
  field,
  value,
  file,
  typed,
  prefix = "",
  isOptional,
}: Omit<InputsProps, "fields" | "values"> & { field: CatalogueField; value: unknown }) {
  const { key, kind, label, hint, refers, options, words, whenEmpty, longest } = field;
  const name = `${prefix}${key}`;
  const text = typed ? typed.get(name) : textOf(value);
  const required = whenEmpty === "required" && !isOptional;
  const entries = refers ? file[refers].map((entry) => ({ value: idOf(entry), label: nameOfEntry(entry) })) : [];
  const empty = { value: "", label: whenEmpty === "required" ? "Choose one" : "None" };
  switch (kind) {
    case "flag":
      return (
        <label class="check">
          <input type="checkbox" name={name} value="on" checked={typed ? text !== "" : value === true} />
          <span>{label}</span>
        </label>
      );
    case "choice": {
      const choices = options.map((option) => ({ value: option, label: words?.[option] ?? option }));
      return <Choice label={label} name={name} options={isOptional ? [{ value: "", label: "-" }, ...choices] : choices} value={text} />;
    }
    case "reference":
      return <Choice label={label} name={name} options={[empty, ...entries]} value={text} />;
    case "references":
      return <Choices legend={label} name={name} options={entries} chosen={typed ? chosenIn(typed, name) : ((value ?? []) as string[])} />;
    case "group":
    case "list": // the form of a new entry asks for the first one
      return (
        <fieldset class="choices">
          <legend>{kind === "list" ? `First ${label.toLowerCase().replace(/s$/, "")}` : label}</legend>
          {hint ? <p class="hint">{hint}</p> : null}
          <div class="stacked">
            <Inputs
              {...{ file, typed }}
              fields={simple(field.fields)}
              values={(value ?? {}) as Values}
              prefix={`${name}.`}
              isOptional={whenEmpty !== "required"}
            />
          </div>
        </fieldset>
      );
    case "texts":
      if (text.length > longList)
        return (
          <div class="field">
            <label for={`field-${name}`}>{label}</label>
            <textarea id={`field-${name}`} name={name} rows={6}>
              {text}
            </textarea>
          </div>
        );
      break;
    case "day":
      return <Field {...{ label, name, required }} type="date" value={text} {...(hint ? { hint } : {})} />;
  }
  const more = { ...(hint ? { hint } : {}), ...(longest ? { maxlength: longest } : {}) };
  return <Field {...{ label, name, required, ...more }} value={text} autocomplete="off" />;
}

/** Of the first lane or zone: not its lists. */
const simple = (fields: readonly CatalogueField[]) => fields.filter(({ kind }) => kind !== "list");

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value);

/** The page lists this many. Further ones are entered by their ids. */
const mostListed = 200;

interface ChoicesProps {
  readonly legend: string;
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly chosen: readonly string[];
}

/** Boxes to tick; of a long list those that are chosen come first. */
function Choices({ legend, name, options, chosen }: ChoicesProps) {
  const wanted = new Set(chosen);
  const sorted =
    options.length > mostListed ? options.toSorted((a, b) => Number(wanted.has(b.value)) - Number(wanted.has(a.value))) : options;
  const listed = sorted.slice(0, mostListed);
  const others = chosen.filter((id) => !listed.some(({ value }) => value === id));
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {options.length === 0 ? <p class="hint">The catalogue has no {legend.toLowerCase()}.</p> : null}
      <ul>
        {listed.map(({ value, label }) => (
          <li>
            <label class="check">
              <input type="checkbox" name={name} value={value} checked={wanted.has(value)} />
              <span>
                {label} <span class="muted customer-id">{value}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {options.length > mostListed || others.length > 0 ? (
        <Field
          label="Others, by id, separated by commas"
          name={`${name}Others`}
          value={others.join(", ")}
          required={false}
          autocomplete="off"
        />
      ) : null}
    </fieldset>
  );
}

/** Texts with commas or line breaks between them, each once. */
const listIn = (text: string): string[] => [...new Set(text.split(/[,\n]/).map((each) => each.trim()))].filter((each) => each !== "");

const chosenIn = (fields: Fields, name: string): string[] => [...new Set([...fields.all(name), ...listIn(fields.get(`${name}Others`))])];

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
      return inOrder((before ?? []) as string[], chosenIn(sent, name));
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
