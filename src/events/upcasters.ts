// Lifts old shapes to the present one. The list of an event holds one step per version it has left behind, oldest first:
// the first lifts version 1 to 2, and so on. An event without a list is still in version 1.
import type { EventType } from "./registry.js";

export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;
export type Upcasters = { readonly [T in EventType]?: readonly Upcaster[] };

export const upcasters: Upcasters = {};

export function versionOf(type: EventType, steps: Upcasters = upcasters): number {
  return (steps[type]?.length ?? 0) + 1;
}

export function upcast(type: EventType, version: number, data: unknown, steps: Upcasters = upcasters): unknown {
  return (steps[type] ?? []).slice(version - 1).reduce((old, step) => step(old as Record<string, unknown>), data);
}
