// An event store whose appends a test can hold back, so that an import runs for as long as the test needs, on any machine.
import type { EventStore } from "../../../src/ports/eventStore.js";
import { beforeChunks } from "./chunkAppends.js";

export interface GatedAppends {
  readonly eventStore: EventStore;
  /** From now on an append waits until it is let through. */
  close(): void;
  letThrough(appends: number): void;
  open(): void;
}

export function gateAppends(inner: EventStore): GatedAppends {
  let left = Number.POSITIVE_INFINITY;
  const waiting: (() => void)[] = [];
  const letThrough = (appends: number) => {
    left += appends;
    while (left > 0 && waiting.length > 0) {
      left -= 1;
      waiting.shift()?.();
    }
  };
  const passed = (): Promise<void> => {
    if (left === 0) return new Promise((resolve) => waiting.push(resolve));
    left -= 1;
    return Promise.resolve();
  };
  return {
    eventStore: {
      ...beforeChunks(inner, passed),
      append: async (...asked) => {
        await passed();
        return inner.append(...asked);
      },
    },
    close: () => {
      left = 0;
    },
    letThrough,
    open: () => letThrough(Number.POSITIVE_INFINITY),
  };
}
