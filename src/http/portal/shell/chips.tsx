// A list's filters: a row of chips that apply as soon as they change. Without scripts it is a form with a button.
import type { Child } from "hono/jsx";
import { groupedBy } from "../../../domain/groupedBy.js";
import { Button, HiddenFields, type Option, Options } from "./form.js";
import { Link, type Query, useVisit, withQuery } from "./markup.js";

export const optionsOf = (names: Readonly<Record<string, string>>): Option[] =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** One filter. `name` is its parameter in the address. */
export type Chip = {
  readonly name: string;
  readonly label: string;
  /** The value of the field, if it differs from the parameter in the address. */
  readonly value?: string | undefined;
  /** The names of filters that this one replaces. A script empties them when this one is set. */
  readonly clears?: readonly string[];
  /** Chips of the same group are drawn as one control. */
  readonly group?: string;
  readonly suffix?: Child;
} /** `all`: the label of the option that does not filter. `unlistedLabel`: the label of a chosen value that is not, or no longer, among the options. */ & (
  | { readonly kind: "choice"; readonly all: string; readonly options: readonly Option[]; readonly unlistedLabel?: string }
  | { readonly kind: "text"; readonly maxlength: number; readonly placeholder?: string }
  | { readonly kind: "day" | "month" | "time"; readonly required?: boolean }
  | { readonly kind: "checkBox" }
);

interface ChipsProps {
  /** The query to show, if it is not the visit's own. */
  readonly query?: Readonly<Record<string, string>>;
  readonly path: string;
  readonly chips: readonly Chip[];
  /** Parameters that are no filters. The form and its links keep them. */
  readonly keptQuery?: Query;
  /** The label of the link that removes all filters. Empty for no link. */
  readonly all?: string;
}

/** The current filters as parameters, for other addresses of the same list. */
export const chipQuery = (query: Readonly<Record<string, string>>, chips: readonly Chip[]): Query =>
  Object.fromEntries(chips.map(({ name }) => [name, query[name]?.trim() || undefined]));

const isRequired = (chip: Chip) => "required" in chip && chip.required;

export const hasFilters = (query: Readonly<Record<string, string>>, chips: readonly Chip[]): boolean =>
  chips.some((chip) => !isRequired(chip) && Boolean(query[chip.name]?.trim()));

export function Chips({ query = useVisit().query, path, chips, keptQuery = {}, all = "Show all" }: ChipsProps) {
  if (chips.length === 0) return null;
  const current = chipQuery(query, chips);
  return (
    <form method="get" action={useVisit().links.to(path)} class="filter-chips" data-chips>
      <HiddenFields values={keptQuery} />
      {[...groupedBy(chips, ({ group, name }) => group ?? name).values()].map((group) => (
        <span class={group.length === 1 ? undefined : "chip-group"}>
          {group.map((chip) => {
            const { name, label, value = current[name] ?? "", suffix } = chip;
            return (
              <span class={value === "" ? "chip" : "chip set"}>
                <label for={`chip-${name}`}>{label}</label>
                <ChipInput chip={chip} value={value} />
                {current[name] !== undefined && chip.kind !== "checkBox" && !isRequired(chip) ? (
                  <Link to={withQuery(path, { ...keptQuery, ...current, [name]: undefined })} class="chip-clear">
                    <span class="unseen">Clear {label}</span>
                  </Link>
                ) : null}
                {suffix}
              </span>
            );
          })}
        </span>
      ))}
      <Button class="quiet" label="Filter" data-applies />
      {all !== "" && hasFilters(query, chips) ? (
        <Link class="chips-all" to={withQuery(path, keptQuery)}>
          {all}
        </Link>
      ) : null}
    </form>
  );
}

const inputTypes = { day: "date", month: "month", time: "datetime-local" } as const;

function ChipInput({ chip, value }: { chip: Chip; value: string }) {
  const base = { id: `chip-${chip.name}`, name: chip.name, "data-clears": chip.clears?.join(" ") };
  if (chip.kind === "checkBox") return <input type="checkbox" {...base} value="yes" checked={value === "yes"} />;
  if (chip.kind === "text") {
    const { maxlength, placeholder } = chip;
    return <input type="text" {...base} value={value} {...{ maxlength, placeholder }} autocomplete="off" />;
  }
  if (chip.kind !== "choice")
    return <input type={inputTypes[chip.kind]} {...base} value={value} step={chip.kind === "time" ? "1" : undefined} autocomplete="off" />;
  const { all, options, unlistedLabel = value } = chip;
  const unlisted = value !== "" && !options.some((option) => option.value === value) ? [{ value, label: unlistedLabel }] : [];
  return (
    <select {...base}>
      <Options options={[{ value: "", label: all }, ...options, ...unlisted]} value={value} />
    </select>
  );
}
