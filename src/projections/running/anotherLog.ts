/** The tables hold what this log does not: they are another log's, or a later state's of this one. Nothing may be added to them. */
export class TablesOfAnotherLog extends Error {
  override readonly name = "TablesOfAnotherLog";
  constructor(
    reason: string,
    /** No other answer of the log could change it. */
    readonly isCertain = false,
  ) {
    super(`${reason}; nothing is projected until \`projections rebuild\` has built the tables from this log`);
  }
}
