/** Runs what it is given in turn, so many at once. */
export type Line = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createLine(atOnce: number): Line {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running += 1;
    else await new Promise<void>((go) => waiting.push(go)); // its place is handed on
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
