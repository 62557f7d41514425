import type { PoolClient } from "pg";
import { decodeOn } from "../../events/codec.js";
import { endsImport, type ImportRequested } from "../../events/importEvents.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, isAfter, type Position } from "../../ports/eventStore.js";
import { type CorrectionEvidence, correctionEvidence } from "./correctionEvidence.js";

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
  for await (const stored of eventStore.read(streamOf.import(importId), { max: 1 })) {
    const event = decodeOn("import", stored);
    if (event?.type === "ImportRequested" && !isAfter(stored.position, until)) evidence.requested(event.data);
  }
  const last = await eventStore.last(streamOf.import(importId));
  if (last && endsImport(last.type) && !isAfter(last.position, until)) evidence.ended(importId, last.type === "ImportCompleted");
}
