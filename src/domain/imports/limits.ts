// The contract's limits, and those it leaves open (text lengths, idempotency).

export const limits = {
  shipmentsPerPush: 1000,
  linesPerShipment: 500,
  linesPerPush: 10_000,
  activitiesPerPush: 10_000,
  rowsPerCorrection: 500,
  rowsPerReversal: 5_000,
  reasonLength: 500,
  /** How long an import is remembered when the same file is pushed again. */
  sameFileDays: 400,
  /** The rows of an uploaded error report that one import takes; a longer report becomes several imports. RowsClaimed then stays below 1 MiB. */
  rowsPerReportImport: 5_000,
  fileBytes: 52_428_800,
  /** Of the file that a JSON push becomes, in which every goods line repeats its shipment's fields: as large as an upload may be. */
  pushFileBytes: 52_428_800,
  identifierLength: 200,
  textLength: 1000,
  sourceDetailsLength: 500,
  customFields: 200,
  idempotencyKeyLength: 255,
  idempotencyHours: 24,
  /** A longer column name is not recognised, whatever it is padded with. */
  columnNameBytes: 255,
  /** Columns of a file whose columns are chosen. Its error report has two more, and a file can have 512. */
  chosenColumns: 510,
  /** All headings of a file whose columns are chosen, together. They are recorded with the import. */
  headingsBytes: 100_000,
  /** Sets of headings whose choice an organisation's files have in common. */
  rememberedChoices: 1_000,
  /** What is kept of one value of a rejected row. Any text within the limits of its field is kept whole, whatever its characters. */
  rejectedValueBytes: 4_000,
  /** What is kept of all values of a rejected row together. An activity whose texts are within their limits is kept whole. */
  rejectedRowBytes: 32_000,
  /** The longest reason that is kept. It can name all custom fields that an organisation can have. */
  reasonBytes: 16_000,
  /** Distinct reasons that an import holds in memory; further ones are worked out again when they are recorded. */
  keptReasons: 1_000,
  /** A page of rejected rows ends before it is larger, unless one row alone is. */
  rejectedPageBytes: 4 * 1024 * 1024,
} as const;

/** Counts Unicode characters, as zod does for JSON bodies, and not the UTF-16 units of a string: an emoji is one character of two units. */
export const isLonger = (text: string, characters: number): boolean => text.length > characters && [...text].length > characters;

/** Stands at the end of a text that was cut off, so that it is not taken for the whole. */
export const cutMark = "... [cut short]";

const encoder = new TextEncoder();

/** Names come from outside, so a message repeats the first of them only, and the beginning of each. */
export function firstNames(names: readonly string[], most = 100, bytes = 100): string {
  const shown = names.slice(0, most).map((name) => shortened(name, bytes));
  if (names.length > shown.length) shown.push(`and ${names.length - shown.length} more`);
  return shown.join(", ");
}

/** Cuts a text to at most `bytes` bytes of UTF-8, including the mark. No character is cut in two. */
export function shortened(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  const room = Math.max(0, bytes - cutMark.length);
  const { read } = encoder.encodeInto(text, new Uint8Array(room));
  return text.slice(0, read) + cutMark;
}
