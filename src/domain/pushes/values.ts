import { z } from "zod";
import * as decimal from "../imports/decimal.js";
import { isTimestamp } from "../imports/timestamp.js";

export const exactNumber = z
  .number()
  .refine((value) => decimal.decimalText(value) !== undefined, "must be a plain number of at most 15 digits, 9 of them decimals");

export const timestamp = z.string().max(40).refine(isTimestamp, "must be a real ISO 8601 timestamp, such as 2026-03-01T09:30:00Z");

/** Only for numbers that passed `exactNumber`. */
export const decimalText = (value: number): string => decimal.decimalText(value) ?? String(value);
