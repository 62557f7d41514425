import type { Goods } from "../domain/rating/consignment.js";
import type { Filters, QuoteRequest } from "../domain/rating/quoteRequest.js";
import { Rejection } from "../domain/rejection.js";
import { AppendTooLarge } from "../portErrors.js";

const filterFields = ["carrierIds", "serviceIds", "rateCardIds", "serviceTypes", "serviceClasses"] satisfies (keyof Filters)[];

/** A quote that is too large for one event: the caller is told of the part that takes up most of it, being able to change that one. */
export function refuseTooLarge(
  error: unknown,
  { items, filters }: Pick<QuoteRequest, "items" | "filters">,
  goods: readonly Goods[],
  size: number,
): never {
  if (!(error instanceof AppendTooLarge)) throw error;
  const ofItems = JSON.stringify(items).length + JSON.stringify(goods).length;
  const ofFilters = JSON.stringify(filters).length;
  const ofCards = size - ofItems - ofFilters;
  const message =
    ofCards >= Math.max(ofItems, ofFilters)
      ? `the matching rate cards of a customer hold more text than one quote can record. Narrow the request with filters (${filterFields.join(", ")})`
      : ofFilters > ofItems
        ? "filters hold more text than one quote can record. Send fewer values in them"
        : "items hold more text than one quote can record. Shorten their types or send fewer of them";
  throw new Rejection("invalid", message, [message]);
}
