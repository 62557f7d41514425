import type { Child, JSX } from "hono/jsx";
import { limits } from "../../../domain/imports/limits.js";
import type { Fields } from "../fields.js";
import { ButtonLink, type Query, useVisit } from "./parts.js";

interface ButtonProps {
  readonly label: string;
  readonly type?: "submit" | "button";
  readonly class?: "quiet" | "danger" | "quiet danger" | "" | undefined;
  /** What it is about, for users of a screen reader, who do not see what it stands beside. */
  readonly "aria-description"?: string | undefined;
  readonly [attribute: string]: unknown;
}

export const Button = ({ label, type = "submit", ...rest }: ButtonProps) => (
  <button type={type} {...rest}>
    {label}
  </button>
);

/** Fields that are sent and not shown; those without a value are left out. */
export const HiddenFields = ({ values }: { values: Query }) => (
  <>{Object.entries(values).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}</>
);

interface FormProps {
  /** Where it is sent: a path of the portal. */
  readonly to: string;
  readonly class?: string;
  /** For fields that stand outside of it. */
  readonly id?: string;
  readonly enctype?: "multipart/form-data";
  readonly hidden?: Query;
  /** The label of the button at its end, and the page that `Cancel` beside it leads to. */
  readonly submit?: string;
  readonly cancel?: string;
  readonly isDangerous?: boolean;
  readonly children?: Child;
  readonly [attribute: `data-${string}`]: string | number;
}

/** Works without any script; the token ties it to the session of the person it was made for. */
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

/** A form that is nothing but a button. */
export const ButtonForm = ({ to, hidden, label, about, class: kind = "quiet" }: ButtonFormProps) => (
  <Form to={to} class="one" {...(hidden ? { hidden } : {})}>
    <Button class={kind || undefined} aria-description={about} label={label} />
  </Form>
);

interface LabelledProps {
  readonly label: string;
  readonly name: string;
  /** Needed where several forms of one page have a field of the same name. */
  readonly id?: string | undefined;
  readonly hint?: string | undefined;
  /** Only screen readers read the label, where a table's heading shows it. */
  readonly unseenLabel?: boolean;
}

/** An input under its label, with what is wrong with it and its hint. */
function Labelled({ label, name, id = `field-${name}`, hint, unseenLabel, input }: LabelledProps & { input: (own: object) => Child }) {
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

/** Stands at the field. Screen readers say it when the field gets the focus. */
function Fault({ name, id = `field-${name}` }: { name: string; id?: string }) {
  const { fault } = useVisit();
  return fault?.field === name ? (
    <p class="field-fault" id={`${id}-fault`} role="alert">
      {fault.line}
    </p>
  ) : null;
}

type InputProps = JSX.IntrinsicElements["input"];
type OfField = "type" | "accept" | "autocomplete" | "placeholder" | "maxlength" | "minlength" | "required" | "list" | "readonly";

interface FieldProps extends LabelledProps, Pick<InputProps, OfField> {
  /** What it begins with. A form that is shown again has what was sent. */
  readonly value?: string | undefined;
  /** Set for a text that needs more than one line. */
  readonly lines?: number | undefined;
}

export function Field({ label, name, id, hint, type = "text", value, required = true, lines, ...rest }: FieldProps) {
  const text = useVisit().submitted.all(name)[0] ?? value;
  const input = (own: object) =>
    lines === undefined ? (
      <input {...own} type={type} value={text} required={required} {...rest} />
    ) : (
      <textarea {...own} rows={lines} required={required}>
        {text}
      </textarea>
    );
  return <Labelled {...{ label, name, id, hint, input }} />;
}

/** Why recorded rows are taken back or corrected: `reasonIn` reads it. */
export const ReasonField = ({ hint }: { hint: string }) => (
  <Field label="Reason" name="reason" maxlength={limits.reasonLength} hint={hint} autocomplete="off" />
);

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Of a list to choose from. */
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
  /** What it begins with. A form that is shown again has what was sent, unless the page has several choices of this name. */
  readonly value?: string | undefined;
}

export function Choice({ options, value, ...field }: ChoiceProps) {
  const { submitted } = useVisit();
  const chosen = (field.id === undefined ? submitted.all(field.name)[0] : undefined) ?? value;
  const input = (own: object) => (
    <select {...own}>
      <Options options={options} value={chosen} />
    </select>
  );
  return <Labelled {...field} input={input} />;
}

interface BoxProps extends Pick<InputProps, "checked" | "required" | "autofocus"> {
  readonly label: Child;
  readonly name: string;
  readonly value: string;
}

const Box = ({ label, ...input }: BoxProps) => (
  <label class="check">
    <input type="checkbox" {...input} />
    <span>{label}</span>
  </label>
);

/** A box to tick. The empty value behind it says, where the form is shown again, that it was sent without the tick. */
export function Tick({ checked = false, ...box }: BoxProps) {
  const [sent] = useVisit().submitted.all(box.name);
  return (
    <>
      <Box {...box} checked={sent === undefined ? checked : sent !== ""} />
      <input type="hidden" name={box.name} value="" />
    </>
  );
}

interface TicksProps {
  readonly legend: string;
  readonly name: string;
  /** `about`: what stands behind the label instead of the value. */
  readonly options: readonly (Option & { readonly about?: string })[];
  /** What is ticked at first. A form that is shown again has what was sent. */
  readonly ticked?: readonly string[];
  readonly class?: string;
  /** Stands above the boxes. */
  readonly children?: Child;
}

/** The page lists this many boxes. Further ones are entered by their ids. */
const mostListed = 200;

/** Boxes to tick, which `tickedIn` reads; of a long list those that are ticked come first. The empty value is as that of `Tick`. */
export function Ticks({ legend, name, options, ticked: before = [], class: kind = "choices", children }: TicksProps) {
  const { fault, submitted } = useVisit();
  const isFaulty = fault?.field === name;
  const ticked = submitted.all(name).length > 0 ? tickedIn(submitted, name) : before;
  const isTicked = (value: string) => ticked.includes(value);
  const isLong = options.length > mostListed;
  const sorted = isLong ? options.toSorted((a, b) => Number(isTicked(b.value)) - Number(isTicked(a.value))) : options;
  const listed = sorted.slice(0, mostListed);
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
              <Box label={shown} {...{ name, value }} checked={isTicked(value)} autofocus={isFaulty && index === 0} />
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

/** Texts with commas or line breaks between them, each once. */
export const listIn = (text: string): string[] =>
  [...new Set(text.split(/[,\n]/).map((each) => each.trim()))].filter((each) => each !== "");

export const tickedIn = (fields: Fields, name: string): string[] => [
  ...new Set([...fields.all(name).filter((id) => id.trim() !== ""), ...listIn(fields.get(`${name}Others`))]),
];
