import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

const niceness = 4;

/** Lowers the priority of workers and projectors, so that the API is faster when they compete for the processor. Alone they lose nothing. */
export function lowerPriority(): void {
  // Linux divides processor time among sessions first (autogroup), and each role is a session of its own.
  for (const set of [() => setPriority(niceness), () => writeFileSync("/proc/self/autogroup", String(niceness))]) {
    try {
      set();
    } catch {
      // not supported on this system
    }
  }
}
