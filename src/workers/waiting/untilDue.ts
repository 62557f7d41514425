import type { Doorbell } from "./doorbell.js";

export interface Due {
  /** How soon to ask for the first time, and how soon again while nobody rings. */
  readonly pollMs: number;
  /** Whether whoever has work for this process rings. Then the question is only asked in case a ring was lost. */
  readonly isTold: () => boolean;
  /** Asks how long it is until something is due; 0 or less if something is due now, and Infinity if nothing waits. */
  readonly dueInMs: () => Promise<number>;
}

const toldMs = 5_000;

/** Waits until the bell rings or something is due. One cheap question takes the place of the whole search for work. */
export async function untilDue(bell: Doorbell, { pollMs, isTold, dueInMs }: Due): Promise<void> {
  for (let ms = pollMs; !(await bell.wait(ms)); ) {
    const due = await dueInMs();
    if (due <= 0) return;
    ms = Math.min(due, isTold() ? toldMs : pollMs);
  }
}
