/** Letters and digits only, in upper case: `SW1A 1AA`, `sw1a-1aa` and `SW1A1AA` are one code. Only for text that is known to be a code. */
export const plainPostalCode = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, "");

const codeLengths: Record<string, number> = { AU: 4, US: 5 };

/** The form in which codes are compared: 800 from a spreadsheet is 0800, a ZIP+4 is its ZIP, a Canadian code is its first 3 characters. */
export const comparablePostalCode = (countryCode: string, text: string): string => comparable(countryCode, plainPostalCode(text));

function comparable(countryCode: string, plain: string): string {
  if (countryCode === "CA") return plain.slice(0, 3);
  if (countryCode === "US" && /^\d{8,9}$/.test(plain)) return plain.padStart(9, "0").slice(0, 5);
  const length = codeLengths[countryCode];
  return length !== undefined && /^\d{3,}$/.test(plain) ? plain.padStart(length, "0") : plain;
}

/** Codes to look up, best first. The data of some countries have only the first part of the code. */
export function postalCodeCandidates(countryCode: string, plain: string): string[] {
  const code = comparable(countryCode, plain);
  if (countryCode === "GB" && code.length > 4) return [code, code.slice(0, -3)];
  if (countryCode === "IE" && code.length > 3) return [code, code.slice(0, 3)];
  if (countryCode === "NL" && code.length > 4) return [code, code.slice(0, 4)];
  const mayLackZeros = codeLengths[countryCode] === undefined && /^\d+$/.test(code); // spreadsheets drop leading zeros
  return mayLackZeros ? [code, `0${code}`, `00${code}`] : [code];
}

/** Formats a code for answers. */
export function formatPostalCode(countryCode: string, text: string): string {
  const plain = plainPostalCode(text);
  if (countryCode === "AU" || countryCode === "US") return comparable(countryCode, plain);
  if (countryCode === "CA" && plain.length === 6) return `${plain.slice(0, 3)} ${plain.slice(3)}`;
  return text.trim().toUpperCase().replace(/\s+/g, " ");
}

/** Puts back leading zeros that a spreadsheet dropped: 800 that was found as 0800 becomes 0800. Other codes stay as they were written. */
export const restoreLeadingZeros = (written: string, found: string): string =>
  written.padStart(found.length, "0") === found ? found : written;

/** What a postcode may look like, in capitals and without blanks. Leading zeros may be missing, since spreadsheets drop them. */
const codePatterns: Record<string, RegExp> = {
  AU: /^\d{3,4}$/,
  US: /^(?:\d{3,5}|\d{4,5}-?\d{4})$/,
  CA: /^[A-Z]\d[A-Z](?:-?\d[A-Z]\d)?$/,
};
const otherCodePattern = /^[A-Z0-9]+(?:-[A-Z0-9]+)*$/;

/** How many characters follow the hyphen in a country's codes. People write the hyphen even if the loaded localities have none. */
const lengthAfterHyphen: Record<string, number> = { BR: 3, GB: 3, IE: 4, JP: 4, NL: 2, PL: 3, PT: 3 };
const noLengths: ReadonlySet<number> = new Set();

/**
 * Reduces a postcode as written to its letters and digits. Undefined if it cannot be one of the country's. Blanks may stand anywhere, a
 * hyphen only where the country's codes have one: `20-00` is a typing error, not Sydney. `loadedLengths`: those in its localities.
 */
export function readPostalCode(countryCode: string, text: string, loadedLengths = noLengths): string | undefined {
  if (!/^[A-Za-z0-9 \u00a0\u202f-]+$/.test(text)) return undefined; // toUpperCase would turn some other characters into letters
  const compact = text.replace(/[ \u00a0\u202f]+/g, "").toUpperCase();
  const pattern = codePatterns[countryCode];
  if (!(pattern ?? otherCodePattern).test(compact)) return undefined;
  if (!compact.includes("-")) return pattern || compact.length <= 10 ? compact : undefined;
  const plain = plainPostalCode(compact);
  if (pattern) return plain;
  const isUsual = (length: number): boolean => length === lengthAfterHyphen[countryCode] || loadedLengths.has(length);
  return plain.length <= 10 && lengthsAfterHyphens(compact).every(isUsual) ? plain : undefined;
}

/** How many letters and digits follow each hyphen. */
export const lengthsAfterHyphens = (text: string): number[] =>
  [...text.matchAll(/-/g)].map(({ index }) => plainPostalCode(text.slice(index)).length);

const packablePattern = /^[A-Z0-9]{1,10}$/;

/** A code of up to ten letters and digits as one exact number, so that a million of them fit in one typed array; 0 for any other text. */
export const packPostalCode = (plain: string): number => (packablePattern.test(plain) ? Number.parseInt(`1${plain}`, 36) : 0);

/** Reverses `packPostalCode`. */
export const unpackPostalCode = (packed: number): string => packed.toString(36).slice(1).toUpperCase();
