/** A worksheet can have 1,048,576 rows. One of them is kept free for a note about rows that do not fit. */
export const MAX_WRITTEN_ROWS = 1_048_575;
/** No CSV file with the API's required columns has more rows in 50 MB: the shortest acceptable row is `w,c,1,2026-01-01`. */
export const MAX_CSV_ROWS = 3_100_000;
export const MAX_COLUMNS = 512;
/** For all cells of a row together. */
export const MAX_ROW_CHARS = 1_048_576;
/** What one cell of a workbook can hold. */
export const MAX_CELL_CHARS = 32_767;
/** How much is stored and shown of a cell that cannot be accepted. */
export const MAX_FAULTY_CELL_CHARS = 1000;

/** For all cells of a workbook: a text that a file stores once may be in a million cells. An accepted CSV file is always smaller. */
export const MAX_TEXT_CHARS = 512 * 1024 ** 2;
/** More than any program writes for a number. */
export const MAX_NUMBER_CHARS = 400;
/** More than any program writes for the code of a number format. */
export const MAX_FORMAT_CHARS = 255;

/** Limits for unpacking a workbook, which is a zip archive, so that a small file cannot keep a process busy or fill its memory. */
export const MAX_ENTRIES = 10_000;
export const MAX_INFLATED_BYTES = 2 * 1024 ** 3;
export const MAX_INFLATE_RATIO = 100;
/** Content that unpacks to no more than this is accepted at any ratio. */
export const INFLATE_ALLOWANCE = 32 * 1024 ** 2;
/** For reading only the header, which the API does while the caller waits. Unpacking this much takes about a second. */
export const MAX_HEADER_INFLATED_BYTES = 64 * 1024 ** 2;
/** For finding out whether the other sheets, which are not read, have rows. */
export const MAX_OTHER_SHEETS_BYTES = 1024 ** 2;
/** Relations, styles and the workbook part are read whole. */
export const MAX_SMALL_PART_CHARS = 16 * 1024 ** 2;
/** For the XML from one tag to the next, such as a long text, comment or attribute. No cell needs more. */
export const MAX_XML_RUN_CHARS = 2 * 1024 ** 2;
export const MAX_XML_DEPTH = 64;
export const MAX_SHARED_STRINGS_BYTES = 160 * 1024 ** 2;
/** The first shared strings are also kept decoded, up to these limits, so that cells with the same text share one string. */
export const MAX_CACHED_TEXT_CHARS = 16 * 1024 ** 2;
export const MAX_CACHED_TEXTS = 65_536;
