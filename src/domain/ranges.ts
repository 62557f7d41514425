import { Rejection } from "./rejection.js";

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

/** The first index below `count` for which something holds that goes on to hold for all later ones; `count` if it holds for none. */
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

/** The numbers of both, as `rangesOf` gives them. */
export function joinRanges(one: readonly Range[], other: readonly Range[]): [number, number][] {
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

/** `5,9-12` as people write it. */
export const rangesInWords = (ranges: readonly Range[]): string =>
  ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(",");

/** The numbers of a text such as `5,9-12`, each once. Throws a Rejection for any other text, and for more numbers than `most`. */
export function parseNumbers(text: string, most: number): number[] {
  const numbers = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last = first] = /^\s*([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?\s*$/.exec(part) ?? [];
    if (first === undefined || Number(last) < Number(first))
      throw new Rejection("invalid", `Rows must be numbers such as 5,9-12, not ${part.slice(0, 40)}`);
    if (Number(last) - Number(first) + 1 > most - numbers.size) throw new Rejection("invalid", `Name at most ${most} rows`);
    for (let number = Number(first); number <= Number(last); number += 1) numbers.add(number);
  }
  return [...numbers];
}
