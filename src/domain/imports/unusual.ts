// Accepted activities that are unusual: right in form, and perhaps wrong in sense. They stay accepted.

export const unusualKinds = ["newCode", "quantity", "time", "noCustomer", "repeated"] as const;
export type UnusualKind = (typeof unusualKinds)[number];

export const unusualWords: Readonly<Record<UnusualKind, string>> = {
  newCode: "a new code",
  quantity: "an unusual quantity",
  time: "an unusual time",
  noCustomer: "no customer",
  repeated: "recorded twice",
};

export const unusualLimits = {
  /** With fewer activities that counted, no code is called new. */
  activitiesBefore: 100,
  /** With fewer quantities of a charge code that counted in these days, none is called large. */
  quantitiesBefore: 20,
  timesLargest: 20,
  daysBefore: 90,
  hoursAfter: 24,
  /** Of so many last activities that counted ... */
  lastActivities: 1_000,
  /** ... or of all, where there are at least so many, this share has a customer. */
  leastLastActivities: 100,
  percentWithCustomer: 95,
  /** Of each kind the first rows are recorded, and the number of all. */
  recordedRows: 1_000,
  /** Of the codes that look like a known one. */
  recordedNear: 100,
  /** In a file with more charge codes or warehouse codes, the further ones are not looked up. */
  codesPerFile: 10_000,
} as const;

export const dayMs = 86_400_000;

/** Days since 1970, in UTC. */
export const dayOf = (instant: number): number => Math.floor(instant / dayMs);

/** The known code that a new one was perhaps meant to be: first one that differs in case and blanks only. */
export function nearCode(code: string, known: readonly string[]): string | undefined {
  const plain = plainText(code);
  return known.find((other) => other !== code && plainText(other) === plain) ?? known.find((other) => isOneStepAway(code, other));
}

const plainText = (text: string): string => text.replaceAll(/\s+/gu, "").toLowerCase();

/** One character is changed, missing or added, or two neighbours are swapped. */
export function isOneStepAway(one: string, other: string): boolean {
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > 1) return false;
  let [start, end] = [0, 0];
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length === 2 && right.length === 2) return left[0] === right[1] && left[1] === right[0];
  return left.length + right.length > 0 && left.length <= 1 && right.length <= 1;
}
