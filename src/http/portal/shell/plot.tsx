// Plots, drawn on the server, with their numbers as text. Sizes are in percent, so that a plot fits any width and its text keeps its size.

import { groupDigits } from "./formats.js";
import { Amount, type Noun } from "./markup.js";
import { type Column, Table } from "./table.js";

type Bar = readonly [label: string, value: number];

/** Horizontal bars, each below its label and its number. `isNeutral`: draws them in a colour that means neither good nor bad. */
export function Bars({ bars, noun, isNeutral }: { bars: readonly Bar[]; noun: Noun; isNeutral?: boolean }) {
  const longest = Math.max(1, ...bars.map(([, value]) => value));
  return (
    <ul class={isNeutral ? "bars plain-bars" : "bars"}>
      {bars.map(([label, value]) => (
        <li>
          <span class="bar-label">{label}</span>
          <span class="bar-value">
            <Amount value={value} /> <span class="unseen">{noun[value === 1 ? 0 : 1]}</span>
          </span>
          <svg class="bar" aria-hidden="true" focusable="false">
            <rect class="bar-rest" width="100%" height="100%" rx="3" />
            <rect class="bar-part" width={percent(Math.max(value / longest, 0.004))} height="100%" rx="3" />
          </svg>
        </li>
      ))}
    </ul>
  );
}

export interface Day {
  /** A calendar day such as `2026-07-01`. */
  readonly day: string;
  /** One number per part, from the bottom up. */
  readonly values: readonly number[];
}

interface ColumnsProps {
  readonly title: string;
  readonly days: readonly Day[];
  /** For each of a day's values: what it counts, and its colour, which styles/6-plots.css defines. */
  readonly parts: readonly { readonly label: string; readonly colour: "good" | "warn" }[];
  /** Writes a day in words. */
  readonly nameOf: (day: string) => string;
}

/** One column for each day, with its parts stacked. A table below has the same numbers. */
export function DailyColumns({ title, days, parts, nameOf }: ColumnsProps) {
  const totals = days.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const top = topOf(totals);
  const cutDays = days.filter((_, index) => (totals[index] ?? 0) > top);
  const step = 1 / Math.max(1, days.length);
  return (
    <figure class="columns">
      <figcaption>
        <span>{title}</span>
        <span class="legend">
          {parts.map(({ label, colour }) => (
            <span>
              <svg class="swatch" aria-hidden="true" focusable="false">
                <rect class={`fill-${colour}`} width="100%" height="100%" rx="2" />
              </svg>
              {label}
            </span>
          ))}
        </span>
      </figcaption>
      <p class="scale" aria-hidden="true">
        <Amount value={top} />
      </p>
      <svg class="column-area" aria-hidden="true" focusable="false">
        {days.map(({ day, values }, index) => (
          <g>
            <title>{`${nameOf(day)}: ${parts.map(({ label }, part) => `${values[part] ?? 0} ${label.toLowerCase()}`).join(", ")}`}</title>
            <rect class="column-ground" x={percent(index * step)} width={percent(step)} height="100%" />
            {stacked(values, Math.max(top, totals[index] ?? 0)).map(({ from, height }, part) => (
              <rect
                class={`fill-${parts[part]?.colour ?? "good"}`}
                x={percent((index + 0.1) * step)}
                y={percent(1 - from - height)}
                width={percent(0.8 * step)}
                height={percent(height)}
              />
            ))}
            {(totals[index] ?? 0) > top ? (
              <rect class="column-break" x={percent((index + 0.05) * step)} y="12%" width={percent(0.9 * step)} height="4%" />
            ) : null}
          </g>
        ))}
      </svg>
      <p class="ends" aria-hidden="true">
        <span>{nameOf(days[0]?.day ?? "")}</span>
        <span>{nameOf(days.at(-1)?.day ?? "")}</span>
      </p>
      {cutDays.length === 0 ? null : (
        <p class="hint">
          {cutDays.length === 1 ? "Bar" : "Bars"} too tall to draw in full:{" "}
          {cutDays.map((each) => `${nameOf(each.day)} (${groupDigits(totals[days.indexOf(each)] ?? 0)} rows)`).join(", ")}.
        </p>
      )}
      <details>
        <summary>As a table</summary>
        <Table
          caption={title}
          columns={[
            { heading: "Day", isRowHeader: true, cell: ({ day }) => nameOf(day) },
            ...parts.map(({ label }, part): Column<Day> => ({ heading: label, number: true, value: ({ values }) => values[part] ?? 0 })),
          ]}
          rows={days}
        />
      </details>
    </figure>
  );
}

const maxCutDays = 3;
const cutRatio = 4;

/**
 * The number at the top of the scale: the highest total, unless up to three days are more than four times as high as all others. Then it is
 * the highest of the others, so that these can still be compared.
 */
function topOf(totals: readonly number[]): number {
  const sorted = totals.filter((total) => total > 0).sort((a, b) => b - a);
  for (let cutCount = Math.min(maxCutDays, sorted.length - 1); cutCount > 0; cutCount -= 1) {
    const [lowestCut = 0, next = 0] = sorted.slice(cutCount - 1);
    if (lowestCut > cutRatio * next) return next;
  }
  return Math.max(1, sorted[0] ?? 0);
}

/** Where each part of a column begins and how high it is, as fractions of the plot's height. */
function stacked(values: readonly number[], highest: number): readonly { readonly from: number; readonly height: number }[] {
  let end = 0;
  return values.map((value) => {
    const from = end;
    end += value / highest;
    return { from, height: value / highest };
  });
}

const percent = (part: number) => `${Math.round(part * 10_000) / 100}%`;
