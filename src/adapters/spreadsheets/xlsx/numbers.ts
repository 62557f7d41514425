import { type Cell, cellFault } from "../cell.js";
import { MAX_FORMAT_CHARS, MAX_NUMBER_CHARS } from "../limits.js";
import { parseXml } from "./xml.js";

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,4})?$/i;
const DAY_MS = 86_400_000;
/** A plain number in a date column is read as a date if it is a day from 1980 to 2200. */
const PLAUSIBLE_SERIALS = { from: 29_221, to: 109_940 };

/** The text of a number cell: plain decimals as the spreadsheet shows them, dates as ISO 8601 wall times. */
export function numberCellText(raw: string, kind: NumberKind, date1904: boolean, inDateColumn: boolean): Cell {
  if (raw.length > MAX_NUMBER_CHARS) return cellFault("holds a number that cannot be read", raw);
  if (kind === "number" && !inDateColumn && INTEGER.test(raw)) return raw;
  if (!NUMBER.test(raw) || !Number.isFinite(Number(raw))) return cellFault("holds a number that cannot be read", raw);
  if (typeof kind === "object") return INTEGER.test(raw) && !raw.startsWith("-") ? raw.padStart(kind.digits, "0") : plainDecimal(raw);
  if (kind !== "number") return serialText(Number(raw), kind, date1904) ?? cellFault("holds a date that does not exist", raw);
  return inDateColumn ? (plausibleDate(Number(raw), date1904) ?? plainDecimal(raw)) : plainDecimal(raw);
}

function plausibleDate(serial: number, date1904: boolean): string | undefined {
  const since1900 = date1904 ? serial + 1462 : serial;
  return since1900 >= PLAUSIBLE_SERIALS.from && since1900 < PLAUSIBLE_SERIALS.to ? serialText(serial, "date", date1904) : undefined;
}

/** Leaves an integer as it is. Any other number becomes a decimal of 15 digits, since a spreadsheet keeps and shows no more. */
export function plainDecimal(raw: string): string {
  if (INTEGER.test(raw)) return raw;
  const [mantissa = "", exponent = "0"] = Number(raw).toExponential(14).split("e");
  const negative = mantissa.startsWith("-");
  const digits = mantissa.replace(/[-.]/g, "");
  const point = Number(exponent) + 1;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const fraction = (point > 0 ? digits.slice(point) : "0".repeat(-point) + digits).replace(/0{1,15}$/, "");
  const text = fraction === "" ? whole : `${whole}.${fraction}`;
  return negative && text !== "0" ? `-${text}` : text;
}

/** 9999-12-31. */
const lastDay = 2_958_465;

type DateParts = "date" | "dateAndTime" | "time";

/**
 * The local time of a number of days since 1900 (or 1904); undefined after the year 9999. A number below 1 is a time without a date. But in a
 * workbook that counts from 1904, a 0 in a cell that shows a date is 1904-01-01. Midnight is omitted if the cell shows dates only.
 */
export function serialText(serial: number, shown: DateParts, date1904: boolean): string | undefined {
  if (!(serial >= 0)) return undefined;
  const wholeDays = Math.floor(serial);
  const clockMs = Math.round((serial - wholeDays) * DAY_MS);
  const isFirstDay = date1904 && shown !== "time" && serial === 0;
  if (wholeDays === 0 && clockMs < DAY_MS && !isFirstDay) return clockText(clockMs);
  const days = clockMs === DAY_MS ? wholeDays + 1 : wholeDays;
  const daysSince1900 = date1904 ? days + 1462 : days;
  if (daysSince1900 > lastDay) return undefined;
  if (days === 60 && !date1904) return undefined; // 29 February 1900, a day that never existed
  const date = dayText(daysSince1900);
  return shown !== "date" || clockMs !== 0 ? `${date}T${clockText(clockMs % DAY_MS)}` : date;
}

const clockText = (clockMs: number): string => new Date(clockMs).toISOString().slice(11, clockMs % 1000 === 0 ? 19 : 23);

const dayText = (days: number): string => new Date(Date.UTC(1899, 11, days < 60 ? 31 : 30) + days * DAY_MS).toISOString().slice(0, 10);

/** What the number of a cell means. With `digits` it is shown with leading zeros, such as a postcode with the format `0000`. */
export type NumberKind = "number" | DateParts | { readonly digits: number };

/** Reads the workbook's styles. A cell's style number is an index into the result. */
export function readNumberKinds(xml: string): NumberKind[] {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  parseXml(xml, (name, attributes, path) => {
    const parent = path[path.length - 1];
    if (name === "numFmt" && parent === "numFmts") codes.set(Number(attributes["numFmtId"]), attributes["formatCode"] ?? "");
    if (name === "xf" && parent === "cellXfs") formats.push(Number(attributes["numFmtId"] ?? 0));
  });
  const kinds = new Map<number, NumberKind>(); // each format is parsed once, however many styles use it
  return formats.map((id) => {
    const code = codes.get(id);
    const kind = kinds.get(id) ?? (code === undefined ? kindOfBuiltIn(id) : kindOfFormat(code));
    kinds.set(id, kind);
    return kind;
  });
}

/** The built-in formats, which have a number and no code. 27 to 36 and 50 to 58 are dates and times of East Asian locales. */
function kindOfBuiltIn(id: number): NumberKind {
  if (id === 22) return "dateAndTime";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58) || id === 36) return "date";
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return "time";
  return "number";
}

export function kindOfFormat(code: string): NumberKind {
  if (code.length > MAX_FORMAT_CHARS) return "number";
  const format = code
    .replace(/"[^"]*"?|\\.|_.|\*./gs, "")
    .replace(/\[(?!(?:h+|m+|s+)\])[^[\]]*\]/gi, "")
    .split(";", 1)[0] as string;
  if (/^0{2,}$/.test(format.trim())) return { digits: format.trim().length };
  if (/\[(h+|m+|s+)\]/i.test(format)) return "number"; // a duration
  const letters = format.replace(/general|am\/pm|a\/p/gi, "").toLowerCase();
  const hasClock = /[hs]/.test(letters);
  if (/[yd]/.test(letters)) return hasClock ? "dateAndTime" : "date";
  if (hasClock) return "time";
  return letters.includes("m") ? "date" : "number";
}
