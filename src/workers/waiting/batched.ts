import { setTimeout as pause } from "node:timers/promises";

const gatherMs = 5;

/**
 * Returns a function that writes an item. Items that arrive within a few milliseconds, or while a statement runs, are written in one
 * statement. If the statement fails, its items are written one by one, so that a faulty one does not fail the others. An outage fails all.
 */
export function batched<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxBatch, isOutage }: { readonly maxBatch: number; readonly isOutage: (error: unknown) => boolean },
): (item: Item) => Promise<Result> {
  interface WaitingItem {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  const waiting: WaitingItem[] = [];
  let isWriting = false;

  async function writeAll(batch: readonly WaitingItem[]): Promise<void> {
    try {
      const results = await write(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) for (const { reject } of batch) reject(error);
      else for (const each of batch) await writeAll([each]);
    }
  }

  async function writeWaiting(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      if (waiting.length < maxBatch) await pause(gatherMs);
      await writeAll(waiting.splice(0, maxBatch));
    }
    isWriting = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeWaiting();
    });
}
