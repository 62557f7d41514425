/** Letters and digits only, in upper case: `SW1A 1AA`, `sw1a-1aa` and `SW1A1AA` are one code. */
export function plainPostalCode(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, "");
}

const digits: Record<string, number> = { AU: 4, US: 5 };

/** The form in which a country's codes are compared: a spreadsheet's 800 is 0800, a ZIP+4 is its ZIP, Canada goes by the first three. */
export function comparablePostalCode(countryCode: string, text: string): string {
  const plain = plainPostalCode(text);
  if (countryCode === "CA") return plain.slice(0, 3);
  if (countryCode === "US" && /^\d{8,9}$/.test(plain)) return plain.padStart(9, "0").slice(0, 5);
  const length = digits[countryCode];
  return length !== undefined && /^\d{3,}$/.test(plain) ? plain.padStart(length, "0") : plain;
}

/** Codes to look for, best first: some countries' data stop at the outward part of the code. */
export function postalCodeCandidates(countryCode: string, text: string): string[] {
  const code = comparablePostalCode(countryCode, text);
  if (countryCode === "GB" && code.length > 4) return [code, code.slice(0, -3)];
  if (countryCode === "IE" && code.length > 3) return [code, code.slice(0, 3)];
  if (countryCode === "NL" && code.length > 4) return [code, code.slice(0, 4)];
  const mayLackZeros = digits[countryCode] === undefined && /^\d+$/.test(code); // a spreadsheet takes them away
  return mayLackZeros ? [code, `0${code}`, `00${code}`] : [code];
}

/** How the code is written in answers. */
export function writtenPostalCode(countryCode: string, text: string): string {
  if (countryCode === "AU" || countryCode === "US") return comparablePostalCode(countryCode, text);
  const plain = plainPostalCode(text);
  if (countryCode === "CA" && plain.length === 6) return `${plain.slice(0, 3)} ${plain.slice(3)}`;
  return text.trim().toUpperCase().replace(/\s+/g, " ");
}

const shapes: Record<string, RegExp> = {
  AU: /^\d{4}$/,
  US: /^\d{5}$/,
  CA: /^[A-Z]\d[A-Z](\d[A-Z]\d)?$/,
};

export function hasShapeOfPostalCode(countryCode: string, text: string): boolean {
  const plain = countryCode === "CA" ? plainPostalCode(text) : comparablePostalCode(countryCode, text);
  return (shapes[countryCode] ?? /^[A-Z0-9]{1,10}$/).test(plain);
}

const base = 37;

/** A code of up to ten letters and digits as one exact number, so that a million of them fit in one typed array. */
export function packPostalCode(plain: string): number {
  if (plain.length === 0 || plain.length > 10) return 0;
  let packed = 0;
  for (let index = 0; index < plain.length; index += 1) {
    const code = plain.charCodeAt(index);
    if (code >= 48 && code <= 57) packed = packed * base + (code - 47);
    else if (code >= 65 && code <= 90) packed = packed * base + (code - 54);
    else return 0;
  }
  return packed;
}
