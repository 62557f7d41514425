import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

const niceness = 4;

/** Workers, projectors and file checks call this, so that the API gets the processor first. On an idle machine they lose nothing. */
export function lowerPriority(): void {
  // Linux first divides processor time among sessions (autogroup). Each of these processes is a session of its own.
  for (const lower of [() => setPriority(niceness), () => writeFileSync("/proc/self/autogroup", String(niceness))]) {
    try {
      lower();
    } catch {
      // not supported on this system
    }
  }
}
