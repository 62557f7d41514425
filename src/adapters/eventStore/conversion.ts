import type { Position } from "../../ports.js";

export function isAfter(position: Position, other: Position | undefined): boolean {
  if (other === undefined) return true;
  return position.commit === other.commit ? position.prepare > other.prepare : position.commit > other.commit;
}
