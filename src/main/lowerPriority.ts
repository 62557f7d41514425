import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

const niceness = 4;

/** For workers, projectors and file checks: the API is faster when they compete for the processor. On an idle machine they lose nothing. */
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
