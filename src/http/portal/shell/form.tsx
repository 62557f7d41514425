import { type Child, createContext, useContext } from "hono/jsx";
import type { Fields } from "../fields.js";
import type { Query } from "../links.js";
import type { FieldFault, Visit } from "../pageDefinition.js";

interface FormProps {
  readonly visit: Visit;
  /** Where it is sent: a path of the portal. */
  readonly to: string;
  readonly class?: string;
  /** For fields that stand outside of it. */
  readonly id?: string;
  readonly children: Child;
  readonly [attribute: `data-${string}`]: string;
}

interface ButtonProps {
  readonly label: string;
  readonly type?: "submit" | "button";
  readonly class?: "quiet" | "danger" | "quiet danger" | undefined;
  /** What it is about, for users of a screen reader, who do not see what it stands beside. */
  readonly "aria-description"?: string;
  readonly [attribute: string]: unknown;
}

export const Button = ({ label, type = "submit", ...rest }: ButtonProps) => (
  <button type={type} {...rest}>
    {label}
  </button>
);

/** Looks like a button, and leads to a page or to a file. `to` is an address, as `links.to` makes it. */
export const ButtonLink = ({ to, label, quiet, ...rest }: { to: string; label: string; quiet?: boolean; [attribute: string]: unknown }) => (
  <a class={quiet ? "button quiet" : "button"} href={to} {...rest}>
    {label}
  </a>
);

/** Fields that are sent and not shown; those without a value are left out. */
export const HiddenFields = ({ values }: { values: Query }) => (
  <>{Object.entries(values).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}</>
);

/** Works without any script; the token ties it to the session of the person it was made for. */
export const Form = ({ visit, to, class: className, children, ...rest }: FormProps) => (
  <form method="post" action={visit.links.to(to)} class={className ?? "stacked"} {...rest}>
    <input type="hidden" name="token" value={visit.formToken} />
    {children}
  </form>
);

interface FieldProps {
  readonly label: string;
  readonly name: string;
  /** Needed where several forms of one page have a field of the same name. */
  readonly id?: string;
  readonly type?: "text" | "email" | "password" | "datetime-local" | "date" | "month";
  readonly value?: string | undefined;
  readonly hint?: string | undefined;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly maxlength?: number | undefined;
  readonly minlength?: number;
  readonly step?: string;
  readonly required?: boolean;
  /** The id of a list of suggestions. */
  readonly list?: string;
  /** Set for a text that needs more than one line. */
  readonly lines?: number | undefined;
  /** Shown, and sent as it is. */
  readonly readonly?: boolean;
}

/** What is wrong with a field, on a page that shows a form again. */
export const FaultContext = createContext<FieldFault | undefined>(undefined);

/** Stands at the field. Screen readers say it when the field gets the focus. */
export function Fault({ name, id = `field-${name}` }: { name: string; id?: string }) {
  const fault = useContext(FaultContext);
  return fault?.field === name ? (
    <p class="field-fault" id={`${id}-fault`} role="alert">
      {fault.line}
    </p>
  ) : null;
}

export function Field({ label, name, id = `field-${name}`, type = "text", value, hint, required = true, lines, ...rest }: FieldProps) {
  const isFaulty = useContext(FaultContext)?.field === name;
  const described = [...(isFaulty ? [`${id}-fault`] : []), ...(hint ? [`${id}-hint`] : [])].join(" ") || undefined;
  const fault = isFaulty ? { "aria-invalid": "true", autofocus: true } : {};
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {lines === undefined ? (
        <input id={id} name={name} type={type} value={value} required={required} aria-describedby={described} {...fault} {...rest} />
      ) : (
        <textarea id={id} name={name} rows={lines} required={required} aria-describedby={described} {...fault}>
          {value}
        </textarea>
      )}
      <Fault name={name} id={id} />
      {hint ? (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  /** Needed where several forms of one page have a choice of the same name. */
  readonly id?: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value?: string | undefined;
  /** Only screen readers read the label, where a table's heading shows it. */
  readonly unseenLabel?: boolean;
}

export function Choice({ label, name, id = `field-${name}`, options, value, unseenLabel }: ChoiceProps) {
  const isFaulty = useContext(FaultContext)?.field === name;
  return (
    <div class="field">
      <label for={id} class={unseenLabel ? "unseen" : undefined}>
        {label}
      </label>
      <select id={id} name={name} autofocus={isFaulty} aria-describedby={isFaulty ? `${id}-fault` : undefined}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
      <Fault name={name} id={id} />
    </div>
  );
}

interface TicksProps {
  readonly legend: string;
  readonly name: string;
  /** `about`: what stands behind the label instead of the value. */
  readonly options: readonly { readonly value: string; readonly label: string; readonly about?: string }[];
  readonly ticked: readonly string[];
  readonly class?: string;
  /** Stands above the boxes. */
  readonly children?: Child;
}

/** The page lists this many boxes. Further ones are entered by their ids. */
const mostListed = 200;

/** Boxes to tick; of a long list those that are ticked come first. */
export function Ticks({ legend, name, options, ticked, class: kind = "choices", children }: TicksProps) {
  const isFaulty = useContext(FaultContext)?.field === name;
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
      <ul>
        {listed.map(({ value, label, about = value }, index) => (
          <li data-name={`${label} ${value}`.toLowerCase()}>
            <label class="check">
              <input type="checkbox" name={name} value={value} checked={isTicked(value)} autofocus={isFaulty && index === 0} />
              <span>
                {label} <span class={about === value ? "muted customer-id" : "muted"}>{about}</span>
              </span>
            </label>
          </li>
        ))}
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

interface AskProps {
  readonly visit: Pick<Visit, "links">;
  /** The page that asks: this one, with the question in its address. */
  readonly at: string;
  readonly question: Readonly<Record<string, string>>;
}

/** Asks before anything is done. With a script only the question is fetched; without one the whole page comes with it. */
export function AskForm({ visit, at, question, class: kind, children }: AskProps & { class?: string; children: Child }) {
  const action = visit.links.to(at);
  return (
    <form method="get" action={action} class={kind} hx-get={action} hx-select="#question" hx-target="#question" hx-swap="outerHTML">
      <HiddenFields values={question} />
      {children}
    </form>
  );
}

/**
 * `about`: what it is about, for users of a screen reader, who do not see the button's row. `harmless`: it is not drawn as something that takes
 * away.
 */
export const AskButton = ({ label, about, harmless, ...ask }: AskProps & { label: string; about: string; harmless?: boolean }) => (
  <AskForm {...ask}>
    <Button class={harmless ? "quiet" : "quiet danger"} aria-description={about} label={label} />
  </AskForm>
);

interface QuestionProps {
  readonly visit: Visit;
  readonly title: string;
  readonly to?: string;
  /** Back to the page as it was. */
  readonly back: string;
  readonly label?: string;
  /** The label of the button that closes the question, where `Cancel` could be mistaken for the action itself. */
  readonly keep?: string;
  /** The answer takes nothing away. */
  readonly harmless?: boolean;
  readonly fields?: Readonly<Record<string, string>>;
  /** What is chosen with the answer. */
  readonly choice?: Child;
  readonly children: Child;
}

/** The place on a page where its questions appear; empty until one is asked. */
export const NoQuestion = () => <div id="question" />;

/** Without a label there is nothing to decide: it says why, and closes. */
export function Question({ visit, title, to = "", back, label, keep = "Cancel", harmless, fields = {}, choice, children }: QuestionProps) {
  const close = <ButtonLink to={visit.links.to(back)} label={label === undefined ? "Close" : keep} quiet data-close />;
  return (
    <div id="question">
      <dialog open aria-labelledby="question-title" data-back={visit.links.to(back)}>
        <h2 id="question-title">{title}</h2>
        <div class="question-text">{children}</div>
        {label === undefined ? (
          <div class="answers">{close}</div>
        ) : (
          <Form visit={visit} to={to} class="answers">
            <HiddenFields values={fields} />
            {choice}
            {close}
            <Button class={harmless ? undefined : "danger"} label={label} />
          </Form>
        )}
      </dialog>
    </div>
  );
}
