/** An import's progress in percent. The first reading of the file counts as 10, and the recorded rows as the rest. */
export const readingShare = 10;

/** Always below 100, which only a completed import has. */
export const progressOf = (recordedRows: number, allRows: number): number =>
  Math.min(99, Math.floor(readingShare + ((99 - readingShare) * recordedRows) / Math.max(1, allRows)));
