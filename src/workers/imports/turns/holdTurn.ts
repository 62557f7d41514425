import { type Heartbeat, leaseMs, renewTurn, type Turn } from "../../../commands/imports/queue/turns.js";
import { channels } from "../../../ports/notices.js";
import type { WorkerDeps } from "../deps.js";

/** Why an import does not go on in this worker. The import is not at fault. */
type Interruption =
  /** Another worker may have the turn, so this one must not append any more. */
  | "the lease has ended"
  /** A cancel command has marked the import to be cancelled. */
  | "a cancellation was requested"
  /** Another worker, or this one after its restart, goes on with the import. */
  | "the worker is stopping"
  /** The event log has an older unfinished push of the same organisation. */
  | "an older push comes first"
  /** This process already runs as many bytes or files as it may. The import is tried again shortly, here or in another worker. */
  | "there is no room";

export class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor(readonly why: Interruption) {
    super(why);
  }
}

export type HeldTurn = ReturnType<typeof holdTurn>;

/** Where no notice of a cancellation arrives, the next heartbeat finds it: a person who cancels an import is to be told within a second. */
const beatMs = 400;

interface HoldOptions extends Required<Pick<WorkerDeps, "pool" | "notices" | "logger">> {
  readonly turn: Turn;
  readonly stop: AbortSignal;
  readonly heldFrom: number;
}

/** A turn whose lease is renewed by a heartbeat while its import runs. */
export function holdTurn({ pool, turn, notices, stop, logger, heldFrom }: HoldOptions) {
  let heldUntil = heldFrom + leaseMs;
  // Not heldFrom, which is before the claim: `now` would be ahead of the database by as long as the claim took.
  const knownSince = performance.now();
  let lost = false;
  let cancelRequested = false;
  let news: Heartbeat = { progress: turn.progress, headway: false };
  let beating: Promise<void> | undefined;

  const seeCancellation = () => {
    if (!cancelRequested) logger.info({ importId: turn.importId, organisationId: turn.organisationId }, "the import is to be cancelled");
    cancelRequested = true;
  };
  if (turn.cancelRequested) seeCancellation();
  const beat = async () => {
    const sent = performance.now();
    const told = news;
    try {
      const kept = await renewTurn(pool, turn, told);
      if (kept.kept) heldUntil = sent + leaseMs;
      else lost = true;
      if (kept.cancelRequested) seeCancellation();
      if (told.headway) news = { ...news, headway: false };
    } catch (error) {
      logger.warn({ err: error, importId: turn.importId }, "a heartbeat failed; the turn ends with its lease unless a later one succeeds");
    }
  };
  const endHearing = notices.on(channels.importCancelled, (importId) => {
    if (importId === turn.importId) seeCancellation();
  });
  const timer = setInterval(() => {
    // With a slow database heartbeats must not queue up.
    beating ??= beat().finally(() => {
      beating = undefined;
    });
  }, beatMs);
  return {
    turn,
    /** Throws when the import may not go on in this worker: the lease has ended, a cancellation was requested, or the worker is stopping. */
    check(): void {
      if (lost || performance.now() >= heldUntil) throw new Interrupted("the lease has ended");
      if (cancelRequested) throw new Interrupted("a cancellation was requested");
      if (stop.aborted) throw new Interrupted("the worker is stopping");
    },
    /** What the next heartbeat tells. Progress is never lowered. */
    note(more: Partial<Heartbeat>): void {
      const progress = Math.min(99, Math.max(news.progress, Math.floor(more.progress ?? 0)));
      news = { ...news, ...more, progress };
    },
    get progress(): number {
      return news.progress;
    },
    /** The database's time at the claim plus the time since then by this machine's clock. */
    now: (): Date => new Date(turn.claimedAt.getTime() + performance.now() - knownSince),
    async release(): Promise<void> {
      clearInterval(timer);
      endHearing();
      await beating;
    },
  };
}
