// Accepted activities that are unusual: right in form, and perhaps wrong in sense. They stay accepted.

import { changedLetters } from "../nearestCodes.js";

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
export const isOneStepAway = (one: string, other: string): boolean => changedLetters([...one], [...other], 1) === 1;
