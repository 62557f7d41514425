/**
 * The tables include events that this log does not have: they were built from another log, or this log was restored from a backup. Nothing
 * may be added to the tables.
 */
export class TablesOfAnotherLog extends Error {
  override readonly name = "TablesOfAnotherLog";
  constructor(
    reason: string,
    /** True when a second look at the log cannot give another result. */
    readonly isCertain = false,
  ) {
    super(`${reason}; nothing is projected until \`projections rebuild\` has built the tables from this log`);
  }
}
