import type { Position } from "../../ports.js";

/** Before the first event: where a reader stands that was told of no position yet. */
export const beginning: Position = { commit: -1n, prepare: -1n };

export function isAfter(position: Position, other: Position | undefined): boolean {
  if (other === undefined) return true;
  return position.commit === other.commit ? position.prepare > other.prepare : position.commit > other.commit;
}
