import type { Surcharge } from "../catalogue/schema.js";
import { type Cents, type Decimal, knownDecimal, multiply, percentOf, toCents } from "../money.js";
import { type Consignment, declaredOver } from "./consignment.js";
import type { Item } from "./quoteRequest.js";

export interface Lanes {
  readonly originZone: string;
  readonly destinationZone: string;
}

/** How many items meet the condition; 0 when it does not hold. Every part of a condition must hold. */
export function itemsMeeting({ when }: Surcharge, consignment: Consignment, zones: Lanes): number {
  if (when.originZones && !when.originZones.includes(zones.originZone)) return 0;
  if (when.destinationZones && !when.destinationZones.includes(zones.destinationZone)) return 0;
  if (when.declaredValueOver !== undefined && !declaredOver(consignment, when.declaredValueOver)) return 0;
  return consignment.items.reduce((sum, item) => (meets(item, when) ? sum + item.quantity : sum), 0);
}

/** Compares the JSON numbers directly, which is exact: they are in the same order as their decimal texts. */
function meets(item: Item, when: Surcharge["when"]): boolean {
  const { itemLongerThan, itemHeavierThan, itemTypes } = when;
  if (itemLongerThan !== undefined && Math.max(item.length, item.width, item.height) <= itemLongerThan) return false;
  if (itemHeavierThan !== undefined && item.weight <= itemHeavierThan) return false;
  return itemTypes === undefined || itemTypes.some((type) => type.toLowerCase() === item.type?.toLowerCase());
}

export function surchargeAmount({ charge }: Surcharge, amount: Cents, kg: Decimal, items: number): Cents {
  if (charge.flat !== undefined) return toCents(knownDecimal(charge.flat));
  if (charge.perItem !== undefined) return toCents(multiply(knownDecimal(charge.perItem), { coefficient: BigInt(items), scale: 0 }));
  if (charge.perKg !== undefined) return toCents(multiply(knownDecimal(charge.perKg), kg));
  return percentOf(knownDecimal(charge.percentOfFreight ?? 0), amount);
}
