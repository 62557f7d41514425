import { StoreUnavailable } from "../portErrors.js";
import { withTimeLimit } from "../timeLimit.js";

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
      let isLate = false;
      work.then(
        (result) => isLate && late(result),
        () => undefined,
      );
      return withTimeLimit(leftMs(), work, () => {
        isLate = true;
        throw new StoreUnavailable(store, `The ${store} did not answer in time`);
      });
    },
  };
}
