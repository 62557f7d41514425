// A list's filters: a row of chips that apply at once, and a form with a button where there are no scripts.
import type { Child } from "hono/jsx";
import { groupedBy } from "../../../domain/groupedBy.js";
import { Button, HiddenFields, type Option, Options } from "./form.js";
import { Link, type Query, useVisit, withQuery } from "./parts.js";

export const optionsOf = (names: Readonly<Record<string, string>>): Option[] =>
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
  | { readonly kind: "choice"; readonly all: string; readonly options: readonly Option[]; readonly gone?: string }
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

const isRequired = (chip: Chip) => "required" in chip && chip.required;

export const isFiltered = (query: Readonly<Record<string, string>>, chips: readonly Chip[]): boolean =>
  chips.some((chip) => !isRequired(chip) && Boolean(query[chip.name]?.trim()));

export function Chips({ query = useVisit().query, path, chips, kept = {}, all = "Show all" }: ChipsProps) {
  if (chips.length === 0) return null;
  const given = chipQuery(query, chips);
  return (
    <form method="get" action={useVisit().links.to(path)} class="filter-chips" data-chips>
      <HiddenFields values={kept} />
      {[...groupedBy(chips, ({ group, name }) => group ?? name).values()].map((group) => (
        <span class={group.length === 1 ? undefined : "chip-group"}>
          {group.map((chip) => {
            const { name, label, value = given[name] ?? "", after } = chip;
            return (
              <span class={value === "" ? "chip" : "chip set"}>
                <label for={`chip-${name}`}>{label}</label>
                <ChipInput chip={chip} value={value} />
                {given[name] !== undefined && chip.kind !== "yes" && !isRequired(chip) ? (
                  <Link to={withQuery(path, { ...kept, ...given, [name]: undefined })} class="chip-clear">
                    <span class="unseen">Clear {label}</span>
                  </Link>
                ) : null}
                {after}
              </span>
            );
          })}
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

const types = { day: "date", month: "month", time: "datetime-local" } as const;

function ChipInput({ chip, value }: { chip: Chip; value: string }) {
  const own = { id: `chip-${chip.name}`, name: chip.name, "data-clears": chip.clears?.join(" ") };
  if (chip.kind === "yes") return <input type="checkbox" {...own} value="yes" checked={value === "yes"} />;
  if (chip.kind === "text") {
    const { maxlength, placeholder } = chip;
    return <input type="text" {...own} value={value} {...{ maxlength, placeholder }} autocomplete="off" />;
  }
  if (chip.kind !== "choice")
    return <input type={types[chip.kind]} {...own} value={value} step={chip.kind === "time" ? "1" : undefined} autocomplete="off" />;
  const { all, options, gone: goneLabel = value } = chip;
  // What was chosen stays when it is no longer offered.
  const gone = value !== "" && !options.some((option) => option.value === value) ? [{ value, label: goneLabel }] : [];
  return (
    <select {...own}>
      <Options options={[{ value: "", label: all }, ...options, ...gone]} value={value} />
    </select>
  );
}
