import { StoreUnavailable } from "../portErrors.js";
import { withTimeLimit } from "../timeLimit.js";

export type Deadline = ReturnType<typeof deadlineIn>;

/** The time that all store calls of one command may take together, so that the API can answer even if a store does not. */
export function deadlineIn(ms: number) {
  const end = performance.now() + ms;
  const leftMs = () => Math.max(0, end - performance.now());
  return {
    leftMs,
    /** The result, or StoreUnavailable when the time is up. A result after that is given to `late`. */
    async within<Result>(
      store: StoreUnavailable["store"],
      work: Promise<Result>,
      late: (result: Result) => void = () => undefined,
    ): Promise<Result> {
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
