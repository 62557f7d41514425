import { StoreUnavailable } from "../portErrors.js";
import { withTimeLimit } from "../timeLimit.js";

export type Deadline = ReturnType<typeof deadlineIn>;

/** One time limit for all store calls of a command together, so that the API can answer even if a store does not. */
export function deadlineIn(ms: number) {
  const endsAtMs = performance.now() + ms;
  const remainingMs = () => Math.max(0, endsAtMs - performance.now());
  return {
    remainingMs,
    /** Returns the result of `work`, or throws StoreUnavailable when the time is up. If `work` succeeds later, calls `onLateResult`. */
    async within<Result>(
      store: StoreUnavailable["store"],
      work: Promise<Result>,
      onLateResult: (result: Result) => void = () => undefined,
    ): Promise<Result> {
      let isLate = false;
      work.then(
        (result) => isLate && onLateResult(result),
        () => undefined,
      );
      return withTimeLimit(remainingMs(), work, () => {
        isLate = true;
        throw new StoreUnavailable(store, `The ${store} did not answer in time`);
      });
    },
  };
}
