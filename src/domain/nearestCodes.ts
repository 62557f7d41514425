// Which known codes a person may have meant by a text that is none of them: `CUST 014`, `cust-14` and `Lantern` all lead to CUST-014.

export interface KnownCode {
  readonly value: string;
  /** What people call it. */
  readonly label?: string | undefined;
}

/** No code is longer; of a longer text only the beginning is compared. */
const longest = 64;
const far = Number.POSITIVE_INFINITY;

/** At most `most` of the known ones: those near enough to be what was meant first, the nearest of them foremost; the others in their order. */
export function nearestCodes(text: string, known: Iterable<KnownCode>, most: number): (KnownCode & { readonly near: boolean })[] {
  const wanted = wordsOf(text);
  const near: { readonly each: KnownCode; readonly distance: number }[] = [];
  const others: KnownCode[] = [];
  for (const each of known) {
    const distance = wanted === "" ? far : Math.min(distanceOf(wanted, each.value), labelDistance(wanted, each.label));
    if (distance < far) near.push({ each, distance });
    else if (others.length < most) others.push(each);
  }
  near.sort((one, other) => one.distance - other.distance || (one.each.value < other.each.value ? -1 : 1));
  return [
    ...near.slice(0, most).map(({ each }) => ({ ...each, near: true })),
    ...others.slice(0, Math.max(0, most - near.length)).map((each) => ({ ...each, near: false })),
  ];
}

/** Letters and digits in lower case, without accents, in words that are separated by one blank. */
const wordsOf = (text: string): string =>
  text
    .slice(0, longest)
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const withoutBlanks = (words: string): string => words.replaceAll(" ", "");
const withoutZeros = (words: string): string => words.replaceAll(/[0-9]+/g, (digits) => String(BigInt(digits)));

/** 0 for the same but for case, blanks and signs; then without leading zeros, with one beginning with the other, and with few letters changed. */
function distanceOf(wanted: string, value: string): number {
  const words = wordsOf(value);
  const [one, other] = [withoutBlanks(wanted), withoutBlanks(words)];
  if (one === other) return 0;
  if (withoutZeros(one) === withoutZeros(other)) return 1;
  if (one.length > 1 && other.startsWith(one)) return 2;
  const most = one.length < 4 ? 1 : one.length < 9 ? 2 : 3;
  const changed = changedLetters(withoutZeros(one), withoutZeros(other), most);
  // A number is a name of its own: in CUST-099 no digit of CUST-014 is a slip of the finger.
  return changed <= most && (changed === 1 || digitsOf(one) === digitsOf(other)) ? 2 + changed : far;
}

const digitsOf = (text: string): string => withoutZeros(text.replaceAll(/[^0-9]/g, ""));

/** A label is near where the text is the beginning of one of its words. */
function labelDistance(wanted: string, label: string | undefined): number {
  if (label === undefined || wanted.length < 3) return far;
  const words = wordsOf(label);
  if (words === wanted) return 0.5;
  return ` ${words}`.includes(` ${wanted}`) ? 2.5 : far;
}

/** Letters to add, leave out, replace, or exchange with their neighbour; more than `most` is `most + 1`. */
export function changedLetters(one: ArrayLike<string>, other: ArrayLike<string>, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const same = one[row - 1] === other[at - 1];
      const exchanged = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      next.push(
        Math.min(
          (last[at] ?? far) + 1,
          (next[at - 1] ?? far) + 1,
          (last[at - 1] ?? far) + (same ? 0 : 1),
          exchanged ? (before[at - 2] ?? far) + 1 : far,
        ),
      );
    }
    if (Math.min(...next) > most) return most + 1;
    [before, last] = [last, next];
  }
  return last[other.length] ?? far;
}
