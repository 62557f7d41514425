// Limits on concurrent work, in total and per organisation: uploads, downloads, open pages, reads, processes, threads and the bytes of request
// bodies. Whoever works holds a slot; where all are held, a caller waits in line or is refused.
import { setTimeout as pause } from "node:timers/promises";
import { TooBusy } from "./portErrors.js";

export interface SlotBounds {
  readonly inAll: number;
  /** The most that one owner may hold: an organisation, or whatever else the slots are counted for. */
  readonly each: number;
  /** The message for a caller that finds no free slot. */
  readonly refusal: string;
  /** How many calls of one owner may wait for a slot, and for how long. Without it a call never waits. */
  readonly line?: { readonly each: number; readonly ms: number };
}

/** Gives the slot back; calling it again does nothing. */
export type Release = () => void;

export type Slots = ReturnType<typeof createSlots>;
export type Share = ReturnType<Slots["share"]>;

type WaitingCaller = (release: Release) => void;

export function createSlots({ inAll, each, refusal, line }: SlotBounds) {
  const holders = new Map<string, number>();
  const waiting = new Map<string, readonly WaitingCaller[]>(); // the owner that gets the next free slot comes first
  let total = 0;
  const heldBy = (owner: string) => holders.get(owner) ?? 0;
  const isFree = (owner: string) => total < inAll && heldBy(owner) < each;

  function count(owner: string, change: number): void {
    total += change;
    const now = heldBy(owner) + change;
    if (now === 0) holders.delete(owner);
    else holders.set(owner, now);
  }

  function hold(owner: string): Release {
    count(owner, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      count(owner, -1);
      handOut();
    };
  }

  function handOut(): void {
    for (const [owner, [first, ...later]] of waiting) {
      if (total >= inAll) return;
      if (first === undefined || !isFree(owner)) continue;
      waiting.delete(owner); // it comes behind all other owners
      setLine(owner, later);
      first(hold(owner));
    }
  }

  function setLine(owner: string, callers: readonly WaitingCaller[]): void {
    if (callers.length > 0) waiting.set(owner, callers);
    else waiting.delete(owner);
  }

  async function waitFor(owner: string, longestMs: number, signal: AbortSignal | undefined): Promise<Release> {
    let release: Release | undefined;
    const granted = new AbortController();
    const caller = (given: Release) => {
      release = given;
      granted.abort();
    };
    const lineOf = () => waiting.get(owner) ?? [];
    setLine(owner, [...lineOf(), caller]);
    const until = signal ? AbortSignal.any([granted.signal, signal]) : granted.signal;
    await pause(longestMs, undefined, { signal: until, ref: false }).catch(() => undefined);
    if (release && !signal?.aborted) return release;
    release?.();
    const others = lineOf().filter((other) => other !== caller);
    setLine(owner, others); // the owner keeps its place
    signal?.throwIfAborted();
    throw new TooBusy(refusal);
  }

  /**
   * Waits for a slot, behind the owner's own earlier calls; owners are served in rotation. Throws TooBusy if the line is full or the wait is too long,
   * and the signal's reason if it aborts first: then no slot is held.
   */
  async function take(owner: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    if (isFree(owner)) return hold(owner); // a free slot means that every waiting call belongs to an owner that has all of its own
    if (!line || (waiting.get(owner)?.length ?? 0) >= line.each) throw new TooBusy(refusal);
    return waitFor(owner, line.ms, signal);
  }

  return {
    take,
    /** Takes a slot without waiting; throws TooBusy if none is free. */
    takeNow(owner: string): Release {
      if (!isFree(owner)) throw new TooBusy(refusal);
      return hold(owner);
    },
    /** Takes a slot for as long as `work` runs. */
    async within<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const release = await take(owner, signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
    /** How many slots are held, by all owners together. */
    countHeld: () => total,
    /** Whether another owner waits for a slot that it may have. */
    othersWait: (owner: string) => [...waiting.keys()].some((other) => other !== owner && heldBy(other) < each),
    /** For work whose size becomes known as it goes on, such as a body that arrives: one slot for each byte, none at first. */
    share(owner: string) {
      let own = 0;
      /** Throws TooBusy when `size` does not fit. */
      const check = (size: number) => {
        const more = size - own;
        if (more > 0 && (total + more > inAll || heldBy(owner) + more > each)) throw new TooBusy(refusal);
      };
      const set = (size: number) => {
        count(owner, size - own);
        own = size;
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
