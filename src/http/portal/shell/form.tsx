import type { Child } from "hono/jsx";
import type { Query } from "../links.js";
import type { Visit } from "../page.js";

interface FormProps {
  readonly visit: Visit;
  /** Where it is sent: a path of the portal. */
  readonly to: string;
  readonly class?: string;
  readonly children: Child;
}

/** Fields that are sent and not shown; those without a value are left out. */
export const HiddenFields = ({ values }: { values: Query }) => (
  <>{Object.entries(values).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}</>
);

/** Works without any script; the token ties it to the session of the person it was made for. */
export function Form({ visit, to, class: className, children }: FormProps) {
  return (
    <form method="post" action={visit.links.to(to)} class={className ?? "stacked"}>
      <input type="hidden" name="token" value={visit.formToken} />
      {children}
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  /** Needed where several forms of one page have a field of the same name. */
  readonly id?: string;
  readonly type?: "text" | "email" | "password" | "datetime-local" | "date" | "month";
  readonly value?: string | undefined;
  readonly hint?: string;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly maxlength?: number;
  readonly minlength?: number;
  readonly step?: string;
  readonly required?: boolean;
}

export function Field({ label, name, id = `field-${name}`, type = "text", value, hint, required = true, ...rest }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        value={value}
        required={required}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
      />
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
  return (
    <div class="field">
      <label for={id} class={unseenLabel ? "unseen" : undefined}>
        {label}
      </label>
      <select id={id} name={name}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
