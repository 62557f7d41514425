// Limits on concurrent work, in all and per organisation: uploads, downloads, open pages, reads, processes, threads and the bytes of
// request bodies. A caller holds a slot while it works. If all are held, it waits in line or is refused.
import { setTimeout as pause } from "node:timers/promises";
import { TooBusy } from "./portErrors.js";

export interface SlotLimits {
  readonly maxHeld: number;
  /** How many one owner may hold. An owner is an organisation, or whatever else the caller counts slots for. */
  readonly maxPerOwner: number;
  /** The message for a caller that finds no free slot. */
  readonly refusal: string;
  /** How many calls of one owner may wait for a slot, and for how long. Without it a call never waits. */
  readonly line?: { readonly maxPerOwner: number; readonly maxWaitMs: number };
}

/** Gives the slot back; calling it again does nothing. */
export type Release = () => void;

export type Slots = ReturnType<typeof createSlots>;
export type Share = ReturnType<Slots["share"]>;

type WaitingCaller = (release: Release) => void;

export function createSlots({ maxHeld, maxPerOwner, refusal, line }: SlotLimits) {
  const holders = new Map<string, number>();
  const waiting = new Map<string, readonly WaitingCaller[]>(); // the owner that gets the next free slot comes first
  let totalHeld = 0;
  const heldBy = (owner: string) => holders.get(owner) ?? 0;
  const isFree = (owner: string) => totalHeld < maxHeld && heldBy(owner) < maxPerOwner;

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
      if (first === undefined || !isFree(owner)) continue;
      waiting.delete(owner); // `setLine` then puts it behind all other owners
      setLine(owner, later);
      first(hold(owner));
    }
  }

  function setLine(owner: string, callers: readonly WaitingCaller[]): void {
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
    const lineOf = () => waiting.get(owner) ?? [];
    setLine(owner, [...lineOf(), caller]);
    const until = signal ? AbortSignal.any([granted.signal, signal]) : granted.signal;
    await pause(maxWaitMs, undefined, { signal: until, ref: false }).catch(() => undefined);
    if (release && !signal?.aborted) return release;
    release?.();
    const others = lineOf().filter((other) => other !== caller);
    setLine(owner, others); // the owner keeps its place among the owners
    signal?.throwIfAborted();
    throw new TooBusy(refusal);
  }

  /**
   * Waits for a slot, behind the owner's own earlier calls; owners are served in rotation. Throws TooBusy if the line is full or the wait
   * is too long, and the signal's reason if it aborts first: then no slot is held.
   */
  async function take(owner: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    if (isFree(owner)) return hold(owner); // while a slot is free, only owners that hold their maximum have waiting calls
    if (!line || (waiting.get(owner)?.length ?? 0) >= line.maxPerOwner) throw new TooBusy(refusal);
    return waitForSlot(owner, line.maxWaitMs, signal);
  }

  return {
    take,
    /** Takes a slot without waiting; throws TooBusy if none is free. */
    takeNow(owner: string): Release {
      if (!isFree(owner)) throw new TooBusy(refusal);
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
    /** A share for work whose size becomes known as it goes on, such as an arriving body: a slot for each byte, and none at first. */
    share(owner: string) {
      let held = 0;
      /** Throws TooBusy when `size` does not fit. */
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
        /** Sets the size, or throws and changes nothing. */
        hold(size: number) {
          check(size);
          set(size);
        },
        release: () => set(0),
      };
    },
  };
}
