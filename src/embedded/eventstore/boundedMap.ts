import { readFileSync } from "node:fs";
import { openTables, type Tables } from "./tables.js";

/** How much of LMDB's file may be mapped into this process before it is let go. */
const MOST_MAPPED = 64 * 1024 * 1024;
/** Asking the system costs as much as reading some events, so it is asked once per so many bytes. */
const ASK_EVERY = 4 * 1024 * 1024;

/**
 * Whatever is touched of LMDB's file stays mapped, and counts as this process's memory, until the file is closed: in the end all of it.
 * So once that is too much it is closed, and opened again by the next use. What was read before are copies (LMDB hands out views
 * only from 16 MiB on), but a cursor dies with the file: no read may last across an await.
 */
export function openBoundedMap(folder: string, mostMapped = MOST_MAPPED, mapped: () => number = mappedBytes) {
  let tables: Tables | undefined = openTables(folder);
  let others = mapped(); // the program's own files are mapped too
  let touched = 0;
  let writing = false;
  let closing: Promise<void> | undefined;
  let kept = false;

  const opened = (): Tables => {
    tables ??= openTables(folder);
    return tables;
  };

  const isTooMuch = (): boolean => {
    if (kept || touched < ASK_EVERY) return false;
    touched = 0;
    return mapped() - others > mostMapped;
  };

  /** In a turn of its own: closing takes some promises that are settled already, and nothing else is there to run in between. */
  async function letGo(): Promise<void> {
    await new Promise(setImmediate);
    if (writing || kept || !tables) return;
    const { root } = tables;
    tables = undefined;
    await root.close();
    others = mapped();
  }

  const letGoOnce = (): Promise<void> => {
    closing ??= letGo().finally(() => {
      closing = undefined;
    });
    return closing;
  };

  return {
    tables: opened,

    /** Says that about so many bytes of the file were looked at. */
    touch(bytes: number): void {
      touched += bytes;
    },

    /** To be called between reads: a good moment to let go, unless a write is under way, which then sees to it. */
    rest(): void {
      if (!writing && isTooMuch()) void letGoOnce();
    },

    /** Runs a write, one at a time; the file stays open meanwhile. */
    async whileOpen(write: (tables: Tables) => Promise<unknown>): Promise<void> {
      writing = true;
      try {
        await write(opened());
      } finally {
        writing = false;
      }
      if (isTooMuch()) await letGoOnce();
    },

    /** Stays open from here on, until it is closed for good. */
    async keepOpen(): Promise<void> {
      kept = true;
      await closing;
    },

    async close(): Promise<void> {
      kept = true;
      await closing;
      await tables?.root.close();
    },
  };
}

/** Files mapped into this process, as far as they are in memory; 0 where the system does not say, and then nothing is let go. */
function mappedBytes(): number {
  try {
    const [, kilobytes] = /^RssFile:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    return Number(kilobytes ?? 0) * 1024; // statm would count pages, whose size differs between machines
  } catch {
    return 0;
  }
}
