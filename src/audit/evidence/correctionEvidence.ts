// The states of rejected rows, computed from the streams without the projection's code. The audit compares the projection's tables with them.

import type { PoolClient } from "pg";
import { actorOf } from "../../domain/principal.js";
import { decodeOn, type RecordedOn, UnreadableEvent } from "../../events/codec.js";
import { endsImport, type ImportRequested } from "../../events/importEvents.js";
import { requestedEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, isAfter, type Position, type StoredEvent } from "../../ports/eventStore.js";
import { storable } from "../canonical.js";

export interface CorrectionRow {
  readonly organisationId: string;
  /** The import whose row it is. */
  readonly importId: string;
  /** As the tables ought to have it, column by column. */
  readonly columns: readonly (string | number | null)[];
}

export interface CorrectionEvidence {
  /** An import was requested or has ended. */
  requested(request: ImportRequested): void;
  ended(importId: string, completed: boolean): void;
  /** Adds an event of a stream of corrections. Returns why the event cannot be read; undefined if it can. */
  addEvent(stored: StoredEvent): string | undefined;
  rows(): { readonly row_corrections: Map<string, CorrectionRow>; readonly finished_rows: Map<string, CorrectionRow> };
}

const keyOf = (...parts: readonly (string | number)[]): string => parts.join(" ");
const finishedAs = {
  claimed: "corrected",
  dismissed: "dismissed",
  superseded: "superseded",
  reversed: "withdrawn",
  withdrawn: "withdrawn",
} as const;

export function correctionEvidence(): CorrectionEvidence {
  const requests = new Map<string, ImportRequested>();
  const ends = new Map<string, boolean>();
  const claimed = new Set<string>();
  const refused = new Set<string>();
  const finished = new Map<string, CorrectionRow>();
  const apply = (event: RecordedOn<"corrections">): void => {
    const organisationId = event.metadata.organisation;
    const { importId } = event.data;
    const setIfNew = (owner: string, row: number, rest: readonly (string | null)[]) => {
      const key = keyOf(owner, row);
      if (!finished.has(key)) finished.set(key, { organisationId, importId: owner, columns: [owner, row, ...rest] });
    };
    switch (event.type) {
      case "RowsClaimed": {
        const { correction, by } = event.data;
        for (const row of event.data.rows) claimed.add(keyOf(importId, row, correction));
        for (const { row, correctionRow, why, importId: other } of event.data.refused) {
          refused.add(keyOf(importId, row, correction));
          setIfNew(correction, correctionRow, [finishedAs[why], other ?? null, null, actorOf(by)]);
        }
        return;
      }
      case "RowsDismissed":
        for (const row of event.data.rows) setIfNew(importId, row, ["dismissed", null, storable(event.data.note), actorOf(event.data.by)]);
        return;
      case "RowsReopened":
        for (const row of event.data.rows) finished.delete(keyOf(importId, row));
        return;
    }
    event satisfies never;
  };
  return {
    requested(request) {
      if (request.corrects) requests.set(request.importId, request);
    },
    ended(importId, completed) {
      if (requests.has(importId)) ends.set(importId, completed);
    },
    addEvent(stored) {
      try {
        const event = decodeOn("corrections", stored);
        if (event) apply(event);
        return event ? undefined : `${stored.type} at revision ${stored.revision} is unknown`;
      } catch (error) {
        if (error instanceof UnreadableEvent) return error.message;
        throw error;
      }
    },
    rows() {
      const corrections = new Map<string, CorrectionRow>();
      for (const { importId: correction, organisationId, corrects } of requests.values()) {
        const end = ends.get(correction);
        if (!corrects || end === false) continue;
        for (const row of corrects.rows) {
          const key = keyOf(corrects.importId, row, correction);
          if (refused.has(key)) continue;
          const state = end === true ? "corrected" : claimed.has(key) ? "claimed" : "submitted";
          corrections.set(key, { organisationId, importId: corrects.importId, columns: [corrects.importId, row, correction, state] });
        }
      }
      return { row_corrections: corrections, finished_rows: finished };
    },
  };
}

interface Sources {
  readonly client: PoolClient;
  readonly eventStore: EventStore;
}

/** What the streams say of one import's rejected rows, up to a position of the log. */
export async function correctionsOfImport(
  { client, eventStore }: Sources,
  { importId, corrects }: ImportRequested,
  until: Position,
): Promise<CorrectionEvidence> {
  const evidence = correctionEvidence();
  const found = await client.query<{ correction: string }>(
    "select distinct correction_id as correction from row_corrections where import_id = $1",
    [importId],
  );
  const corrections = new Set(found.rows.map(({ correction }) => correction));
  // Corrections that have claimed rows are named by the stream. One that still waits is named by the table alone; its own stream is read.
  for (const stream of [importId, ...(corrects ? [corrects.importId] : [])]) {
    for await (const stored of eventStore.read(streamOf.corrections(stream))) {
      if (isAfter(stored.position, until)) break;
      evidence.addEvent(stored);
      const event = stream === importId ? decodeOn("corrections", stored) : undefined;
      if (event?.type === "RowsClaimed") corrections.add(event.data.correction);
    }
  }
  for (const correction of corrections) await addImport(eventStore, correction, until, evidence);
  return evidence;
}

async function addImport(eventStore: EventStore, importId: string, until: Position, evidence: CorrectionEvidence): Promise<void> {
  const requested = await requestedEvent(eventStore, importId);
  if (requested && !isAfter(requested.position, until)) evidence.requested(requested.data);
  const last = await eventStore.last(streamOf.import(importId));
  if (last && endsImport(last.type) && !isAfter(last.position, until)) evidence.ended(importId, last.type === "ImportCompleted");
}
