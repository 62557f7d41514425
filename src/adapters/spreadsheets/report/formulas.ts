// What a spreadsheet would run as a formula, and how a text file keeps it from doing so. Every file that people open is written by these rules.

/** Signs that begin a formula; the wide ones are taken for them in some languages. */
const SIGN = "[=+\\-@＝＋－＠]";
/** Characters that a program may leave out before it looks for such a sign. */
const SKIPPED = '[\\s"\\x00-\\x1f\\u200b-\\u200d\\u2060]*';

const LIKE_FORMULA = new RegExp(`^(?:${SKIPPED}${SIGN}|[\\t\\r])`);
/** Looks for the sign first and back from there, so that long runs of blanks are read once. */
const SIGN_AT_START = new RegExp(`(?=${SIGN})(?<=(?:^|[,;\\t\\r\\n])${SKIPPED})${SIGN}`, "g");

/** A spreadsheet would run such a text as a formula if it were typed in. */
export const looksLikeFormula = (text: string): boolean => LIKE_FORMULA.test(text);

/**
 * The text with an apostrophe before each sign that begins a formula: at the start, and after everything that may separate cells. Which
 * character does so depends on the reader's country, and a reader that splits elsewhere does not see our quotes.
 */
export function inertText(text: string): string {
  const inert = text.replaceAll(SIGN_AT_START, "'$&");
  return /^[\t\r]/.test(inert) ? `'${inert}` : inert;
}
