import { Rejection } from "./rejection.js";

/** A run of consecutive whole numbers: its first and its last. */
export type Range = readonly [first: number, last: number];

/** Groups numbers into ascending ranges without overlaps. Neighbouring numbers are in one range. */
export function rangesOf(numbers: Iterable<number>): [number, number][] {
  const ranges: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** The first index below `count` for which `holds` is true, else `count`. `holds` must stay true for all indexes after that one. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The ranges must be ascending and without overlaps. */
export function isInRanges(ranges: readonly Range[], number: number): boolean {
  const [first] = ranges[firstIndex(ranges.length, (index) => (ranges[index]?.[1] ?? 0) >= number)] ?? [];
  return first !== undefined && first <= number;
}

/** The numbers of both lists, in the form of `rangesOf`. */
export function joinRanges(one: readonly Range[], other: readonly Range[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const [first, last] of [...one, ...other].sort(([a], [b]) => a - b)) {
    const previous = ranges.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else ranges.push([first, last]);
  }
  return ranges;
}

export const numbersIn = (ranges: readonly Range[]): number[] =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));

/** Such as `5,9-12`. */
export const rangesInWords = (ranges: readonly Range[]): string =>
  ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(",");

/** The numbers of a text such as `5,9-12`, each once. Throws a Rejection for any other text, and for more than `maxCount` numbers. */
export function parseNumbers(text: string, maxCount: number): number[] {
  const numbers = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last = first] = /^\s*([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?\s*$/.exec(part) ?? [];
    if (first === undefined || Number(last) < Number(first))
      throw new Rejection("invalid", `Rows must be numbers such as 5,9-12, not ${part.slice(0, 40)}`);
    if (Number(last) - Number(first) + 1 > maxCount - numbers.size) throw new Rejection("invalid", `Name at most ${maxCount} rows`);
    for (let number = Number(first); number <= Number(last); number += 1) numbers.add(number);
  }
  return [...numbers];
}
