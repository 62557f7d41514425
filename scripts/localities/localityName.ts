const acronyms = new Set(["ANU", "BC", "CBD", "DC", "GPO", "LPO", "MC", "MSC", "PO", "RAAF", "UNSW", "VIC", "NSW", "QLD"]);

/** `MOUNT DRUITT` -> `Mount Druitt`, `MCLAREN VALE` -> `McLaren Vale`, `O’CONNOR` -> `O'Connor`. */
export function localityName(text: string): string {
  return text
    .replaceAll("\u2019", "'")
    .trim()
    .split(/\s+/)
    .map((word) => (acronyms.has(word.toUpperCase()) ? word.toUpperCase() : capitalised(word)))
    .join(" ");
}

function capitalised(word: string): string {
  const plain = upperFirst(word.toLowerCase());
  if (/['(/.-]/.test(plain)) {
    return plain
      .replace(/([-(/.])(\p{L})/gu, (_, mark: string, letter: string) => mark + letter.toUpperCase())
      .replace(/^([OD])'(\p{L})/u, (_, start: string, letter: string) => `${start}'${letter.toUpperCase()}`);
  }
  return plain.startsWith("Mc") ? `Mc${upperFirst(plain.slice(2))}` : plain;
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
