// The lanes of a rate card as a table, as people edit them: in a page, in a CSV file and in a workbook.
import { faultsOf, parseInSentences } from "../validation.js";
import { type Lane, lane as laneSchema } from "./schema.js";

const fixedColumns = ["from", "to", "basic", "perKg", "minimum", "transitMin", "transitMax", "transitUnit"] as const;
export const maxBreaks = 100;
export const maxLanes = 10_000;

/** The columns for lanes with at most `breakCount` breaks. */
export const laneColumns = (breakCount: number): string[] => [
  ...fixedColumns,
  ...Array.from({ length: breakCount }, (_, index) => [`fromKg${index + 1}`, `perKg${index + 1}`]).flat(),
];

export const maxBreaksIn = (lanes: readonly Lane[]): number => lanes.reduce((max, { breaks }) => Math.max(max, breaks.length), 0);

/** A lane's cells, in the order of `laneColumns`. They end with the lane's last break. */
export const laneCells = ({ from, to, basic, perKg, minimum, transit, breaks }: Lane): string[] =>
  [
    ...[from, to, basic, perKg, minimum, transit?.min ?? "", transit?.max ?? "", transit?.unit ?? ""],
    ...breaks.flatMap((each) => [each.fromKg, each.perKg]),
  ].map(String);

export interface LaneLine {
  /** Where a person finds the line, such as `Line 7`. */
  readonly where: string;
  readonly cells: readonly string[];
}

/** Reads lines as lanes; a line without any text gives undefined. A fault names its line, and says what to write. */
export function readLanes(columns: readonly string[], lines: readonly LaneLine[]) {
  const indexOf = new Map(columns.map((column, index) => [column.trim().toLowerCase(), index]));
  const missing = fixedColumns.slice(0, 2).filter((column) => !indexOf.has(column.toLowerCase()));
  const known = new Set(laneColumns(maxBreaks).map((column) => column.toLowerCase()));
  const unknown = columns.filter((column) => !known.has(column.trim().toLowerCase()));
  const headingFaults = [
    ...(missing.length > 0 ? [`Line 1: write the missing columns: ${missing.join(", ")}`] : []),
    ...(unknown.length > 0
      ? [`Line 1: ${unknown.slice(0, 10).join(", ")} cannot be read. The columns are ${laneColumns(1).join(", ")}, ...`]
      : []),
    ...(indexOf.size < columns.length ? ["Line 1: write each column once"] : []),
  ];
  if (headingFaults.length > 0) return { lanes: [] as (Lane | undefined)[], faults: headingFaults };
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
  const fieldIfPresent = (name: string, value: unknown) => (value === undefined || value === "" ? {} : { [name]: value });
  const transit = {
    ...fieldIfPresent("min", number("transitMin")),
    ...fieldIfPresent("max", number("transitMax")),
    ...fieldIfPresent("unit", cell("transitUnit").toUpperCase()),
  };
  const breaks = Array.from({ length: maxBreaks }, (_, index) => ({
    ...fieldIfPresent("fromKg", number(`fromKg${index + 1}`)),
    ...fieldIfPresent("perKg", number(`perKg${index + 1}`)),
  })).filter((each) => Object.keys(each).length > 0);
  const { success, data, error } = parseInSentences(laneSchema, {
    from: cell("from"),
    to: cell("to"),
    ...fieldIfPresent("basic", number("basic")),
    ...fieldIfPresent("perKg", number("perKg")),
    ...fieldIfPresent("minimum", number("minimum")),
    breaks,
    ...(Object.keys(transit).length > 0 ? { transit } : {}),
  });
  if (!success) faults.push(...faultsOf(error, "the lane").map(withColumnName));
  return { lane: success ? data : undefined, faults };
}

/** Replaces the field's path at the beginning of a fault by the name of its column. */
const withColumnName = (fault: string): string =>
  fault
    .replace(/^breaks\.(\d+)\.(\w+)/, (_, index: string, field: string) => `${field}${Number(index) + 1}`)
    .replace(/^transit\.(min|max|unit)/, (_, field: string) => `transit${field[0]?.toUpperCase()}${field.slice(1)}`)
    .replace(/is required$/, "is missing; write it");

/** Replaces the paths of a card's lanes in faults of the whole file by the lines that people see. */
export const faultsByLine = (faults: readonly string[], cardPath: string, lineNames: readonly string[]): string[] =>
  faults.map((fault) => {
    const lanesPath = `${cardPath}.lanes.`;
    const [, index, rest = ""] = (fault.startsWith(lanesPath) && /^(\d+)[. ](.*)$/s.exec(fault.slice(lanesPath.length))) || [];
    if (index === undefined) return fault;
    const [beginning = "", ...otherLanes] = rest.split(lanesPath);
    const parts = otherLanes.map((text) => text.replace(/^\d+/, (other) => `that of ${lineNames[Number(other)]?.toLowerCase()}`));
    const text = [beginning, ...parts].join("");
    return `${lineNames[Number(index)]}: ${withColumnName(text)}`;
  });
