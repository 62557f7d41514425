import type { Filters } from "../../domain/rating/quoteRequest.js";
import { Rejection } from "../../domain/rejection.js";
import type { QuotesGenerated } from "../../events/quoteEvents.js";
import { AppendTooLarge } from "../../portErrors.js";

const filterFields = ["carrierIds", "serviceIds", "rateCardIds", "serviceTypes", "serviceClasses"] satisfies (keyof Filters)[];

/**
 * A request is recorded as one event, and an event has a size limit. The message names the limit and the largest part of the request, which
 * the caller can make smaller.
 */
export function rejectTooLarge(error: unknown, { items, filters, cards, services, surcharges }: QuotesGenerated): never {
  if (!(error instanceof AppendTooLarge)) throw error;
  const sizeOf = (part: unknown) => Buffer.byteLength(JSON.stringify(part));
  const [ofItems, ofFilters, ofCards] = [sizeOf(items), sizeOf(filters), sizeOf([cards, services, surcharges])];
  const limit = `at most ${error.maxBytes} bytes can be recorded of one request`;
  const message =
    ofCards >= Math.max(ofItems, ofFilters)
      ? `the matching rate cards of the customers hold too much text: ${limit}. Send fewer customers at once, or narrow the request with filters (${filterFields.join(", ")})`
      : ofFilters > ofItems
        ? `filters hold too much text: ${limit}. Send fewer values in them`
        : `items hold too much text: ${limit}. Shorten their types or send fewer of them`;
  throw new Rejection("invalid", message, [message]);
}
