// The room for imports in one worker process: small and large imports each have a limit of bytes and files in use.
import { setImmediate, setTimeout } from "node:timers/promises";
import type { ImportRequested } from "../../../events/importEvents.js";

/** One import's use of the room, during a turn. */
export type RoomVisit = ReturnType<typeof enterRoom>;

/** The limit for large files in use: one of the largest accepted size, or two of half that size. */
const largeRoomBytes = 64 * 1024 * 1024;
const smallRoomBytes = 16 * 1024 * 1024;
/** An import with more bytes than this, after the expansion, counts as large. */
const maxSmallBytes = 4 * 1024 * 1024;
/** A workbook is compressed, and has about as many rows as a CSV file of eight times its size. */
const expansion = { csv: 1, xlsx: 8 } as const;

/** How long an import works before it gives way to the process's other imports. */
const workMs = 15;
/** A large import waits for small ones this many times as long as it has worked, at most `maxPauseMs`: it is never held up for good. */
const pauseFactor = 3;
const maxPauseMs = 1_000;

/**
 * Shares a process between large and small imports. Each group has its own limit of bytes, and a large import pauses while a small one
 * runs, so that one organisation's single row does not wait for another's million. Of the `slots` for imports, large ones get at most half.
 */
export function createRoom(slots: number) {
  const large = createLimit(largeRoomBytes, Math.max(1, Math.floor(slots / 2)));
  const small = createLimit(smallRoomBytes, slots);
  const smallImports = smallImportCounter();
  /** Called when a turn begins. The import counts as small until `take`, so that large ones give way while its request is read. */
  return { enter: () => enterRoom(large, small, smallImports) };
}

function enterRoom(large: Limit, small: Limit, smallImports: ReturnType<typeof smallImportCounter>) {
  let workStartedAt = performance.now();
  let pauseMs = maxPauseMs; // the pause that the import still owes: at first the longest
  let isLarge = false;
  let freeRoom: (() => void) | undefined;
  smallImports.add(1);
  const rest = async () => {
    const restStartedAt = performance.now();
    pauseMs = Math.min(maxPauseMs, pauseMs + pauseFactor * (restStartedAt - workStartedAt));
    await (isLarge ? smallImports.waitUntilNone(pauseMs) : setImmediate());
    workStartedAt = performance.now();
    pauseMs = Math.max(0, pauseMs - (workStartedAt - restStartedAt));
  };
  return {
    /** Takes room for the file. False if there is not enough room at the moment. */
    take({ size, format }: ImportRequested["file"]): boolean {
      const bytes = Math.min(largeRoomBytes, size * expansion[format]);
      isLarge = bytes > maxSmallBytes;
      if (isLarge) smallImports.add(-1);
      freeRoom = (isLarge ? large : small).take(bytes);
      return freeRoom !== undefined;
    },
    /** To be called often. The caller awaits the promise if it returns one. */
    giveWay: (): Promise<void> | undefined => (performance.now() - workStartedAt < workMs ? undefined : rest()),
    leave(): void {
      freeRoom?.();
      if (!isLarge) smallImports.add(-1);
    },
  };
}

type Limit = ReturnType<typeof createLimit>;

/** Limits the bytes and the number of files in use at once. A single file always fits. */
function createLimit(maxBytes: number, maxFiles: number) {
  let bytesInUse = 0;
  let filesInUse = 0;
  return {
    /** Returns the function that frees the bytes again, or undefined if the limit is reached. */
    take(bytes: number): (() => void) | undefined {
      if (filesInUse >= maxFiles || (filesInUse > 0 && bytesInUse + bytes > maxBytes)) return undefined;
      bytesInUse += bytes;
      filesInUse += 1;
      return () => {
        bytesInUse -= bytes;
        filesInUse -= 1;
      };
    },
  };
}

function smallImportCounter() {
  let count = 0;
  let noneLeft = new AbortController();
  return {
    add(change: 1 | -1) {
      count += change;
      if (count === 0) noneLeft.abort();
      else if (noneLeft.signal.aborted) noneLeft = new AbortController();
    },
    /** Waits until no small import runs, at most `maxMs`. */
    async waitUntilNone(maxMs: number): Promise<void> {
      if (count === 0) await setImmediate();
      else await setTimeout(maxMs, undefined, { signal: noneLeft.signal }).catch(() => undefined);
    },
  };
}
