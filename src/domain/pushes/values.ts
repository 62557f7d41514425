import { z } from "zod";
import { isRecordable } from "../imports/decimal.js";
import { isTimestamp } from "../imports/timestamp.js";

export const recordableNumber = z.number().refine(isRecordable, "must have at most 15 digits before the decimal point");

export const timestamp = z
  .string()
  .max(40)
  .refine((text) => isTimestamp(text.trim()), "must be a real ISO 8601 timestamp, such as 2026-03-01T09:30:00Z");
