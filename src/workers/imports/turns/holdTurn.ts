import { type Heartbeat, leaseMs, renewTurn, type Turn } from "../../../commands/imports/queue/turns.js";
import { channels } from "../../../ports/notices.js";
import type { WorkerDeps } from "../deps.js";

/** Why this worker interrupts an import. The import is not at fault. */
type Interruption =
  /** Another worker may have the turn, so this one must not append any more. */
  | "the lease has ended"
  /** A cancel command has marked the import to be cancelled. */
  | "a cancellation was requested"
  /** Another worker, or this one after its restart, continues the import. */
  | "the worker is stopping"
  /** The event log has an older unfinished push of the same organisation. */
  | "an older push comes first"
  /** This process already has as many bytes or files in use as it may. The import is tried again shortly, here or in another worker. */
  | "there is no room";

export class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor(readonly why: Interruption) {
    super(why);
  }
}

export type Lease = ReturnType<typeof holdTurn>;

/** Well below a second: a person who cancels sees the result within a second, even if the notice is lost and a heartbeat finds the mark. */
const beatMs = 400;

interface HoldOptions extends Required<Pick<WorkerDeps, "pool" | "notices" | "logger">> {
  readonly turn: Turn;
  readonly stop: AbortSignal;
  /** `performance.now()` before the turn was claimed. */
  readonly claimStartedAt: number;
}

/** Renews the turn's lease by heartbeats until `stopHeartbeats` is called. */
export function holdTurn({ pool, turn, notices, stop, logger, claimStartedAt }: HoldOptions) {
  let heldUntil = claimStartedAt + leaseMs;
  // For the function `now` below. With claimStartedAt, `now` would be ahead of the database by as long as the claim took.
  const claimedAtMs = performance.now();
  let isLost = false;
  let cancelRequested = false;
  let nextBeat: Heartbeat = { progress: turn.progress, hasAppended: false };
  let beating: Promise<void> | undefined;

  const noteCancellation = () => {
    if (!cancelRequested) logger.info({ importId: turn.importId, organisationId: turn.organisationId }, "the import is to be cancelled");
    cancelRequested = true;
  };
  if (turn.cancelRequested) noteCancellation();
  const beat = async () => {
    const sent = performance.now();
    const sentBeat = nextBeat;
    try {
      const renewal = await renewTurn(pool, turn, sentBeat);
      if (renewal.kept) heldUntil = sent + leaseMs;
      else isLost = true;
      if (renewal.cancelRequested) noteCancellation();
      if (sentBeat.hasAppended) nextBeat = { ...nextBeat, hasAppended: false };
    } catch (error) {
      logger.warn({ err: error, importId: turn.importId }, "a heartbeat failed; the turn ends with its lease unless a later one succeeds");
    }
  };
  const stopListening = notices.on(channels.importCancelled, (importId) => {
    if (importId === turn.importId) noteCancellation();
  });
  const timer = setInterval(() => {
    // At most one heartbeat at a time, so that they do not queue up when the database is slow.
    beating ??= beat().finally(() => {
      beating = undefined;
    });
  }, beatMs);
  return {
    turn,
    /** Throws Interrupted if the lease has ended, a cancellation was requested, or the worker is stopping. */
    check(): void {
      if (isLost || performance.now() >= heldUntil) throw new Interrupted("the lease has ended");
      if (cancelRequested) throw new Interrupted("a cancellation was requested");
      if (stop.aborted) throw new Interrupted("the worker is stopping");
    },
    /** Adds to what the next heartbeat reports. The progress never decreases. */
    note(change: Partial<Heartbeat>): void {
      const progress = Math.min(99, Math.max(nextBeat.progress, Math.floor(change.progress ?? 0)));
      nextBeat = { ...nextBeat, ...change, progress };
    },
    get progress(): number {
      return nextBeat.progress;
    },
    /** The database's time at the claim plus the time since then by this machine's clock. */
    now: (): Date => new Date(turn.claimedAt.getTime() + performance.now() - claimedAtMs),
    async stopHeartbeats(): Promise<void> {
      clearInterval(timer);
      stopListening();
      await beating;
    },
  };
}
