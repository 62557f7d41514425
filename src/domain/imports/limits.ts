// The contract's limits, and those it leaves open (text lengths, idempotency).

export const limits = {
  shipmentsPerPush: 1000,
  linesPerShipment: 500,
  linesPerPush: 10_000,
  activitiesPerPush: 10_000,
  rowsPerCorrection: 500,
  rowsPerReversal: 5_000,
  reasonLength: 500,
  /** For how long a second push of the same file is recognised. */
  sameFileDays: 400,
  /** The rows of an uploaded error report in one import; a longer report becomes several imports. Keeps RowsClaimed below 1 MiB. */
  rowsPerReportImport: 5_000,
  fileBytes: 52_428_800,
  /** The size of the file made from a JSON push, the same as for an upload. In the file, every goods line repeats its shipment's fields. */
  pushFileBytes: 52_428_800,
  identifierLength: 200,
  textLength: 1000,
  sourceDetailsLength: 500,
  customFields: 200,
  idempotencyKeyLength: 255,
  idempotencyHours: 24,
  /** A longer column name is not recognised, even if it is a known name with blanks or hyphens around it. */
  columnNameBytes: 255,
  /** The columns of a file whose fields people choose. The error report of the file has two more, and a file can have 512. */
  chosenColumns: 510,
  /** The bytes of all headings of such a file together. They are recorded with the import. */
  headingsBytes: 100_000,
  /** The sets of headings for which an organisation's choices are remembered. */
  rememberedChoices: 1_000,
  /** The bytes that are kept of one value of a rejected row. Every text within the limit of its field fits. */
  rejectedValueBytes: 4_000,
  /** The bytes that are kept of all values of a rejected row together. Every activity whose texts are within their limits fits. */
  rejectedRowBytes: 32_000,
  /** The longest reason that is kept. It can name all custom fields that an organisation can have. */
  reasonBytes: 16_000,
  /** Distinct reasons for rejecting whole shipments that an import keeps. Beyond them, a line refers to the row at fault. */
  keptReasons: 1_000,
  /** The largest page of rejected rows, unless a single row is larger. */
  rejectedPageBytes: 4 * 1024 * 1024,
} as const;

/** Counts Unicode characters, as zod does for JSON bodies, and not the UTF-16 units of a string: an emoji is one character of two units. */
export const isLongerThan = (text: string, characters: number): boolean => text.length > characters && [...text].length > characters;

/** The end of a text that was cut, so that readers do not take it for the whole text. */
export const cutMark = "... [cut short]";

const encoder = new TextEncoder();

/** Lists names in a message. They come from outside, so it has only the first of them, and only the beginning of each. */
export function listNames(names: readonly string[], maxNames = 100, maxBytes = 100): string {
  const shown = names.slice(0, maxNames).map((name) => shortenToBytes(name, maxBytes));
  if (names.length > shown.length) shown.push(`and ${names.length - shown.length} more`);
  return shown.join(", ");
}

/** Cuts a text to at most `maxBytes` bytes of UTF-8, including `cutMark`. No character is cut in two. */
export function shortenToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const room = Math.max(0, maxBytes - cutMark.length);
  const { read } = encoder.encodeInto(text, new Uint8Array(room));
  return text.slice(0, read) + cutMark;
}
