import { z } from "zod";
import { Rejection } from "../../domain/rejection.js";

const sentence = "must be an ISO 8601 time with its zone, such as 2026-03-01T09:30:00Z";
const earliest = Date.UTC(1900, 0);

/** An instant in a query parameter. */
export const time = (description: string) =>
  z.iso
    .datetime({ offset: true, error: sentence })
    .refine((text) => Date.parse(text) >= earliest, sentence)
    .optional()
    .describe(`${description}. An ISO 8601 time with its zone, from 1900 on`);

interface TimeRange {
  /** Included. */
  readonly from: Date | undefined;
  /** Not included. */
  readonly to: Date | undefined;
}

/** The range of two such parameters; both may be missing. */
export function timeRange({ from, to }: { from?: string | undefined; to?: string | undefined }): TimeRange {
  const range = { from: from === undefined ? undefined : new Date(from), to: to === undefined ? undefined : new Date(to) };
  const wrong = "from must not be after to";
  if (range.from && range.to && range.from > range.to) throw new Rejection("invalid", wrong, [wrong]);
  return range;
}
