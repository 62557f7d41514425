// The contract's limits, and those it leaves open (text lengths, idempotency).
export const limits = {
  shipmentsPerPush: 1000,
  linesPerShipment: 500,
  linesPerPush: 10_000,
  activitiesPerPush: 10_000,
  rowsPerCorrection: 500,
  /** Of an uploaded error report; a longer one becomes several imports. A claim that names why each row is refused stays below a mebibyte. */
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
  /** A longer column name is none that is known, however it is padded. */
  columnNameBytes: 255,
  /** Of a value in a rejected row: any text that is not too long itself is kept whole, whatever its characters. */
  rejectedValueBytes: 4_000,
  /** Of all values of a rejected row together: every activity whose texts are not too long is kept whole. */
  rejectedRowBytes: 32_000,
  /** Room for the keys of all custom fields that an organisation can have. */
  reasonBytes: 16_000,
  /** Distinct reasons that an import holds in memory; further ones are worked out again when they are recorded. */
  keptReasons: 1_000,
  /** A page of rejected rows ends before it is larger, unless one row alone is. */
  rejectedPageBytes: 4 * 1024 * 1024,
} as const;

/** Lengths are in characters, as the JSON bodies are measured: one beyond the basic plane is two units of a string, but one character. */
export function isLonger(text: string, characters: number): boolean {
  return text.length > characters && [...text].length > characters;
}
