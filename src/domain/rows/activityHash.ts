// A 64-bit hash of an activity's customer, warehouse, charge code, time, quantity and reference. By it an import finds equal activities
// without reading earlier ones.

/** The two 32-bit halves of a hash. */
export interface ActivityHash {
  low: number;
  high: number;
}

const numbers = new Float64Array(1);
const halves = new Int32Array(numbers.buffer);

/** Writes the hash of a recorded activity into `hash`. `instant`: its timestamp in milliseconds since 1970. */
export function hashActivity(values: Readonly<Record<string, unknown>>, instant: number, hash: ActivityHash): void {
  hash.low = 0x2f0b4a27;
  hash.high = 0x41c6ce57;
  addText(hash, values["customerId"]);
  addText(hash, values["warehouseCode"]);
  addText(hash, values["chargeCode"]);
  addText(hash, values["reference"]);
  addNumber(hash, instant);
  addNumber(hash, Number(values["quantity"]));
  const { low, high } = hash;
  hash.low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  hash.high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(hash.low ^ (hash.low >>> 13), 0xc2b2ae35);
}

/** Marks the end of a text: no UTF-16 unit has this number. */
const endOfText = 0x10000;

function addText(hash: ActivityHash, value: unknown): void {
  const text = typeof value === "string" ? value : "";
  let { low, high } = hash;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
    high ^= high >>> 15;
  }
  hash.low = Math.imul(low ^ endOfText, 0x9e3779b1);
  hash.high = Math.imul(high ^ endOfText, 0x5f356495);
}

function addNumber(hash: ActivityHash, value: number): void {
  numbers[0] = value;
  for (const half of halves) {
    hash.low = Math.imul(hash.low ^ half, 0x9e3779b1);
    hash.low ^= hash.low >>> 15;
    hash.high = Math.imul(hash.high ^ half, 0x5f356495);
    hash.high ^= hash.high >>> 13;
  }
}
