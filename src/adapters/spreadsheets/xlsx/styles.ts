import { MAX_FORMAT_CHARS } from "../limits.js";
import { parseXml } from "./xml.js";

/** How a cell's number is to be understood. */
export type NumberKind =
  | { readonly kind: "number" }
  | { readonly kind: "date"; readonly withTime: boolean }
  | { readonly kind: "time" }
  /** Shown with leading zeros, as postcodes are: `0000`. */
  | { readonly kind: "padded"; readonly digits: number };

export const PLAIN_NUMBER: NumberKind = { kind: "number" };
const DATE: NumberKind = { kind: "date", withTime: false };
const DATE_AND_TIME: NumberKind = { kind: "date", withTime: true };
const TIME: NumberKind = { kind: "time" };

/** Returns the kinds by a cell's style number. */
export function readStyles(xml: string): NumberKind[] {
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
    const kind = kinds.get(id) ?? (code === undefined ? builtIn(id) : kindOfFormat(code));
    kinds.set(id, kind);
    return kind;
  });
}

/** The built-in formats, which have a number and no code. 27 to 36 and 50 to 58 are dates and times of East Asian locales. */
function builtIn(id: number): NumberKind {
  if (id === 22) return DATE_AND_TIME;
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58) || id === 36) return DATE;
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return TIME;
  return PLAIN_NUMBER;
}

export function kindOfFormat(code: string): NumberKind {
  if (code.length > MAX_FORMAT_CHARS) return PLAIN_NUMBER;
  const bare = code
    .replace(/"[^"]*"?|\\.|_.|\*./gs, "")
    .replace(/\[(?!(?:h+|m+|s+)\])[^[\]]*\]/gi, "")
    .split(";", 1)[0] as string;
  if (/^0{2,}$/.test(bare.trim())) return { kind: "padded", digits: bare.trim().length };
  if (/\[(h+|m+|s+)\]/i.test(bare)) return PLAIN_NUMBER; // a duration
  const letters = bare.replace(/general|am\/pm|a\/p/gi, "").toLowerCase();
  const clock = /[hs]/.test(letters);
  if (/[yd]/.test(letters)) return clock ? DATE_AND_TIME : DATE;
  if (clock) return TIME;
  return letters.includes("m") ? DATE : PLAIN_NUMBER;
}
