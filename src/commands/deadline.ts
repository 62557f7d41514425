import { StoreUnavailable } from "../portErrors.js";

/** The time that all the store work of one command may take together, so that its caller is answered whatever a store does. */
export interface Deadline {
  leftMs(): number;
  /** The result, or StoreUnavailable once the time is up; `late` is handed what comes after that. */
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
