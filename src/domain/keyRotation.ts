// Rotating a key gives it a new secret. The old one still works for some hours, so that clients can be changed one after the other.
import { Rejection } from "./rejection.js";

export const mostKeepHours = 168;
export const defaultKeepHours = 24;

/** Reads the hours for which the old secret still works, as a person typed them. Without a text: the default. */
export function parseKeepHours(text: string | undefined): number {
  if (text === undefined) return defaultKeepHours;
  return expectKeepHours(/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN);
}

export function expectKeepHours(hours: number): number {
  if (Number.isInteger(hours) && hours >= 0 && hours <= mostKeepHours) return hours;
  throw new Rejection("invalid", `The old key is kept for a whole number of hours from 0 to ${mostKeepHours}`);
}
