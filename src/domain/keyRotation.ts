// Rotating a key gives it a new secret. The old one still works for some hours, so that clients can be changed one after the other.
import { Rejection } from "./rejection.js";

export const mostKeepHours = 168;
export const defaultKeepHours = 24;

/** Reads the hours for which the old secret still works, as a person typed them. Without a text: the default. */
export function parseKeepHours(text: string | undefined): number {
  if (text === undefined) return defaultKeepHours;
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!isKeepHours(hours)) throw keepHoursRejection();
  return hours;
}

export const isKeepHours = (hours: number): boolean => Number.isInteger(hours) && hours >= 0 && hours <= mostKeepHours;

export const keepHoursRejection = () =>
  new Rejection("invalid", `The old key is kept for a whole number of hours from 0 to ${mostKeepHours}`);
