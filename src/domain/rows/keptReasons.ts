import { limits, shortened } from "../imports/limits.js";

export interface KeptReasons {
  /** From 1; undefined for a new reason when `most` reasons are kept. */
  numberOf(reason: string): number | undefined;
  text(number: number): string;
}

/** Reasons are few and rows are many, so each text is kept once. A file in which every row has another reason must not fill the memory. */
export function keptReasons(most: number = limits.keptReasons): KeptReasons {
  const numbers = new Map<string, number>();
  const texts = [""];
  return {
    numberOf(reason) {
      const text = shortened(reason, limits.reasonBytes);
      const known = numbers.get(text);
      if (known !== undefined || numbers.size >= most) return known;
      numbers.set(text, texts.length);
      return texts.push(text) - 1;
    },
    text: (number) => texts[number] ?? "",
  };
}
