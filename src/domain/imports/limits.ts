// The contract's limits, and those it leaves open (text lengths, idempotency).
export const limits = {
  shipmentsPerPush: 1000,
  linesPerShipment: 500,
  linesPerPush: 10_000,
  activitiesPerPush: 10_000,
  fileBytes: 52_428_800,
  /** Of the file that a JSON push becomes. */
  pushFileCharacters: 200_000_000,
  identifierLength: 200,
  textLength: 1000,
  sourceDetailsLength: 500,
  customFields: 200,
  idempotencyKeyLength: 255,
  idempotencyHours: 24,
} as const;

/** Lengths are in characters, as the JSON bodies are measured: one beyond the basic plane is two units of a string, but one character. */
export function isLonger(text: string, characters: number): boolean {
  return text.length > characters && [...text].length > characters;
}
