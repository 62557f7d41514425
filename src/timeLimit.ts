// Waiting that always ends, in one place: every layer waits for something that may never answer.

/** The result of `work`, or what `late` gives or throws once `ms` have passed. `work` goes on; its result is then ignored. */
export async function withTimeLimit<T, L = never>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    // One more turn of the event loop: if this process could not run for a while, the answer may already have arrived.
    timer = setTimeout(() => setImmediate(resolve), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
