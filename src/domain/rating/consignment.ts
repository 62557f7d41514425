import { cacheResults } from "../cacheResults.js";
import {
  add,
  cachedDecimal,
  compare,
  type Decimal,
  decimal,
  larger,
  multiply,
  roundHalfUp,
  roundUp,
  toNumber,
  toText,
  zero,
} from "../exactDecimal.js";
import type { Item } from "./quoteRequest.js";

const hundred = decimal(100);

export type Consignment = ReturnType<typeof createConsignment>;

export interface Goods {
  readonly type: string;
  readonly quantity: number;
  /** Length, width and height of one item, in centimetres. */
  readonly length: number;
  readonly width: number;
  readonly height: number;
  /** The weight of one item; `chargeableWeight` is that of all `quantity` items. Both are in kilograms. */
  readonly weight: number;
  readonly chargeableWeight: number;
}

/** The goods of one quote, measured once however many cards price them. */
export function createConsignment(items: readonly Item[]) {
  const measuredItems = items.map(measure);
  return {
    items,
    declaredValue: measuredItems.reduce(
      (sum, { item, quantity }) => (item.itemValue === undefined ? sum : add(sum, multiply(decimal(item.itemValue), quantity))),
      zero,
    ),
    /** The chargeable weight in whole kg, and the exact sum from which it was rounded up. */
    chargeableKg: cacheResults(maxCachedFactors, (cubicFactor: number) => {
      const exact = measuredItems.reduce((sum, each) => add(sum, chargeableKgOf(each, cubicFactor)), zero);
      return { whole: roundUp(exact, 0), exact: toText(exact) };
    }),
    goods: (cubicFactor: number): Goods[] => measuredItems.map((each) => goodsOf(each.item, chargeableWeight(each, cubicFactor))),
  };
}

const maxCachedFactors = 1_000;

type MeasuredItem = ReturnType<typeof measure>;

function measure(item: Item) {
  const volume = multiply(multiply(decimal(item.length), decimal(item.width)), decimal(item.height));
  return { item, quantity: decimal(item.quantity), weight: decimal(item.weight), volume };
}

const chargeableKgOf = ({ quantity, weight, volume }: MeasuredItem, cubicFactor: number): Decimal =>
  multiply(larger(weight, multiply(volume, cachedDecimal(cubicFactor))), quantity);

/** Kilograms with three decimals, as the contract's answers have them. */
const chargeableWeight = (item: MeasuredItem, cubicFactor: number): number =>
  toNumber(roundHalfUp(chargeableKgOf(item, cubicFactor), 3), 3);

/** An item as the contract's answers have it, for new and for stored quotes. */
export function goodsOf(item: Item, chargeableWeight: number): Goods {
  const { type = "", quantity, length, width, height, weight } = item;
  return {
    type,
    quantity,
    length: centimetres(length),
    width: centimetres(width),
    height: centimetres(height),
    weight,
    chargeableWeight,
  };
}

const centimetres = (metres: number): number => Number(toText(multiply(decimal(metres), hundred)));

export const isDeclaredOver = (consignment: Consignment, value: number): boolean =>
  compare(consignment.declaredValue, cachedDecimal(value)) > 0;
