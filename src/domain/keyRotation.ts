// Rotating a key gives it a new secret. The old one still works for some hours, so that clients can be changed one after the other.
import { Rejection } from "./rejection.js";

export const maxKeepHours = 168;
export const defaultKeepHours = 24;

/** Parses the hours for which the old secret still works, as a person typed them. The default if `text` is undefined. */
export function parseKeepHours(text: string | undefined): number {
  if (text === undefined) return defaultKeepHours;
  return checkKeepHours(/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN);
}

export function checkKeepHours(hours: number): number {
  if (Number.isInteger(hours) && hours >= 0 && hours <= maxKeepHours) return hours;
  throw new Rejection("invalid", `Choose a whole number of hours, from 0 to ${maxKeepHours}`);
}
