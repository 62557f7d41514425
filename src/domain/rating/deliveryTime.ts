import type { Lane } from "../catalogue/schema.js";

export interface Transit {
  readonly deliveryTime: string;
  readonly minTransitTime: number;
  readonly maxTransitTime: number;
  readonly transitTimeUnit: string;
}

const units = { H: ["hour", "hours"], D: ["business day", "business days"], W: ["week", "weeks"] } as const;

/** `1-2 business days`, `1 business day`, `Same day`; empty when the lane does not say. Used for new and for stored quotes. */
export function transitOf({ transit }: Pick<Lane, "transit">): Transit {
  if (!transit) return { deliveryTime: "", minTransitTime: 0, maxTransitTime: 0, transitTimeUnit: "D" };
  const { min, max, unit } = transit;
  const [one, many] = units[unit];
  const span = min === max ? String(max) : `${min}-${max}`;
  const text = unit === "D" && max === 0 ? "Same day" : `${span} ${span === "1" ? one : many}`;
  return { deliveryTime: text, minTransitTime: min, maxTransitTime: max, transitTimeUnit: unit };
}
