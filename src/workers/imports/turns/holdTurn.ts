import type { Pool } from "pg";
import type { Logger } from "pino";
import { CancelAsked, TurnLost, WorkerStopping } from "../importing/interruptions.js";
import { keepTurn, leaseMs, type Turn } from "./turns.js";

/** A turn that is being kept alive while its import runs. */
export interface HeldTurn {
  readonly turn: Turn;
  /** Throws when the work may not go on: the turn was lost, a cancellation was asked for, or the worker is stopping. */
  check(): void;
  /** From 0 to 99; told to readers with the next heartbeat, and never lowered. */
  reach(progress: number): void;
  readonly progress: number;
  /** More of the import is recorded than before: what interrupts it from now on is not the same fault again. */
  madeHeadway(): void;
  /** The database's clock, carried on by this machine's own. */
  now(): Date;
  release(): Promise<void>;
}

const beatMs = 1_000;

export function holdTurn(options: { pool: Pool; turn: Turn; stop: AbortSignal; logger: Logger; heldFrom: number }): HeldTurn {
  const { pool, turn, stop, logger, heldFrom } = options;
  let heldUntil = heldFrom + leaseMs;
  const knownSince = performance.now(); // not heldFrom, which is earlier: what is recorded would be ahead of the time by all that the claim took
  let lost = false;
  let cancelAsked = turn.cancelRequested;
  let progress = turn.progress;
  let headway = false;
  let beating: Promise<void> = Promise.resolve();

  const beat = async () => {
    const sent = performance.now();
    const telling = headway;
    try {
      const { kept, cancelRequested } = await keepTurn(pool, turn, progress, telling);
      if (kept) heldUntil = sent + leaseMs;
      else lost = true;
      cancelAsked ||= cancelRequested;
      if (telling) headway = false;
    } catch (error) {
      logger.warn({ err: error, importId: turn.importId }, "heartbeat failed; the turn ends unless the next one arrives");
    }
  };
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return; // a slow database must not pile up heartbeats
    busy = true;
    beating = beat().finally(() => {
      busy = false;
    });
  }, beatMs);
  return {
    turn,
    check() {
      if (lost || performance.now() >= heldUntil) throw new TurnLost(`the turn for ${turn.importId} was lost`);
      if (cancelAsked) throw new CancelAsked(`cancellation of ${turn.importId} was asked for`);
      if (stop.aborted) throw new WorkerStopping("the worker is stopping");
    },
    reach(value) {
      progress = Math.min(99, Math.max(progress, Math.floor(value)));
    },
    get progress() {
      return progress;
    },
    madeHeadway() {
      headway = true;
    },
    now: () => new Date(turn.claimedAt.getTime() + performance.now() - knownSince),
    async release() {
      clearInterval(timer);
      await beating;
    },
  };
}
