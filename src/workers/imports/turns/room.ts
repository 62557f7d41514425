import { setImmediate, setTimeout } from "node:timers/promises";
import type { ImportRequested } from "../../../events/importEvents.js";

export type RoomShare = ReturnType<typeof enterRoom>;

/** Enough for one file of the largest accepted size, or for two of half that size. */
const roomForLarge = 64 * 1024 * 1024;
const roomForSmall = 16 * 1024 * 1024;
/** An import with more bytes than this counts as large. */
const mostBytesOfSmall = 4 * 1024 * 1024;
/** A workbook is compressed: it has about as many rows as a CSV of eight times its size. */
const packing = { csv: 1, xlsx: 8 } as const;

/** How long an import works before it gives way to the process's other imports. */
const workMs = 15;
/** A large import waits for small ones this many times as long as it has worked, at most a second. So it slows down but never stops. */
const pauseShare = 3;
const mostPauseMs = 1_000;

/**
 * Limits how much of a process imports take: large submissions run one or two at a time, small ones have their own limit, and a large
 * one pauses while a small one runs, so that one organisation's single row does not wait for another's million. `slots` is how many imports
 * run at once; large ones get at most half of them.
 */
export function createRoom(slots: number) {
  const large = limit(roomForLarge, Math.max(1, Math.floor(slots / 2)));
  const small = limit(roomForSmall, slots);
  const smallImports = smallImportCounter();
  /** Call it at the beginning of a turn. The import counts as small until `take` is called, so that loading its request is quick too. */
  return { enter: () => enterRoom(large, small, smallImports) };
}

function enterRoom(large: Limit, small: Limit, smallImports: ReturnType<typeof smallImportCounter>) {
  let since = performance.now();
  let pauseMs = mostPauseMs; // still to be waited: the first pause is the longest
  let isLarge = false;
  let giveBack: (() => void) | undefined;
  smallImports.add(1);
  const rest = async () => {
    const began = performance.now();
    pauseMs = Math.min(mostPauseMs, pauseMs + pauseShare * (began - since));
    await (isLarge ? smallImports.ended(pauseMs) : setImmediate());
    since = performance.now();
    pauseMs = Math.max(0, pauseMs - (since - began));
  };
  return {
    /** False when there is no room for the file now. */
    take({ size, format }: ImportRequested["file"]): boolean {
      const bytes = Math.min(roomForLarge, size * packing[format]);
      isLarge = bytes > mostBytesOfSmall;
      if (isLarge) smallImports.add(-1);
      giveBack = (isLarge ? large : small).take(bytes);
      return giveBack !== undefined;
    },
    /** Call it often, and await the promise if it returns one. */
    giveWay: (): Promise<void> | undefined => (performance.now() - since < workMs ? undefined : rest()),
    leave(): void {
      giveBack?.();
      if (!isLarge) smallImports.add(-1);
    },
  };
}

type Limit = ReturnType<typeof limit>;

/** Limits the bytes and the number of files in use at once; a single file always fits. */
function limit(mostBytes: number, mostFiles: number) {
  let taken = 0;
  let files = 0;
  return {
    /** Undefined when the limit is reached, otherwise the function that frees what was taken. */
    take(bytes: number): (() => void) | undefined {
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

function smallImportCounter() {
  let count = 0;
  let none = new AbortController();
  return {
    add(change: 1 | -1) {
      count += change;
      if (count === 0) none.abort();
      else if (none.signal.aborted) none = new AbortController();
    },
    /** Waits until no small import runs, at most `withinMs`. */
    async ended(withinMs: number): Promise<void> {
      if (count === 0) await setImmediate();
      else await setTimeout(withinMs, undefined, { signal: none.signal }).catch(() => undefined);
    },
  };
}
