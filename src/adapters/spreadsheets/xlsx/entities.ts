import { damaged } from "./archive.js";

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML forbids
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

export function checkCharacters(text: string): void {
  if (FORBIDDEN.test(text)) throw damaged("it holds a character that XML forbids");
}

/** Replaces references. Only XML's five predefined names are known, so that no reference can expand into a long text. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&([^;&]{0,12})(;?)/g, (_, name: string, end: string) => {
    const char = end === ";" ? (NAMED.get(name) ?? numbered(name)) : undefined;
    if (char === undefined) throw damaged("it refers to something that is not there");
    return char;
  });
}

function numbered(name: string): string | undefined {
  const match = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name);
  if (!match) return undefined;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  const char = String.fromCodePoint(code);
  return FORBIDDEN.test(char) ? undefined : char;
}
