// Which known codes a person may have meant by a text that is none of them: `CUST 014`, `cust-14` and `Lantern` all lead to CUST-014.

export interface KnownCode {
  readonly value: string;
  /** The name that people know it by. */
  readonly label?: string | undefined;
}

/** No code is longer. Only the beginning of a longer text is compared. */
const maxComparedLength = 64;
const far = Number.POSITIVE_INFINITY;

/** At most `maxCodes` of the known codes: first those that the text may mean, nearest first, then others in their order. */
export function nearestCodes(text: string, known: Iterable<KnownCode>, maxCodes: number): (KnownCode & { readonly near: boolean })[] {
  const wanted = plainWords(text);
  const near: { readonly each: KnownCode; readonly distance: number }[] = [];
  const others: KnownCode[] = [];
  for (const each of known) {
    const distance = wanted === "" ? far : Math.min(distanceOf(wanted, each.value), labelDistance(wanted, each.label));
    if (distance < far) near.push({ each, distance });
    else if (others.length < maxCodes) others.push(each);
  }
  near.sort((one, other) => one.distance - other.distance || (one.each.value < other.each.value ? -1 : 1));
  return [
    ...near.slice(0, maxCodes).map(({ each }) => ({ ...each, near: true })),
    ...others.slice(0, Math.max(0, maxCodes - near.length)).map((each) => ({ ...each, near: false })),
  ];
}

/** Letters and digits in lower case, without accents, in words that are separated by one blank. */
const plainWords = (text: string): string =>
  text
    .slice(0, maxComparedLength)
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const withoutBlanks = (words: string): string => words.replaceAll(" ", "");
const withoutZeros = (words: string): string => words.replaceAll(/[0-9]+/g, (digits) => String(BigInt(digits)));

/** 0 if the codes differ only in case, blanks and signs. More if leading zeros or letters differ, or the code only begins with the text. */
function distanceOf(wanted: string, value: string): number {
  const words = plainWords(value);
  const [one, other] = [withoutBlanks(wanted), withoutBlanks(words)];
  if (one === other) return 0;
  if (withoutZeros(one) === withoutZeros(other)) return 1;
  if (one.length > 1 && other.startsWith(one)) return 2;
  const maxChanged = one.length < 4 ? 1 : one.length < 9 ? 2 : 3;
  const changed = editDistance(withoutZeros(one), withoutZeros(other), maxChanged);
  // Several digits are never changed by mistake: CUST-099 is another code than CUST-014, not a typing error.
  return changed <= maxChanged && (changed === 1 || digitsOf(one) === digitsOf(other)) ? 2 + changed : far;
}

const digitsOf = (text: string): string => withoutZeros(text.replaceAll(/[^0-9]/g, ""));

/** A label is near if the text is the beginning of one of its words. */
function labelDistance(wanted: string, label: string | undefined): number {
  if (label === undefined || wanted.length < 3) return far;
  const words = plainWords(label);
  if (words === wanted) return 0.5;
  return ` ${words}`.includes(` ${wanted}`) ? 2.5 : far;
}

/** How many letters to add, remove, replace, or swap with their neighbour. A result above `max` means only that there are more. */
export function editDistance(one: ArrayLike<string>, other: ArrayLike<string>, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1;
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const same = one[row - 1] === other[at - 1];
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      next.push(
        Math.min(
          (last[at] ?? far) + 1,
          (next[at - 1] ?? far) + 1,
          (last[at - 1] ?? far) + (same ? 0 : 1),
          isSwapped ? (before[at - 2] ?? far) + 1 : far,
        ),
      );
    }
    if (Math.min(...next) > max) return max + 1;
    [before, last] = [last, next];
  }
  return last[other.length] ?? far;
}
