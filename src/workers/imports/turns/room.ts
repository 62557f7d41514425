import { setImmediate } from "node:timers/promises";
import type { ImportRequested } from "../../../events/importEvents.js";

/**
 * Keeps a process small and prompt: large submissions are not read beside each other, small ones have room of their own, and a large
 * one pauses while a small one is in hand, so that an organisation with one row does not wait for another's million.
 */
export interface Room {
  /** A turn begins. Until it is known what it brings it counts as small, so that finding out is quick too. */
  enter(): Visit;
}

export interface Visit {
  /** False when there is no room for the file now. */
  take(file: ImportRequested["file"]): boolean;
  /** To be called often, and waited for where it gives something to wait for. */
  giveWay(): Promise<void> | undefined;
  leave(): void;
}

/** One file of the largest size that is accepted, or two that are large but not that large. */
const largeBytes = 64 * 1024 * 1024;
const smallBytes = 16 * 1024 * 1024;
/** What a small file has at most. */
const mostOfSmall = 4 * 1024 * 1024;
/** A workbook is packed; its rows are as many as a CSV of several times its size has. */
const packing = { csv: 1, xlsx: 8 } as const;

/** How long an import works before it lets others come round. */
const workMs = 15;
/** A large one waits for small ones for as long as it has worked times this, a second at most: it slows down, and never stands still. */
const pauseShare = 3;
const mostPauseMs = 1_000;

/** `slots` is how many imports run at once; half of them are never given to large ones. */
export function createRoom(slots: number): Room {
  const large = lane(largeBytes, Math.max(1, Math.floor(slots / 2)));
  const small = lane(smallBytes, slots);
  const crowd = hurriedOnes();
  return { enter: () => visit({ large, small, crowd }) };
}

function visit({ large, small, crowd }: { large: Lane; small: Lane; crowd: Crowd }): Visit {
  let since = performance.now();
  let pauseMs = mostPauseMs;
  let isLarge = false;
  let giveBack: (() => void) | undefined;
  crowd.add();
  const rest = async () => {
    const began = performance.now();
    pauseMs = Math.min(mostPauseMs, pauseMs + pauseShare * (began - since));
    await (isLarge ? crowd.gone(pauseMs) : setImmediate());
    since = performance.now();
    pauseMs = Math.max(0, pauseMs - (since - began));
  };
  return {
    take({ size, format }) {
      const bytes = Math.min(largeBytes, size * packing[format]);
      isLarge = bytes > mostOfSmall;
      if (isLarge) crowd.remove();
      giveBack = (isLarge ? large : small).take(bytes);
      return giveBack !== undefined;
    },
    giveWay: () => (performance.now() - since < workMs ? undefined : rest()),
    leave() {
      giveBack?.();
      if (!isLarge) crowd.remove();
    },
  };
}

interface Lane {
  take(bytes: number): (() => void) | undefined;
}

/** So many bytes and so many files at once; one alone always fits. */
function lane(mostBytes: number, mostFiles: number): Lane {
  let taken = 0;
  let files = 0;
  return {
    take(bytes) {
      if (files >= mostFiles || (files > 0 && taken + bytes > mostBytes)) return undefined;
      taken += bytes;
      files += 1;
      return () => {
        taken -= bytes;
        files -= 1;
      };
    },
  };
}

interface Crowd {
  add(): void;
  remove(): void;
  /** When nobody is in a hurry any more, or after so long. */
  gone(withinMs: number): Promise<void>;
}

function hurriedOnes(): Crowd {
  let count = 0;
  const waiting = new Set<() => void>();
  return {
    add() {
      count += 1;
    },
    remove() {
      count -= 1;
      if (count === 0) for (const wake of waiting) wake();
    },
    async gone(withinMs) {
      if (count === 0) await setImmediate();
      else
        await new Promise<void>((settle) => {
          const wake = () => {
            clearTimeout(timer);
            waiting.delete(wake);
            settle();
          };
          const timer = setTimeout(wake, withinMs);
          waiting.add(wake);
        });
    },
  };
}
