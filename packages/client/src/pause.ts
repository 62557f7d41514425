/** Rejects with the signal's reason as soon as it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
    return undefined;
  });
}

/** Between half and all of the time, at random, so that many clients do not come back at the same moment. */
export function withJitter(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2);
}
