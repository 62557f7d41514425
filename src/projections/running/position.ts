import { beginning, isAfter, type Position } from "../../ports/eventStore.js";

export const isSame = (position: Position | undefined, other: Position): boolean =>
  position?.commit === other.commit && position.prepare === other.prepare;

export const isBeginning = (position: Position): boolean => position.commit < 0n;

export const earliest = (positions: readonly Position[]): Position =>
  positions.reduce((least, each) => (isAfter(least, each) ? each : least), positions[0] ?? beginning);

export const latest = (positions: readonly Position[]): Position =>
  positions.reduce((most, each) => (isAfter(each, most) ? each : most), positions[0] ?? beginning);
