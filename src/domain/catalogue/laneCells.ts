// The lanes of a rate card as a table, as people edit them: in a page, in a CSV file and in a workbook.
import { faultsOf, parseInSentences } from "../validation.js";
import { type Lane, lane as laneSchema } from "./schema.js";

const fixedColumns = ["from", "to", "basic", "perKg", "minimum", "transitMin", "transitMax", "transitUnit"] as const;
export const mostBreaks = 100;
export const mostLanes = 10_000;

/** The columns of lanes with at most so many breaks. */
export const laneColumns = (breaks: number): string[] => [
  ...fixedColumns,
  ...Array.from({ length: breaks }, (_, index) => [`fromKg${index + 1}`, `perKg${index + 1}`]).flat(),
];

export const mostBreaksIn = (lanes: readonly Lane[]): number => lanes.reduce((most, { breaks }) => Math.max(most, breaks.length), 0);

/** A lane's cells, in the order of `laneColumns`; those that it has no value for are left out at the end. */
export const laneCells = ({ from, to, basic, perKg, minimum, transit, breaks }: Lane): string[] =>
  [
    ...[from, to, basic, perKg, minimum, transit?.min ?? "", transit?.max ?? "", transit?.unit ?? ""],
    ...breaks.flatMap((each) => [each.fromKg, each.perKg]),
  ].map(String);

export interface LaneLine {
  /** Where a person finds it: `Line 7` of a file. */
  readonly where: string;
  readonly cells: readonly string[];
}

/** Lines as lanes, undefined for a line without any text. A fault names its line, and says what to write. */
export function readLanes(columns: readonly string[], lines: readonly LaneLine[]) {
  const indexOf = new Map(columns.map((column, index) => [column.trim().toLowerCase(), index]));
  const missing = fixedColumns.slice(0, 2).filter((column) => !indexOf.has(column.toLowerCase()));
  const known = new Set(laneColumns(mostBreaks).map((column) => column.toLowerCase()));
  const unknown = columns.filter((column) => !known.has(column.trim().toLowerCase()));
  const headings = [
    ...(missing.length > 0 ? [`Line 1: write the missing columns: ${missing.join(", ")}`] : []),
    ...(unknown.length > 0
      ? [`Line 1: ${unknown.slice(0, 10).join(", ")} cannot be read. The columns are ${laneColumns(1).join(", ")}, ...`]
      : []),
    ...(indexOf.size < columns.length ? ["Line 1: write each column once"] : []),
  ];
  if (headings.length > 0) return { lanes: [] as (Lane | undefined)[], faults: headings };
  const faults: string[] = [];
  const lanes = lines.map(({ where, cells }) => {
    if (cells.every((cell) => cell.trim() === "")) return undefined;
    const read = readLane((column) => cells[indexOf.get(column.toLowerCase()) ?? -1]?.trim() ?? "");
    faults.push(...read.faults.map((fault) => `${where}: ${fault}`));
    return read.lane;
  });
  return { lanes, faults };
}

const numberText = /^-?\d+(\.\d+)?$/;

function readLane(cell: (column: string) => string): { lane: Lane | undefined; faults: string[] } {
  const faults: string[] = [];
  const number = (column: string): number | undefined => {
    const text = cell(column);
    if (text === "") return undefined;
    if (!numberText.test(text)) faults.push(`${column} ${JSON.stringify(text.slice(0, 40))} must be a number; write it such as 12.50`);
    return Number(text) || 0;
  };
  const given = (name: string, value: unknown) => (value === undefined || value === "" ? {} : { [name]: value });
  const transit = {
    ...given("min", number("transitMin")),
    ...given("max", number("transitMax")),
    ...given("unit", cell("transitUnit").toUpperCase()),
  };
  const breaks = Array.from({ length: mostBreaks }, (_, index) => ({
    ...given("fromKg", number(`fromKg${index + 1}`)),
    ...given("perKg", number(`perKg${index + 1}`)),
  })).filter((each) => Object.keys(each).length > 0);
  const { success, data, error } = parseInSentences(laneSchema, {
    from: cell("from"),
    to: cell("to"),
    ...given("basic", number("basic")),
    ...given("perKg", number("perKg")),
    ...given("minimum", number("minimum")),
    breaks,
    ...(Object.keys(transit).length > 0 ? { transit } : {}),
  });
  if (!success) faults.push(...faultsOf(error, "the lane").map(inColumns));
  return { lane: success ? data : undefined, faults };
}

/** A fault with the name of its column before it, where the schema names the field. */
const inColumns = (fault: string): string =>
  fault
    .replace(/^breaks\.(\d+)\.(\w+)/, (_, index: string, field: string) => `${field}${Number(index) + 1}`)
    .replace(/^transit\.(min|max|unit)/, (_, field: string) => `transit${field[0]?.toUpperCase()}${field.slice(1)}`)
    .replace(/is required$/, "is missing; write it");

/** The faults of a whole file with those of a card's lanes by their lines. */
export const laneFaults = (faults: readonly string[], card: string, where: readonly string[]): string[] =>
  faults.map((fault) => {
    const lanes = `${card}.lanes.`;
    const [, index, rest = ""] = (fault.startsWith(lanes) && /^(\d+)[. ](.*)$/s.exec(fault.slice(lanes.length))) || [];
    if (index === undefined) return fault;
    const [own = "", ...others] = rest.split(lanes);
    const named = others.map((text) => text.replace(/^\d+/, (other) => `that of ${where[Number(other)]?.toLowerCase()}`));
    const text = [own, ...named].join("");
    return `${where[Number(index)]}: ${inColumns(text)}`;
  });
