import { describe, test } from "vitest";
import { decide, evolve, type ImportCommand, type ImportEvent, initialImportState } from "../../../src/commands/imports/importDecider.js";
import type { ImportRequested, RowOutcome } from "../../../src/events/importEvents.js";
import { givenWhenThen } from "../givenWhenThen.js";

const given = givenWhenThen<ImportCommand, ImportEvent, typeof initialImportState>({ initial: () => initialImportState, evolve, decide });

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
  idempotency: { key: "hash of the key", body: "hash of the push" },
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

const send: ImportCommand = { type: "requestImport", request, earlierBody: "hash of the file" };
const start: ImportCommand = { type: "startImport", by: worker, catalogueVersion: 3, localities: {}, now };
const record = { type: "recordRows", first: 0, outcomes: [accepted, rejected] } satisfies ImportCommand;
const complete = { type: "completeImport", counts, report: null, notes: [], by: worker, now } satisfies ImportCommand;
const fail: ImportCommand = { type: "failImport", reason: "unreadable", progress: 5, by: worker, now };
const cancel: ImportCommand = { type: "cancelImport", by: { kind: "key", id: "k-1" }, progress: 5, now };

describe("an import that goes well", () => {
  test.each<[string, ImportEvent[], ImportCommand, ImportEvent[]]>([
    ["is requested", [], send, [requested]],
    ["is started", [requested], start, [started]],
    ["has its rows recorded", [requested, started], record, [accepted, rejected]],
    ["is completed", [requested, started, accepted, rejected], complete, [completed]],
  ])("%s", (_, events, command, expected) => {
    given(...events)
      .when(command)
      .decides(...expected);
  });
});

test.each<[string, ImportEvent[], ImportCommand]>([
  ["requested", [requested], send],
  ["requested, and started since", [requested, started], send],
  ["started", [requested, started, accepted], start],
  ["recorded", [requested, started, accepted, rejected], record],
  ["completed", [requested, started, accepted, rejected, completed], complete],
  ["failed", [requested, started, failed], fail],
  ["cancelled", [requested, cancelled], cancel],
])("a command that repeats what is already %s decides no event", (_, events, command) => {
  given(...events)
    .when(command)
    .decidesNothing();
});

test("a push with a used Idempotency-Key is the same by its own hash or by that of an earlier version, and is refused otherwise", () => {
  const withBody = (body: string): ImportRequested => ({ ...request, idempotency: { key: "hash of the key", body } });
  given({ type: "ImportRequested", data: withBody("hash of the file") })
    .when(send)
    .decidesNothing();
  const { idempotency: _, ...withoutKey } = request;
  for (const other of [withBody("another hash"), withoutKey])
    given({ type: "ImportRequested", data: other })
      .when(send)
      .isRejected("unprocessable", "This Idempotency-Key was used for another request.");
});

test("rows that are already recorded are left out when a chunk holds them again", () => {
  given(requested, started, accepted).when(record).decides(rejected);
});

test("rows cannot be recorded past a gap", () => {
  given(requested, started)
    .when({ ...record, first: 1 })
    .isRejected("conflict", "row 1 of the import has to be recorded before row 2");
});

test("an import fails or is cancelled while it waits and while it runs", () => {
  for (const events of [[requested], [requested, started], [requested, started, accepted]]) {
    given(...events)
      .when(fail)
      .decides(failed);
    given(...events)
      .when(cancel)
      .decides(cancelled);
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
  given(...events)
    .when(command)
    .isRejected("conflict", new RegExp(`^The import is (already )?${status}`));
});

test("an import that does not exist is not found", () => {
  for (const command of [start, record, complete, fail, cancel])
    given().when(command).isRejected("notFound", "There is no import with this id");
});

test.each([
  { received: 3, processed: 2, failed: 1 },
  { received: 2, processed: 2, failed: 1 },
  { received: 2, processed: 3, failed: -1 },
])("counts that do not fit the recorded rows are refused: %j", (wrong) => {
  given(requested, started, accepted, rejected)
    .when({ ...complete, counts: wrong })
    .throws("do not fit 2 recorded rows");
});
