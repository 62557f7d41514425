// Unusual activities: they are accepted, since their form is right, but their values may be a mistake.
import { editDistance } from "../nearestCodes.js";

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
  /** If fewer activities count in all, no code is called new. */
  minActivities: 100,
  /** If fewer quantities of a charge code counted in the last `daysBefore` days, none is called large. */
  minQuantities: 20,
  /** A quantity is unusual above this multiple of the largest one of those days, and if it is negative. */
  timesLargest: 20,
  /** A time is unusual if it is more than `daysBefore` days before the push, or more than `hoursAfter` hours after it. */
  daysBefore: 90,
  hoursAfter: 24,
  /** A missing customer is unusual if `percentWithCustomer` of the last activities have one. So many are looked at; fewer prove nothing. */
  lastActivities: 1_000,
  minLastActivities: 100,
  percentWithCustomer: 95,
  /** Of each kind, the first rows are recorded up to this number, and the count of all. */
  maxRecordedRows: 1_000,
  /** How many new codes are compared with the known codes. */
  maxComparedCodes: 100,
  /** A file's charge codes and warehouse codes beyond this number of each are not looked up. */
  maxCodes: 10_000,
} as const;

export const dayMs = 86_400_000;

/** Days since 1970, in UTC. */
export const dayOf = (instant: number): number => Math.floor(instant / dayMs);

/** The known code that a new one was perhaps meant to be. A code that differs only in case and blanks comes first. */
export function similarCode(code: string, known: readonly string[]): string | undefined {
  const plain = foldCode(code);
  return known.find((other) => other !== code && foldCode(other) === plain) ?? known.find((other) => isOneStepAway(code, other));
}

const foldCode = (text: string): string => text.replaceAll(/\s+/gu, "").toLowerCase();

/** Whether one character is changed, missing or added, or two neighbours are swapped. */
export const isOneStepAway = (one: string, other: string): boolean => editDistance([...one], [...other], 1) === 1;
