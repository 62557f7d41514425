import { setTimeout as pause } from "node:timers/promises";

const gatherMs = 5;

/**
 * Writes many items in few statements: items that arrive within a few milliseconds, or while a statement runs, are written together. If a
 * statement fails, its items are written one by one, so that a faulty one does not fail the others. An outage fails them all at once.
 */
export function batched<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most, isOutage }: { readonly most: number; readonly isOutage: (error: unknown) => boolean },
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item;
    readonly settle: (result: Result) => void;
    readonly fail: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let isWriting = false;

  async function writeAll(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await write(batch.map(({ item }) => item));
      for (const [index, { settle }] of batch.entries()) settle(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) for (const { fail } of batch) fail(error);
      else for (const each of batch) await writeAll([each]);
    }
  }

  async function work(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      if (waiting.length < most) await pause(gatherMs);
      await writeAll(waiting.splice(0, most));
    }
    isWriting = false;
  }

  return (item) =>
    new Promise((settle, fail) => {
      waiting.push({ item, settle, fail });
      if (!isWriting) void work();
    });
}
