// The contract's limits, and those it leaves open (text lengths, idempotency).
export const limits = {
  shipmentsPerPush: 1000,
  linesPerShipment: 500,
  linesPerPush: 10_000,
  activitiesPerPush: 10_000,
  fileBytes: 52_428_800,
  identifierLength: 200,
  textLength: 1000,
  sourceDetailsLength: 500,
  idempotencyKeyLength: 255,
  idempotencyHours: 24,
} as const;
