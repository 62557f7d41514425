// A list's filters: a row of chips that apply at once, and a form with a button where there are no scripts.
import type { Links, Query } from "../links.js";
import { Button, HiddenFields } from "./form.js";

export interface ChipOption {
  readonly value: string;
  readonly label: string;
}

/** A filter. Its name is the parameter's; one of days has two: `from` and `to`. */
export type Chip = {
  readonly name: string;
  readonly label: string;
} & (
  | { readonly kind: "choice"; readonly all: string; readonly options: readonly ChipOption[] }
  | { readonly kind: "text"; readonly maxlength: number; readonly placeholder?: string }
  | { readonly kind: "day" | "month" | "time"; readonly required?: boolean }
  | { readonly kind: "yes" }
);

interface ChipsProps {
  readonly visit: { readonly links: Links; readonly query: Readonly<Record<string, string>> };
  readonly path: string;
  readonly chips: readonly Chip[];
  /** Parameters that the form leaves as they are. */
  readonly kept?: Query;
  /** What a filter shows where the address has none. */
  readonly defaults?: Query;
}

/** The filter as it stands in the address, for the addresses of the same list. */
export const chipQuery = (query: Readonly<Record<string, string>>, chips: readonly Chip[]): Query =>
  Object.fromEntries(chips.map(({ name }) => [name, query[name]?.trim() || undefined]));

export const isFiltered = (query: Readonly<Record<string, string>>, chips: readonly Chip[]): boolean =>
  chips.some(({ name }) => Boolean(query[name]?.trim()));

export function Chips({ visit, path, chips, kept = {}, defaults = {} }: ChipsProps) {
  const { links, query } = visit;
  if (chips.length === 0) return null;
  const given = chipQuery(query, chips);
  const without = (name: string) => links.to(path, { ...kept, ...given, [name]: undefined });
  return (
    <form method="get" action={links.to(path)} class="chips" data-chips>
      <HiddenFields values={kept} />
      {chips.map((chip) => {
        const { name, label } = chip;
        const value = given[name] ?? defaults[name] ?? "";
        const clear = given[name] !== undefined && chip.kind !== "yes" && !("required" in chip && chip.required);
        return (
          <span class={given[name] === undefined ? "chip" : "chip set"}>
            <label for={`chip-${name}`}>{label}</label>
            <ChipInput chip={chip} value={value} />
            {clear ? (
              <a href={without(name)} class="chip-clear">
                <span class="unseen">Clear {label}</span>
              </a>
            ) : null}
          </span>
        );
      })}
      <Button class="quiet" label="Filter" data-applies />
      {isFiltered(query, chips) ? (
        <a class="chips-all" href={links.to(path, kept)}>
          Show all
        </a>
      ) : null}
    </form>
  );
}

const types = { text: "text", day: "date", month: "month", time: "datetime-local" } as const;

function ChipInput({ chip, value }: { chip: Chip; value: string }) {
  const own = { id: `chip-${chip.name}`, name: chip.name };
  if (chip.kind === "yes") return <input type="checkbox" {...own} value="yes" checked={value === "yes"} />;
  if (chip.kind !== "choice") {
    const { maxlength, placeholder } = chip.kind === "text" ? chip : { maxlength: undefined, placeholder: undefined };
    return <input type={types[chip.kind]} {...own} value={value} {...{ maxlength, placeholder }} autocomplete="off" />;
  }
  const { all, options } = chip;
  // What was chosen stays when it is no longer offered.
  const gone = value !== "" && !options.some((option) => option.value === value) ? [{ value, label: value }] : [];
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
