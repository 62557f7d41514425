import { uuidPattern } from "../domain/uuid.js";

const shape = new RegExp(`^(${uuidPattern})(?:-([1-9][0-9]?))?$`);

/**
 * Where a quote is recorded. `number` is the result's number in the request, from 1; 0 for a quote with a stream of its own, as older
 * versions wrote them.
 */
export interface QuotePlace {
  readonly quotesId: string;
  readonly number: number;
}

/** Undefined for text that is no quote id. */
export function quotePlaceOf(quoteId: string): QuotePlace | undefined {
  const [, quotesId, number] = shape.exec(quoteId.toLowerCase()) ?? [];
  return quotesId === undefined ? undefined : { quotesId, number: number === undefined ? 0 : Number(number) };
}

export function quoteIdOf({ quotesId, number }: QuotePlace): string {
  return number === 0 ? quotesId : `${quotesId}-${number}`;
}
