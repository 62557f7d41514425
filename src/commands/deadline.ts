import { StoreUnavailable } from "../portErrors.js";

/** The time that all store calls of one command may take together, so that the API can answer even if a store does not. */
export interface Deadline {
  leftMs(): number;
  /** The result, or StoreUnavailable when the time is up. A result after that is given to `late`. */
  within<Result>(store: StoreUnavailable["store"], work: Promise<Result>, late?: (result: Result) => void): Promise<Result>;
}

export function deadlineIn(ms: number): Deadline {
  const end = performance.now() + ms;
  const leftMs = () => Math.max(0, end - performance.now());
  return {
    leftMs,
    async within(store, work, late = () => undefined) {
      let timer: NodeJS.Timeout | undefined;
      let isLate = false;
      const timeIsUp = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          isLate = true;
          reject(new StoreUnavailable(store, `The ${store} did not answer in time`));
        }, leftMs());
      });
      work.then(
        (result) => isLate && late(result),
        () => undefined,
      );
      try {
        return await Promise.race([work, timeIsUp]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
