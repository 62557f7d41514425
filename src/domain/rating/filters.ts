import type { CompiledCard } from "../catalogue/compiledCard.js";
import type { Filters } from "./quoteRequest.js";

/** A card passes if it fits one of the values of every field. An empty field restricts nothing. */
export function passes({ card, service }: CompiledCard, filters: Filters): boolean {
  return (
    allows(filters.carrierIds, service.carrierId) &&
    allows(filters.serviceIds, service.id) &&
    allows(filters.rateCardIds, card.id) &&
    allows(filters.serviceTypes?.map(upper), upper(service.type)) &&
    allows(filters.serviceClasses?.map(upper), upper(service.class))
  );
}

function allows(values: readonly string[] | undefined, value: string): boolean {
  return values === undefined || values.length === 0 || values.includes(value);
}

function upper(text: string): string {
  return text.toUpperCase();
}
