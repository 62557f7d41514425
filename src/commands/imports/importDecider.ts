// The decider of an import. It is pure: the caller brings the time. A repeated command returns no events.
import type { Principal } from "../../domain/principal.js";
import { importNotFound, Rejection } from "../../domain/rejection.js";
import type { ImportCompleted, ImportKind, ImportRequested, ImportStarted, RowOutcome } from "../../events/importEvents.js";
import type { EventOn } from "../../events/registry.js";

export type ImportEvent = EventOn<"import">;

export type ImportCounts = ImportCompleted["counts"];

interface CommandStamp {
  readonly by: Principal;
  readonly now: Date;
}

/** `progress` is in percent, from 0 to 99. */
export type ImportCommand =
  /** `earlierBody`: the hash by which earlier versions recognised a repeated push. */
  | { readonly type: "requestImport"; readonly request: ImportRequested; readonly earlierBody: string }
  | ({ readonly type: "startImport" } & CommandStamp & Pick<ImportStarted, "catalogueVersion" | "localities">)
  /** `first`: the ordinal, from 0, of the first outcome's row. Outcomes that are already recorded yield no events. */
  | { readonly type: "recordRows"; readonly first: number; readonly outcomes: readonly RowOutcome[] }
  | ({ readonly type: "completeImport"; readonly notes: readonly string[] } & CommandStamp &
      Pick<ImportCompleted, "counts" | "report" | "unusual" | "unusualRows">)
  | ({ readonly type: "failImport"; readonly reason: string; readonly progress: number } & CommandStamp)
  | ({ readonly type: "cancelImport"; readonly reason?: string | undefined; readonly progress: number } & CommandStamp);

/** `rows`: how many rows are recorded. */
export type ImportState =
  | { readonly status: "none" }
  | { readonly status: "queued"; readonly request: ImportRequested }
  | { readonly status: "processing"; readonly request: ImportRequested; readonly started: ImportStarted; readonly rows: number }
  | { readonly status: FinalStatus; readonly request: ImportRequested };

export type FinalStatus = "completed" | "failed" | "cancelled";

export const initialImportState: ImportState = { status: "none" };

export function evolve(state: ImportState, event: ImportEvent): ImportState {
  switch (event.type) {
    case "ImportRequested":
      return { status: "queued", request: event.data };
    case "ImportStarted":
      return { status: "processing", request: requestOf(state), started: event.data, rows: 0 };
    case "RowAccepted":
    case "RowRejected": {
      const { request, started, rows } = expectStatus(state, "processing");
      return { status: "processing", request, started, rows: rows + 1 };
    }
    case "ImportCompleted":
      return { status: "completed", request: requestOf(state) };
    case "ImportFailed":
      return { status: "failed", request: requestOf(state) };
    case "ImportCancelled":
      return { status: "cancelled", request: requestOf(state) };
  }
}

export function decide(command: ImportCommand, state: ImportState): ImportEvent[] {
  switch (command.type) {
    case "requestImport": {
      if (state.status === "none") return [{ type: "ImportRequested", data: command.request }];
      const { idempotency } = requestOf(state);
      if (idempotency && [command.request.idempotency?.body, command.earlierBody].includes(idempotency.body)) return []; // sent twice
      throw reusedKeyRejection();
    }
    case "startImport": {
      if (state.status === "processing") return [];
      const { importId } = expectStatus(state, "queued").request;
      const { by, catalogueVersion, localities } = command;
      return [{ type: "ImportStarted", data: { importId, by, catalogueVersion, localities, at: command.now.toISOString() } }];
    }
    case "recordRows": {
      const { rows } = expectStatus(state, "processing");
      if (command.first > rows)
        throw new Rejection("conflict", `row ${rows + 1} of the import has to be recorded before row ${command.first + 1}`);
      return command.outcomes.slice(rows - command.first);
    }
    case "completeImport": {
      if (state.status === "completed") return [];
      const { request, rows } = expectStatus(state, "processing");
      checkCounts(command.counts, rows, request.kind);
      const { type: _, now, notes, ...data } = command;
      return [{ type: "ImportCompleted", data: { importId: request.importId, ...data, notes: [...notes], at: now.toISOString() } }];
    }
    case "failImport": {
      if (state.status === "failed") return [];
      const { importId } = expectUnfinished(state);
      const { by, reason, progress, now } = command;
      return [{ type: "ImportFailed", data: { importId, reason, progress, by, at: now.toISOString() } }];
    }
    case "cancelImport": {
      if (state.status === "cancelled") return [];
      const { importId } = expectUnfinished(state);
      const { by, reason, progress, now } = command;
      return [{ type: "ImportCancelled", data: { importId, by, reason, progress, at: now.toISOString() } }];
    }
  }
}

export const isFinished = (state: ImportState): state is Extract<ImportState, { status: FinalStatus }> =>
  state.status === "completed" || state.status === "failed" || state.status === "cancelled";

function expectStatus<Status extends ImportState["status"]>(state: ImportState, status: Status): Extract<ImportState, { status: Status }> {
  if (state.status === status) return state as Extract<ImportState, { status: Status }>;
  throw state.status === "none" ? importNotFound() : new Rejection("conflict", `The import is ${state.status}, not ${status}`);
}

function expectUnfinished(state: ImportState): ImportRequested {
  if (isFinished(state)) throw new Rejection("conflict", `The import is already ${state.status}`);
  return requestOf(state);
}

function requestOf(state: ImportState): ImportRequested {
  if (state.status === "none") throw importNotFound();
  return state.request;
}

export const reusedKeyRejection = () =>
  new Rejection("unprocessable", "This Idempotency-Key was used for another request. Send a new key with a new request");

/** Guards against a fault in the worker: the counts must agree with the rows in the stream. */
function checkCounts({ received, processed, failed }: ImportCounts, rows: number, kind: ImportKind): void {
  const written = received - failed;
  const addUp = kind === "activities" ? processed === written : processed <= written && processed > 0 === written > 0;
  if (received !== rows || failed < 0 || !addUp) {
    throw new Error(`counts of ${received} received, ${processed} processed and ${failed} failed do not fit ${rows} recorded rows`);
  }
}
