import type { ImportRequested } from "../events/importEvents.js";

/** Keeps a process small: large submissions are not read beside each other, small ones go on beside a large one. */
export interface Room {
  /** Undefined when there is no room now; else what gives it back. */
  take(file: ImportRequested["file"]): (() => void) | undefined;
}

/** One file of the largest size that is accepted, and a few small ones. */
const mostBytes = 64 * 1024 * 1024;
/** A workbook is packed; its rows are as many as a CSV of several times its size has. */
const packing = { csv: 1, xlsx: 8 } as const;

export function createRoom(): Room {
  let taken = 0;
  return {
    take({ size, format }) {
      const bytes = Math.min(mostBytes, size * packing[format]);
      if (taken > 0 && taken + bytes > mostBytes) return undefined;
      taken += bytes;
      return () => {
        taken -= bytes;
      };
    },
  };
}
