import { type GrowingInts, growingInts } from "./growingInts.js";
import { hashText } from "./hashText.js";

/**
 * Numbers distinct texts from 0 in the order they are first seen, without keeping them: 64 bits of hash stand for each,
 * so that a million shipment ids cost some 20 MB, and two of them are mistaken for one about once in ten million such files.
 */
export function keyNumbers(): { numberOf(text: string): number; readonly count: number } {
  const high: GrowingInts = growingInts();
  const low: GrowingInts = growingInts();
  let slots = new Int32Array(4096); // number + 1, or 0 where free
  const place = (first: number, second: number): number => {
    const mask = slots.length - 1;
    let slot = first & mask;
    for (let taken = slots[slot] ?? 0; taken !== 0; taken = slots[slot] ?? 0) {
      if (high.get(taken - 1) === first && low.get(taken - 1) === second) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  };
  const grow = () => {
    slots = new Int32Array(slots.length * 2);
    for (let number = 0; number < high.length; number += 1) slots[place(high.get(number), low.get(number))] = number + 1;
  };
  return {
    get count() {
      return high.length;
    },
    numberOf(text) {
      const first = hashText(text, 0);
      const second = hashText(text, 0x9e3779b9);
      const known = slots[place(first, second)] ?? 0;
      if (known !== 0) return known - 1;
      if (high.length * 2 >= slots.length) grow();
      high.push(first);
      low.push(second);
      slots[place(first, second)] = high.length;
      return high.length - 1;
    },
  };
}
