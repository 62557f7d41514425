/** The part of an import's 100 percent of progress that the first reading of the file counts for. Recording the rows is the rest. */
export const readingPercent = 10;

/** The progress in percent after the first reading. Always below 100, which only a completed import has. */
export const progressOf = (recordedRows: number, allRows: number): number =>
  Math.min(99, Math.floor(readingPercent + ((99 - readingPercent) * recordedRows) / Math.max(1, allRows)));
