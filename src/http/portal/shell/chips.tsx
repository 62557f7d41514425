// A list's filters: a row of chips that apply at once, and a form with a button where there are no scripts.

import type { Child } from "hono/jsx";
import { groupItems } from "../groupItems.js";
import { Button, HiddenFields } from "./form.js";
import { Link, type Query, useVisit, withQuery } from "./parts.js";

export interface ChipOption {
  readonly value: string;
  readonly label: string;
}

export const optionsOf = (names: Readonly<Record<string, string>>): ChipOption[] =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** A filter. Its name is the parameter's; one of days has two: `from` and `to`. */
export type Chip = {
  readonly name: string;
  readonly label: string;
  /** What the field shows, where that is not what the address has. */
  readonly value?: string | undefined;
  /** Other filters that this one takes the place of: a script empties them. */
  readonly clears?: readonly string[];
  /** Chips with the same group are one control. */
  readonly group?: string;
  readonly after?: Child;
} & (
  | { readonly kind: "choice"; readonly all: string; readonly options: readonly ChipOption[]; readonly gone?: string }
  | { readonly kind: "text"; readonly maxlength: number; readonly placeholder?: string }
  | { readonly kind: "day" | "month" | "time"; readonly required?: boolean }
  | { readonly kind: "yes" }
);

interface ChipsProps {
  /** The page's query, where it is not that of the visit. */
  readonly query?: Readonly<Record<string, string>>;
  readonly path: string;
  readonly chips: readonly Chip[];
  /** Parameters that the form leaves as they are. */
  readonly kept?: Query;
  /** Leads to the page without any filter. Empty for a single filter, which can be cleared. */
  readonly all?: string;
}

/** The filter as it stands in the address, for the addresses of the same list. */
export const chipQuery = (query: Readonly<Record<string, string>>, chips: readonly Chip[]): Query =>
  Object.fromEntries(chips.map(({ name }) => [name, query[name]?.trim() || undefined]));

export const isFiltered = (query: Readonly<Record<string, string>>, chips: readonly Chip[]): boolean =>
  chips.some((chip) => !("required" in chip && chip.required) && Boolean(query[chip.name]?.trim()));

export function Chips({ query = useVisit().query, path, chips, kept = {}, all = "Show all" }: ChipsProps) {
  if (chips.length === 0) return null;
  const given = chipQuery(query, chips);
  const without = (name: string) => withQuery(path, { ...kept, ...given, [name]: undefined });
  return (
    <form method="get" action={useVisit().links.to(path)} class="filter-chips" data-chips>
      <HiddenFields values={kept} />
      {[...groupItems(chips, ({ group, name }) => group ?? name).values()].map((group) => (
        <span class={group.length === 1 ? undefined : "chip-group"}>
          {group.map((chip) => (
            <OneChip chip={chip} given={given[chip.name]} without={without(chip.name)} />
          ))}
        </span>
      ))}
      <Button class="quiet" label="Filter" data-applies />
      {all !== "" && isFiltered(query, chips) ? (
        <Link class="chips-all" to={withQuery(path, kept)}>
          {all}
        </Link>
      ) : null}
    </form>
  );
}

function OneChip({ chip, given, without }: { chip: Chip; given: string | undefined; without: string }) {
  const { name, label, value = given ?? "", after } = chip;
  const mayClear = given !== undefined && chip.kind !== "yes" && !("required" in chip && chip.required);
  return (
    <span class={value === "" ? "chip" : "chip set"}>
      <label for={`chip-${name}`}>{label}</label>
      <ChipInput chip={chip} value={value} />
      {mayClear ? (
        <Link to={without} class="chip-clear">
          <span class="unseen">Clear {label}</span>
        </Link>
      ) : null}
      {after}
    </span>
  );
}

const types = { text: "text", day: "date", month: "month", time: "datetime-local" } as const;

function ChipInput({ chip, value }: { chip: Chip; value: string }) {
  const own = { id: `chip-${chip.name}`, name: chip.name, "data-clears": chip.clears?.join(" ") };
  if (chip.kind === "yes") return <input type="checkbox" {...own} value="yes" checked={value === "yes"} />;
  if (chip.kind !== "choice") {
    const { maxlength, placeholder } = chip.kind === "text" ? chip : { maxlength: undefined, placeholder: undefined };
    return (
      <input
        type={types[chip.kind]}
        {...own}
        value={value}
        {...{ maxlength, placeholder }}
        step={chip.kind === "time" ? "1" : undefined}
        autocomplete="off"
      />
    );
  }
  const { all, options, gone: goneLabel = value } = chip;
  // What was chosen stays when it is no longer offered.
  const gone = value !== "" && !options.some((option) => option.value === value) ? [{ value, label: goneLabel }] : [];
  return (
    <select {...own}>
      {[{ value: "", label: all }, ...options, ...gone].map((option) => (
        <option value={option.value} selected={option.value === value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
