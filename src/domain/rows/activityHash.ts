// A 64-bit hash of an activity's customer, warehouse, charge code, time, quantity and reference. An import finds equal activities by it, and need
// not read those before it.

/** Two halves of 32 bits. */
export interface ActivityHash {
  low: number;
  high: number;
}

const numbers = new Float64Array(1);
const halves = new Int32Array(numbers.buffer);

/** Writes the hash of a recorded activity into `into`. `instant`: that of its timestamp, in milliseconds since 1970. */
export function hashActivity(values: Readonly<Record<string, unknown>>, instant: number, into: ActivityHash): void {
  into.low = 0x2f0b4a27;
  into.high = 0x41c6ce57;
  addText(into, values["customerId"]);
  addText(into, values["warehouseCode"]);
  addText(into, values["chargeCode"]);
  addText(into, values["reference"]);
  addNumber(into, instant);
  addNumber(into, Number(values["quantity"]));
  const { low, high } = into;
  into.low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  into.high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(into.low ^ (into.low >>> 13), 0xc2b2ae35);
}

/** No text has a character of this number, so that a text's end is told apart. */
const endOfText = 0x10000;

function addText(into: ActivityHash, value: unknown): void {
  const text = typeof value === "string" ? value : "";
  let { low, high } = into;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
    high ^= high >>> 15;
  }
  into.low = Math.imul(low ^ endOfText, 0x9e3779b1);
  into.high = Math.imul(high ^ endOfText, 0x5f356495);
}

function addNumber(into: ActivityHash, value: number): void {
  numbers[0] = value;
  for (const half of halves) {
    into.low = Math.imul(into.low ^ half, 0x9e3779b1);
    into.low ^= into.low >>> 15;
    into.high = Math.imul(into.high ^ half, 0x5f356495);
    into.high ^= into.high >>> 13;
  }
}
