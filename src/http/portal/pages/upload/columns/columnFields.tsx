// The parts of the page Columns: the file's columns, the fields without a column, the order of dates and the decimal mark.
import { type ChoosableField, type ColumnChoice, fieldTexts } from "../../../../../domain/imports/columns/choice.js";
import { toIsoDate } from "../../../../../domain/imports/columns/dateOrder.js";
import { contradictingNumber, type DecimalFinding, decimalMarkIn, decimalMarks } from "../../../../../domain/imports/columns/decimal.js";
import { dateOrderNames, decimalMarkOfFile, type FileColumn } from "../../../../../domain/imports/columns/evidence.js";
import { customFieldPrefix } from "../../../../../domain/imports/fields.js";
import { limits } from "../../../../../domain/imports/limits.js";
import { Choice, Options } from "../../../shell/form.js";
import { dayInFull } from "../../../shell/formats.js";
import { PlainList } from "../../../shell/markup.js";
import { type Column, Table } from "../../../shell/table.js";
import { type ColumnsSource, columnInput, dateOrderInput, dateOrderOf, decimalInput, fixedValueInput } from "./columnsSource.js";

interface ColumnsProps {
  readonly source: ColumnsSource;
  readonly choice: ColumnChoice;
  readonly fields: readonly ChoosableField[];
}

interface ColumnRow extends Pick<FileColumn, "heading" | "values"> {
  readonly index: number;
  readonly field: string;
}

const maxShownValues = 3;
/** If the lists of fields of all columns took more, a browser would need seconds. Then people type fields, and one list suggests them. */
const maxListBytes = 500_000;
const fieldListId = "fields-of-import";

export function ColumnTable({ source, choice, fields }: ColumnsProps) {
  const rows = source.headings.map((column, index): ColumnRow => ({ ...column, index, field: choice.headings[column.heading] ?? "" }));
  const listBytes = Buffer.byteLength(String(<FieldOptions fields={fields} field="" />));
  const isLarge = rows.length * listBytes > maxListBytes;
  const { textOf } = fieldTexts(fields);
  const texts = new Map(fields.map((field) => [field.name, textOf(field)]));
  const columns: Column<ColumnRow>[] = [
    { heading: "Column", isRowHeader: true, cell: ({ heading }) => heading },
    ...(source.draft ? [{ heading: "Values", cell: ({ values }: ColumnRow) => <SampleValues values={values} /> }] : []),
    {
      heading: "Our field",
      cell: ({ heading, index, field }) => {
        const [name, label] = [columnInput(index), `Our field for ${heading}`];
        return isLarge ? (
          <input name={name} value={texts.get(field) ?? field} list={fieldListId} autocomplete="off" aria-label={label} data-taken />
        ) : (
          <select name={name} aria-label={label} data-taken>
            <FieldOptions fields={fields} field={field} />
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
          <datalist id={fieldListId}>
            {[...texts].map(([name, text]) => (
              <option value={text} data-name={name} />
            ))}
          </datalist>
        </>
      ) : null}
      <Table caption="Columns of the file" columns={columns} rows={rows} isMuted={({ field }) => field === ""} />
    </div>
  );
}

function SampleValues({ values }: { values: readonly string[] }) {
  if (values.length === 0) return <span class="muted">No value in the first rows</span>;
  return <PlainList class="some-values" items={values.slice(0, maxShownValues)} />;
}

function FieldOptions({ fields, field }: { fields: readonly ChoosableField[]; field: string }) {
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

/** Inputs for fixed values. A field with a column is hidden; the script shows it again if that column is not imported. */
export function FieldsWithoutColumn({ choice, fields }: Pick<ColumnsProps, "choice" | "fields">) {
  const { headings, fixed = {} } = choice;
  const taken = new Set(Object.values(headings));
  const fixedOf = (name: string) => (Object.hasOwn(fixed, name) ? fixed[name] : undefined);
  const input = ({ name, label, required }: ChoosableField) => {
    const id = `field-${fixedValueInput(name)}`;
    return (
      <div
        class="field"
        data-field={name}
        data-required={required ? label : undefined}
        hidden={taken.has(name) && fixedOf(name) === undefined}
      >
        <label for={id}>{label}</label>
        <input id={id} name={fixedValueInput(name)} value={fixedOf(name)} autocomplete="off" maxlength={limits.textLength} />
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

/** Null for a file without dates that need an order. Without a file the choice is shown, because nothing is known about the dates. */
export function DateOrderChoice({ source, choice }: Pick<ColumnsProps, "source" | "choice">) {
  const found = dateOrderOf(source, choice);
  if (source.draft && !found && choice.dateOrder === undefined) return null;
  const example = found?.order === undefined && found ? found.example : "03/04/2026";
  const options = [
    { value: "", label: "Not read: their rows are rejected" },
    { value: "dayFirst", label: `Day first${readingInWords(example, "dayFirst")}` },
    { value: "monthFirst", label: `Month first${readingInWords(example, "monthFirst")}` },
  ];
  return (
    <>
      <Choice label={`Dates such as ${example}`} name={dateOrderInput} options={options} value={choice.dateOrder ?? ""} />
      {found?.order ? (
        <p class="hint">{`The file has ${found.example}, which can only be ${dateOrderNames[found.order]}.`}</p>
      ) : found?.counterexample ? (
        <p class="notice warn">{`The file has ${found.example} and ${found.counterexample}. No order reads both: rows with the other one are rejected.`}</p>
      ) : null}
    </>
  );
}

const decimalLabels = { point: "Decimal point: 0.5 or 1,234.5", comma: "Decimal comma: 0,5 or 1.234,5" } as const;
const proofWords = { point: "can only have a decimal point", comma: "can only have a decimal comma" } as const;

/** Null for a file whose numbers need no mark. Without a file the choice is always shown, because nothing is known about the numbers. */
export function DecimalMarkChoice({ source: { draft, kind, headings }, choice }: Pick<ColumnsProps, "source" | "choice">) {
  const found = decimalMarkOfFile(choice, kind, headings) ?? decimalMarkIn(headings.flatMap(({ numbers }) => numbers));
  if (draft && !found && choice.decimal === undefined) return null;
  const undeclaredLabel = draft && found ? "Choose" : "Not declared: 1234.5";
  return (
    <>
      <Choice
        label="Numbers"
        name={decimalInput}
        options={[{ value: "", label: undeclaredLabel }, ...decimalMarks.map((value) => ({ value, label: decimalLabels[value] }))]}
        value={choice.decimal ?? ""}
      />
      {found?.decimal ? (
        <p class="hint">{`The file has ${found.example}${isProof(found) ? `, which ${proofWords[found.decimal]}` : ""}.`}</p>
      ) : found?.counterexample ? (
        <p class="notice warn">{`The file has ${found.example} and ${found.counterexample}. No choice reads both: rows with the other one are rejected.`}</p>
      ) : found ? (
        <p class="notice warn">{`The file has ${found.example}, which can be read in two ways. Say which is meant.`}</p>
      ) : null}
    </>
  );
}

/** Whether the example rules out the other decimal mark. */
const isProof = ({ decimal, example }: DecimalFinding): boolean =>
  contradictingNumber([example], decimal === "point" ? "comma" : "point") !== undefined;

function readingInWords(example: string, order: "dayFirst" | "monthFirst"): string {
  const date = toIsoDate(example, order);
  return date === undefined ? "" : `: ${dayInFull(date.slice(0, 10))}`;
}
