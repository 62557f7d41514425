import type { Child, JSX } from "hono/jsx";
import { limits } from "../../../domain/imports/limits.js";
import type { Fields } from "../fields.js";
import { ButtonLink, type Query, useVisit } from "./markup.js";

interface ButtonProps {
  readonly label: string;
  readonly type?: "submit" | "button";
  readonly class?: "quiet" | "danger" | "quiet danger" | "" | undefined;
  /** What the button is about, for users of a screen reader, who do not see what is beside it. */
  readonly "aria-description"?: string | undefined;
  readonly [attribute: string]: unknown;
}

export const Button = ({ label, type = "submit", ...rest }: ButtonProps) => (
  <button type={type} {...rest}>
    {label}
  </button>
);

/** Hidden fields of a form. Values that are empty or undefined are left out. */
export const HiddenFields = ({ values }: { values: Query }) => (
  <>{Object.entries(values).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}</>
);

interface FormProps {
  /** The path of the portal that the form is sent to. */
  readonly to: string;
  readonly class?: string;
  /** Fields outside the form's element name it in their attribute `form`. */
  readonly id?: string;
  readonly enctype?: "multipart/form-data";
  readonly hidden?: Query;
  /** The label of the form's submit button, and the path of the link `Cancel` beside it. */
  readonly submit?: string;
  readonly cancel?: string;
  readonly isDangerous?: boolean;
  readonly children?: Child;
  readonly [attribute: `data-${string}`]: string | number;
}

/** A form that works without scripts. Its token binds it to the visitor's session. */
export function Form({ to, class: className = "stacked", hidden = {}, submit, cancel, isDangerous, children, ...rest }: FormProps) {
  const { links, formToken } = useVisit();
  return (
    <form method="post" action={links.to(to)} class={className} {...rest}>
      <input type="hidden" name="token" value={formToken} />
      <HiddenFields values={hidden} />
      {children}
      {submit === undefined ? null : (
        <div class="button-row">
          <Button class={isDangerous ? "danger" : undefined} label={submit} />
          {cancel === undefined ? null : <ButtonLink to={cancel} label="Cancel" quiet />}
        </div>
      )}
    </form>
  );
}

interface ButtonFormProps extends Pick<FormProps, "to" | "hidden">, Pick<ButtonProps, "label" | "class"> {
  readonly about?: string;
}

/** A form with nothing but a button. */
export const ButtonForm = ({ to, hidden, label, about, class: kind = "quiet" }: ButtonFormProps) => (
  <Form to={to} class="one" {...(hidden ? { hidden } : {})}>
    <Button class={kind || undefined} aria-description={about} label={label} />
  </Form>
);

interface LabelledProps {
  readonly label: string;
  readonly name: string;
  /** Needed if several forms of one page have a field of the same name. */
  readonly id?: string | undefined;
  readonly hint?: string | undefined;
  /** Hides the label from sight, for a field in a table whose heading says the same. */
  readonly unseenLabel?: boolean;
}

/** An input with its label, its hint, and the problem with its value. */
function Labelled({ label, name, id = `field-${name}`, hint, unseenLabel, input }: LabelledProps & { input: (props: object) => Child }) {
  const isFaulty = useVisit().fault?.field === name;
  const described = [...(isFaulty ? [`${id}-fault`] : []), ...(hint ? [`${id}-hint`] : [])].join(" ") || undefined;
  return (
    <div class="field">
      <label for={id} class={unseenLabel ? "unseen" : undefined}>
        {label}
      </label>
      {input({ id, name, "aria-describedby": described, ...(isFaulty ? { "aria-invalid": "true", autofocus: true } : {}) })}
      <Fault name={name} id={id} />
      {hint ? (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}

/** The problem with a field, shown at it. Screen readers say it when the field gets the focus. */
function Fault({ name, id = `field-${name}` }: { name: string; id?: string }) {
  const { fault } = useVisit();
  return fault?.field === name ? (
    <p class="field-fault" id={`${id}-fault`} role="alert">
      {fault.message}
    </p>
  ) : null;
}

type InputProps = JSX.IntrinsicElements["input"];
type FieldAttribute = "type" | "accept" | "autocomplete" | "placeholder" | "maxlength" | "minlength" | "required" | "list" | "readonly";

interface FieldProps extends LabelledProps, Pick<InputProps, FieldAttribute> {
  /** The initial value. A form that is shown again has the submitted value instead. */
  readonly value?: string | undefined;
  /** How many lines the field has. Left out for a field of a single line. */
  readonly lines?: number | undefined;
}

export function Field({ label, name, id, hint, type = "text", value, required = true, lines, ...rest }: FieldProps) {
  const text = useVisit().submitted.all(name)[0] ?? value;
  const input = (attributes: object) =>
    lines === undefined ? (
      <input {...attributes} type={type} value={text} required={required} {...rest} />
    ) : (
      <textarea {...attributes} rows={lines} required={required}>
        {text}
      </textarea>
    );
  return <Labelled {...{ label, name, id, hint, input }} />;
}

/** The field for the reason of a reversal or a correction, which `readReason` reads. */
export const ReasonField = ({ hint }: { hint: string }) => (
  <Field label="Reason" name="reason" maxlength={limits.reasonLength} hint={hint} autocomplete="off" />
);

export interface Option {
  readonly value: string;
  readonly label: string;
}

export const Options = ({ options, value }: { options: readonly Option[]; value?: string | undefined }) => (
  <>
    {options.map((option) => (
      <option value={option.value} selected={option.value === value}>
        {option.label}
      </option>
    ))}
  </>
);

interface ChoiceProps extends LabelledProps {
  readonly options: readonly Option[];
  /** The initial value. A form that is shown again has the submitted one instead, unless `id` tells several fields of this name apart. */
  readonly value?: string | undefined;
}

export function Choice({ options, value, ...field }: ChoiceProps) {
  const { submitted } = useVisit();
  const chosen = (field.id === undefined ? submitted.all(field.name)[0] : undefined) ?? value;
  const input = (attributes: object) => (
    <select {...attributes}>
      <Options options={options} value={chosen} />
    </select>
  );
  return <Labelled {...field} input={input} />;
}

interface CheckBoxProps extends Pick<InputProps, "checked" | "required" | "autofocus"> {
  readonly label: Child;
  readonly name: string;
  readonly value: string;
}

const LabelledBox = ({ label, ...input }: CheckBoxProps) => (
  <label class="check">
    <input type="checkbox" {...input} />
    <span>{label}</span>
  </label>
);

/** A check box. The hidden empty value is always sent, so a form that is shown again knows that the box was left empty. */
export function CheckBox({ checked = false, ...box }: CheckBoxProps) {
  const [sent] = useVisit().submitted.all(box.name);
  return (
    <>
      <LabelledBox {...box} checked={sent === undefined ? checked : sent !== ""} />
      <input type="hidden" name={box.name} value="" />
    </>
  );
}

interface CheckBoxGroupProps {
  readonly legend: string;
  readonly name: string;
  /** `about`: a text to show after the label instead of the value. */
  readonly options: readonly (Option & { readonly about?: string })[];
  /** The initially ticked values. A form that is shown again has the submitted ones instead. */
  readonly ticked?: readonly string[];
  readonly class?: string;
  /** Markup above the boxes. */
  readonly children?: Child;
}

/** The most boxes of a group. Further values are entered as text. */
const maxListed = 200;

/** Check boxes that `tickedValues` reads. In a long list the ticked ones come first. The hidden value serves as in `CheckBox`. */
export function CheckBoxGroup({ legend, name, options, ticked: initial = [], class: kind = "choices", children }: CheckBoxGroupProps) {
  const { fault, submitted } = useVisit();
  const isFaulty = fault?.field === name;
  const ticked = submitted.all(name).length > 0 ? tickedValues(submitted, name) : initial;
  const isTicked = (value: string) => ticked.includes(value);
  const isLong = options.length > maxListed;
  const sorted = isLong ? options.toSorted((a, b) => Number(isTicked(b.value)) - Number(isTicked(a.value))) : options;
  const listed = sorted.slice(0, maxListed);
  const others = ticked.filter((id) => !listed.some(({ value }) => value === id));
  return (
    <fieldset class={kind}>
      <legend>{legend}</legend>
      <Fault name={name} />
      {children}
      <input type="hidden" name={name} value="" />
      <ul>
        {listed.map(({ value, label, about = value }, index) => {
          const shown = [label, " ", <span class={about === value ? "muted customer-id" : "muted"}>{about}</span>];
          return (
            <li data-name={`${label} ${value}`.toLowerCase()}>
              <LabelledBox label={shown} {...{ name, value }} checked={isTicked(value)} autofocus={isFaulty && index === 0} />
            </li>
          );
        })}
      </ul>
      {isLong || others.length > 0 ? (
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

/** Splits a text at commas and line breaks. Leaves out empty parts and repetitions. */
export const parseList = (text: string): string[] =>
  [...new Set(text.split(/[,\n]/).map((each) => each.trim()))].filter((each) => each !== "");

export const tickedValues = (fields: Fields, name: string): string[] => [
  ...new Set([...fields.all(name).filter((id) => id.trim() !== ""), ...parseList(fields.get(`${name}Others`))]),
];
