// Rotating a key gives it a new secret. The old secret goes on for a while, so that nothing stops before the new one is deployed.
import { Rejection } from "./rejection.js";

export const mostKeepHours = 168;
export const defaultKeepHours = 24;

/** How long the old secret goes on, from a text of a person; the usual time where nothing is given. */
export function keepHoursOf(text: string | undefined): number {
  if (text === undefined) return defaultKeepHours;
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!isKeepHours(hours)) throw noKeepHours();
  return hours;
}

export const isKeepHours = (hours: number): boolean => Number.isInteger(hours) && hours >= 0 && hours <= mostKeepHours;

export const noKeepHours = () => new Rejection("invalid", `The old key is kept for a whole number of hours from 0 to ${mostKeepHours}`);
