import { describe, expect, test } from "vitest";
import {
  decide,
  evolve,
  type ImportCommand,
  type ImportEvent,
  type ImportState,
  nothingYet,
  type RowOutcome,
} from "../../../src/commands/imports/importDecider.js";
import type { ImportRequested } from "../../../src/events/importEvents.js";

const now = new Date("2026-03-01T00:00:00Z");
const at = now.toISOString();
const importId = "018f0000-0000-7000-8000-000000000001";
const request: ImportRequested = {
  importId,
  organisationId: "demo",
  kind: "activities",
  source: "file",
  sourceDetails: "march.csv",
  file: { key: "uploads/demo/1", name: "march.csv", format: "csv", size: 10, sha256: "00" },
  by: { kind: "key", id: "k-1" },
  requestId: "r-1",
  at,
};
const worker = { kind: "worker" as const, id: "w" };
const requested: ImportEvent = { type: "ImportRequested", data: request };
const started: ImportEvent = { type: "ImportStarted", data: { importId, by: worker, catalogueVersion: 3, localities: {}, at } };
const accepted: RowOutcome = { type: "RowAccepted", data: { row: 2, values: {} } };
const rejected: RowOutcome = { type: "RowRejected", data: { row: 3, error: "Charge code is required", data: {} } };
const counts = { received: 2, processed: 1, failed: 1 };
const completed: ImportEvent = { type: "ImportCompleted", data: { importId, counts, report: null, notes: [], by: worker, at } };
const failed: ImportEvent = { type: "ImportFailed", data: { importId, reason: "unreadable", progress: 5, by: worker, at } };
const cancelled: ImportEvent = { type: "ImportCancelled", data: { importId, by: { kind: "key", id: "k-1" }, progress: 5, at } };

const start: ImportCommand = { type: "startImport", by: worker, catalogueVersion: 3, localities: {}, now };
const record: ImportCommand = { type: "recordRows", first: 0, outcomes: [accepted, rejected] };
const complete: ImportCommand = { type: "completeImport", counts, report: null, notes: [], by: worker, now };
const fail: ImportCommand = { type: "failImport", reason: "unreadable", progress: 5, by: worker, now };
const cancel: ImportCommand = { type: "cancelImport", by: { kind: "key", id: "k-1" }, progress: 5, now };

const given = (...events: ImportEvent[]): ImportState => events.reduce(evolve, nothingYet);

describe("an import that goes well", () => {
  test.each<[string, ImportEvent[], ImportCommand, ImportEvent[]]>([
    ["is started", [requested], start, [started]],
    ["has its rows recorded", [requested, started], record, [accepted, rejected]],
    ["is completed", [requested, started, accepted, rejected], complete, [completed]],
  ])("%s", (_, events, command, expected) => {
    expect(decide(command, given(...events))).toEqual(expected);
  });
});

test.each<[string, ImportEvent[], ImportCommand]>([
  ["started", [requested, started, accepted], start],
  ["recorded", [requested, started, accepted, rejected], record],
  ["completed", [requested, started, accepted, rejected, completed], complete],
  ["failed", [requested, started, failed], fail],
  ["cancelled", [requested, cancelled], cancel],
])("a command that repeats what is already %s decides no event", (_, events, command) => {
  expect(decide(command, given(...events))).toEqual([]);
});

test("rows that are already recorded are left out when a chunk holds them again", () => {
  expect(decide(record, given(requested, started, accepted))).toEqual([rejected]);
});

test("rows cannot be recorded past a gap", () => {
  expect(() => decide({ ...record, first: 1 }, given(requested, started))).toThrow("row 1 of the import has to be recorded before row 2");
});

test("an import fails or is cancelled while it waits and while it runs", () => {
  for (const state of [given(requested), given(requested, started), given(requested, started, accepted)]) {
    expect(decide(fail, state)).toEqual([failed]);
    expect(decide(cancel, state)).toEqual([cancelled]);
  }
});

test.each<[string, ImportEvent[], ImportCommand]>([
  ["completed", [requested, started, accepted, rejected, completed], cancel],
  ["completed", [requested, started, accepted, rejected, completed], fail],
  ["completed", [requested, started, accepted, rejected, completed], start],
  ["failed", [requested, started, failed], cancel],
  ["cancelled", [requested, started, cancelled], record],
  ["cancelled", [requested, started, accepted, rejected, cancelled], complete],
  ["queued", [requested], record],
])("an import that is %s refuses the command", (status, events, command) => {
  expect(() => decide(command, given(...events))).toThrow(new RegExp(`The import is (already )?${status}`));
});

test("an import that does not exist is not found", () => {
  for (const command of [start, record, complete, fail, cancel])
    expect(() => decide(command, nothingYet)).toThrow("There is no such import.");
});

test.each([
  { received: 3, processed: 2, failed: 1 },
  { received: 2, processed: 2, failed: 1 },
  { received: 2, processed: 3, failed: -1 },
])("counts that do not fit the recorded rows are refused: %j", (wrong) => {
  expect(() => decide({ ...complete, counts: wrong }, given(requested, started, accepted, rejected))).toThrow("do not fit 2 recorded rows");
});
