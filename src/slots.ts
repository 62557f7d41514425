// Limits on concurrent work, in total and per organisation: uploads, downloads, open pages, reads, processes, threads and the bytes of
// request bodies. A caller holds a slot while it works. If no slot is free, the caller waits in a queue or is refused.
import { setTimeout as pause } from "node:timers/promises";
import { TooBusy } from "./portErrors.js";

export interface SlotLimits {
  readonly maxHeld: number;
  /** How many one owner may hold. An owner is an organisation, or whatever else the caller counts slots for. */
  readonly maxPerOwner: number;
  /** The message for a caller that finds no free slot. */
  readonly refusal: string;
  /** How many calls of one owner may wait for a slot, and for how long. Without a queue no call waits. */
  readonly queue?: { readonly maxPerOwner: number; readonly maxWaitMs: number };
}

/** Gives the slot back; calling it again does nothing. */
export type Release = () => void;

export type Slots = ReturnType<typeof createSlots>;
export type Reservation = ReturnType<Slots["newReservation"]>;

type WaitingCaller = (release: Release) => void;

export function createSlots({ maxHeld, maxPerOwner, refusal, queue }: SlotLimits) {
  const holders = new Map<string, number>();
  const waiting = new Map<string, readonly WaitingCaller[]>(); // the owner that gets the next free slot comes first
  let totalHeld = 0;
  const heldBy = (owner: string) => holders.get(owner) ?? 0;
  const mayHold = (owner: string) => totalHeld < maxHeld && heldBy(owner) < maxPerOwner;

  function changeHeld(owner: string, change: number): void {
    totalHeld += change;
    const held = heldBy(owner) + change;
    if (held === 0) holders.delete(owner);
    else holders.set(owner, held);
  }

  function hold(owner: string): Release {
    changeHeld(owner, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      changeHeld(owner, -1);
      grantFreeSlots();
    };
  }

  function grantFreeSlots(): void {
    for (const [owner, [first, ...later]] of waiting) {
      if (totalHeld >= maxHeld) return;
      if (first === undefined || !mayHold(owner)) continue;
      waiting.delete(owner); // so that `setQueue` puts this owner behind all others
      setQueue(owner, later);
      first(hold(owner));
    }
  }

  function setQueue(owner: string, callers: readonly WaitingCaller[]): void {
    if (callers.length > 0) waiting.set(owner, callers);
    else waiting.delete(owner);
  }

  async function waitForSlot(owner: string, maxWaitMs: number, signal: AbortSignal | undefined): Promise<Release> {
    let release: Release | undefined;
    const granted = new AbortController();
    const caller = (grantedRelease: Release) => {
      release = grantedRelease;
      granted.abort();
    };
    const queueOf = () => waiting.get(owner) ?? [];
    setQueue(owner, [...queueOf(), caller]);
    const until = signal ? AbortSignal.any([granted.signal, signal]) : granted.signal;
    await pause(maxWaitMs, undefined, { signal: until, ref: false }).catch(() => undefined);
    if (release && !signal?.aborted) return release;
    release?.();
    const others = queueOf().filter((other) => other !== caller);
    setQueue(owner, others); // the owner keeps its place among the owners
    signal?.throwIfAborted();
    throw new TooBusy(refusal);
  }

  /**
   * Waits for a slot, behind the owner's own earlier calls; owners are served in rotation. Throws TooBusy if the queue is full or the wait
   * is too long, and the signal's reason if the signal aborts first. A call that throws holds no slot.
   */
  async function take(owner: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    if (mayHold(owner)) return hold(owner); // while a slot is free, only owners that hold their maximum have waiting calls
    if (!queue || (waiting.get(owner)?.length ?? 0) >= queue.maxPerOwner) throw new TooBusy(refusal);
    return waitForSlot(owner, queue.maxWaitMs, signal);
  }

  return {
    take,
    /** Takes a slot without waiting; throws TooBusy if none is free. */
    takeNow(owner: string): Release {
      if (!mayHold(owner)) throw new TooBusy(refusal);
      return hold(owner);
    },
    async withSlot<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const release = await take(owner, signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
    countHeld: () => totalHeld,
    /** Whether another owner waits for a slot and may hold one more. */
    hasOtherWaiters: (owner: string) => [...waiting.keys()].some((other) => other !== owner && heldBy(other) < maxPerOwner),
    /** For work whose size becomes known as it goes on, such as an arriving body. It holds a slot for each byte, and none at first. */
    newReservation(owner: string) {
      let held = 0;
      /** Throws TooBusy when the reservation cannot have this size. Changes nothing. */
      const check = (size: number) => {
        const more = size - held;
        if (more > 0 && (totalHeld + more > maxHeld || heldBy(owner) + more > maxPerOwner)) throw new TooBusy(refusal);
      };
      const set = (size: number) => {
        changeHeld(owner, size - held);
        held = size;
      };
      return {
        check,
        /** Changes the reservation to this size, or throws TooBusy and changes nothing. */
        resize(size: number) {
          check(size);
          set(size);
        },
        release: () => set(0),
      };
    },
  };
}
