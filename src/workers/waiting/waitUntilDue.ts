import type { Doorbell } from "./doorbell.js";

export interface DueTime {
  /** The pause before the first question, and between questions while notices do not arrive. */
  readonly pollMs: number;
  /** Whether notices arrive that ring the bell. Then the question is asked seldom, in case a notice was lost. */
  readonly isTold: () => boolean;
  /** Milliseconds until something is due; 0 or less if something is due now, Infinity if nothing waits. */
  readonly dueInMs: () => Promise<number>;
}

const toldMs = 5_000;

/** Waits until the bell rings or something is due. An idle process asks this one cheap question instead of searching for work. */
export async function waitUntilDue(bell: Doorbell, { pollMs, isTold, dueInMs }: DueTime): Promise<void> {
  for (let ms = pollMs; !(await bell.wait(ms)); ) {
    const due = await dueInMs();
    if (due <= 0) return;
    ms = Math.min(due, isTold() ? toldMs : pollMs);
  }
}
