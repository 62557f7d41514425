/** First and last of neighbouring whole numbers. */
export type Range = readonly [first: number, last: number];

/** Ascending, without overlaps, and neighbouring numbers are in one range. */
export function rangesOf(numbers: Iterable<number>): [number, number][] {
  const ranges: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** The ranges must be ascending and without overlaps. */
export function isWithin(ranges: readonly Range[], number: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] as Range;
    if (number < first) high = middle - 1;
    else if (number > last) low = middle + 1;
    else return true;
  }
  return false;
}

/** The numbers of both, as `rangesOf` gives them. */
export function joined(one: readonly Range[], other: readonly Range[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const [first, last] of [...one, ...other].sort(([a], [b]) => a - b)) {
    const before = ranges.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else ranges.push([first, last]);
  }
  return ranges;
}

/** Every number of the ranges. */
export const numbersIn = (ranges: readonly Range[]): number[] =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
