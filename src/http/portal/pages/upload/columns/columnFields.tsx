// The parts of the page: the table of the file's columns, the fields that have none, and the order of dates.
import { type ChoosableField, type ColumnChoice, fieldTexts } from "../../../../../domain/imports/columns/choice.js";
import { isoDate } from "../../../../../domain/imports/columns/dateOrder.js";
import { contradictingNumber, type DecimalFinding, decimalMarkIn, decimalMarks } from "../../../../../domain/imports/columns/decimal.js";
import { decimalMarkOfFile, type FileColumn, orderNames } from "../../../../../domain/imports/columns/evidence.js";
import { customFieldPrefix } from "../../../../../domain/imports/fields.js";
import { limits } from "../../../../../domain/imports/limits.js";
import { Choice, Options } from "../../../shell/form.js";
import { dayInFull } from "../../../shell/formats.js";
import { PlainList } from "../../../shell/parts.js";
import { type Column, Table } from "../../../shell/table.js";
import { type ColumnsSource, columnField, decimalField, fixedField, orderField, orderOf } from "./columnsSource.js";

interface ColumnsProps {
  readonly source: ColumnsSource;
  readonly choice: ColumnChoice;
  readonly fields: readonly ChoosableField[];
}

interface Row extends Pick<FileColumn, "heading" | "values"> {
  readonly index: number;
  readonly field: string;
}

const shownValues = 3;
/** Of the columns' lists of fields together; a browser takes seconds for more. Then fields are written, with one list for all columns. */
const mostListBytes = 500_000;
const listOfFields = "fields-of-import";

export function ColumnTable({ source, choice, fields }: ColumnsProps) {
  const rows = source.headings.map((own, index): Row => ({ ...own, index, field: choice.headings[own.heading] ?? "" }));
  const listBytes = Buffer.byteLength(String(<ListOfFields fields={fields} field="" />));
  const isLarge = rows.length * listBytes > mostListBytes;
  const { textOf } = fieldTexts(fields);
  const texts = new Map(fields.map((field) => [field.name, textOf(field)]));
  const columns: Column<Row>[] = [
    { heading: "Column", names: true, cell: ({ heading }) => heading },
    ...(source.draft ? [{ heading: "Values", cell: ({ values }: Row) => <Values values={values} /> }] : []),
    {
      heading: "Our field",
      cell: ({ heading, index, field }) => {
        const [name, label] = [columnField(index), `Our field for ${heading}`];
        return isLarge ? (
          <input name={name} value={texts.get(field) ?? field} list={listOfFields} autocomplete="off" aria-label={label} data-taken />
        ) : (
          <select name={name} aria-label={label} data-taken>
            <ListOfFields fields={fields} field={field} />
          </select>
        );
      },
    },
  ];
  return (
    <div class="file-columns">
      {isLarge ? (
        <>
          <p class="hint">Type the field for each column; your browser suggests them. A column without a field is not imported.</p>
          <datalist id={listOfFields}>
            {[...texts].map(([name, text]) => (
              <option value={text} data-name={name} />
            ))}
          </datalist>
        </>
      ) : null}
      <Table caption="Columns of the file" columns={columns} rows={rows} muted={({ field }) => field === ""} />
    </div>
  );
}

function Values({ values }: { values: readonly string[] }) {
  if (values.length === 0) return <span class="muted">No value in the first rows</span>;
  return <PlainList class="some-values" items={values.slice(0, shownValues)} />;
}

function ListOfFields({ fields, field }: { fields: readonly ChoosableField[]; field: string }) {
  const groups: [label: string, members: readonly ChoosableField[]][] = [
    ["Required", fields.filter(({ required }) => required)],
    ["Optional", fields.filter(({ required, name }) => !required && !isCustom(name))],
    ["Custom fields", fields.filter(({ name }) => isCustom(name))],
  ];
  return (
    <>
      <option value="">Do not import</option>
      {groups.map(([label, members]) =>
        members.length === 0 ? null : (
          <optgroup label={label}>
            <Options options={members.map(({ name, label: text }) => ({ value: name, label: text }))} value={field} />
          </optgroup>
        ),
      )}
    </>
  );
}

const isCustom = (name: string): boolean => name.startsWith(customFieldPrefix);

/** A field that a column holds is hidden; the script shows it again when the column is left out. */
export function FieldsWithoutColumn({ choice, fields }: Pick<ColumnsProps, "choice" | "fields">) {
  const { headings, fixed = {} } = choice;
  const taken = new Set(Object.values(headings));
  const fixedOf = (name: string) => (Object.hasOwn(fixed, name) ? fixed[name] : undefined);
  const input = ({ name, label, required }: ChoosableField) => {
    const id = `field-${fixedField(name)}`;
    return (
      <div
        class="field"
        data-field={name}
        data-required={required ? label : undefined}
        hidden={taken.has(name) && fixedOf(name) === undefined}
      >
        <label for={id}>{label}</label>
        <input id={id} name={fixedField(name)} value={fixedOf(name)} autocomplete="off" maxlength={limits.textLength} />
      </div>
    );
  };
  const required = fields.filter((field) => field.required);
  const optional = fields.filter((field) => !field.required);
  const missing = required.filter(({ name }) => !taken.has(name) && fixedOf(name) === undefined);
  return (
    <>
      <p class={`notice ${missing.length === 0 ? "done" : "warn"}`} role="status" data-missing>
        {missing.length === 0 ? nothingMissing : `Required and missing: ${missing.map(({ label }) => label).join(", ")}.`}
      </p>
      <p>A field without a column can have one value for every row.</p>
      <div class="fixed-values">{required.map(input)}</div>
      <details open={optional.some(({ name }) => fixedOf(name) !== undefined)}>
        <summary>Optional fields</summary>
        <div class="fixed-values">{optional.map(input)}</div>
      </details>
    </>
  );
}

const nothingMissing = "Every required field has a column or a value.";

/** Only for a file that has such dates; where there is no file, it cannot be known. */
export function OrderOfDates({ source, choice }: Pick<ColumnsProps, "source" | "choice">) {
  const found = orderOf(source, choice);
  if (source.draft && !found && choice.dateOrder === undefined) return null;
  const example = found?.order === undefined && found ? found.example : "03/04/2026";
  const options = [
    { value: "", label: "Not read: their rows are rejected" },
    { value: "dayFirst", label: `Day first${inWords(example, "dayFirst")}` },
    { value: "monthFirst", label: `Month first${inWords(example, "monthFirst")}` },
  ];
  return (
    <>
      <Choice label={`Dates such as ${example}`} name={orderField} options={options} value={choice.dateOrder ?? ""} />
      {found?.order ? (
        <p class="hint">{`The file has ${found.example}, which can only be ${orderNames[found.order]}.`}</p>
      ) : found?.other ? (
        <p class="notice warn">{`The file has ${found.example} and ${found.other}. No order reads both: rows with the other one are rejected.`}</p>
      ) : null}
    </>
  );
}

const decimalLabels = { point: "Decimal point: 0.5 or 1,234.5", comma: "Decimal comma: 0,5 or 1.234,5" } as const;
const asExample = { point: "can only have a decimal point", comma: "can only have a decimal comma" } as const;

/** Only for a file whose numbers say something about it; where there is no file, it cannot be known. */
export function WayOfNumbers({ source: { draft, kind, headings }, choice }: Pick<ColumnsProps, "source" | "choice">) {
  const found = decimalMarkOfFile(choice, kind, headings) ?? decimalMarkIn(headings.flatMap(({ numbers }) => numbers));
  if (draft && !found && choice.decimal === undefined) return null;
  const unsaid = draft && found ? "Choose" : "Not declared: 1234.5";
  return (
    <>
      <Choice
        label="Numbers"
        name={decimalField}
        options={[{ value: "", label: unsaid }, ...decimalMarks.map((value) => ({ value, label: decimalLabels[value] }))]}
        value={choice.decimal ?? ""}
      />
      {found?.decimal ? (
        <p class="hint">{`The file has ${found.example}${isProof(found) ? `, which ${asExample[found.decimal]}` : ""}.`}</p>
      ) : found?.other ? (
        <p class="notice warn">{`The file has ${found.example} and ${found.other}. No choice reads both: rows with the other one are rejected.`}</p>
      ) : found ? (
        <p class="notice warn">{`The file has ${found.example}, which can be read in two ways. Say which is meant.`}</p>
      ) : null}
    </>
  );
}

/** False for separated thousands that any reading takes alike. */
const isProof = ({ decimal, example }: DecimalFinding): boolean =>
  contradictingNumber([example], decimal === "point" ? "comma" : "point") !== undefined;

function inWords(example: string, order: "dayFirst" | "monthFirst"): string {
  const date = isoDate(example, order);
  return date === undefined ? "" : `: ${dayInFull(date.slice(0, 10))}`;
}
