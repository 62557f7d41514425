/** A worksheet's own bound: 1,048,576 rows with the header. */
export const MAX_DATA_ROWS = 1_048_575;
export const MAX_COLUMNS = 512;
/** One row, all its cells together, in characters. */
export const MAX_ROW_CHARS = 1_048_576;
/** What one cell of a workbook can hold. */
export const MAX_CELL_CHARS = 32_767;
