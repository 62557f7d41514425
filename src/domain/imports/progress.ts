/** Progress in percent: reading the file for the first time counts as the first 10, each recorded row as its share of the rest. */
export const readingShare = 10;

/** Below 100, which only a completed import has. */
export const progressOf = (rows: number, allRows: number): number =>
  Math.min(99, Math.floor(readingShare + ((99 - readingShare) * rows) / Math.max(1, allRows)));
