import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

const politeness = 4;

/** Imports and projections give way to whoever answers requests, where the two compete for the processor; alone they lose nothing. */
export function stepBack(): void {
  // Linux shares the processor out among sessions first, and each role is a session of its own.
  for (const ask of [() => setPriority(politeness), () => writeFileSync("/proc/self/autogroup", String(politeness))]) {
    try {
      ask();
    } catch {
      // not offered here
    }
  }
}
