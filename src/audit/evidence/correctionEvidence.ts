// The states of rejected rows, computed from the streams without the projection's code. The audit compares the projection's tables with them.

import type { PoolClient } from "pg";
import { actorOf } from "../../domain/principal.js";
import { decodeOn, type RecordedOn, UnreadableEvent } from "../../events/codec.js";
import { endsImport, type ImportRequested } from "../../events/importEvents.js";
import { requestedEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, isAfter, type Position, type StoredEvent } from "../../ports/eventStore.js";
import { storable } from "../canonical.js";
import { type ImportReversals, type Reversal, type ReversalEvidence, reversalsOfImport } from "./reversalEvidence.js";

export interface CorrectionRow {
  readonly organisationId: string;
  /** The import whose row it is. */
  readonly importId: string;
  /** As the tables ought to have it, column by column. */
  readonly columns: readonly (string | number | boolean | null)[];
}

export interface CorrectionEvidence {
  /** The next event of the log: of an import that was requested or has ended, of a stream of corrections or of reversals. */
  requested(request: ImportRequested): void;
  ended(importId: string, completed: boolean): void;
  /** Adds an event of a stream of corrections. Returns why the event cannot be read; undefined if it can. */
  addEvent(stored: StoredEvent): string | undefined;
  reversed(reversal: Reversal): void;
  rows(): Readonly<Record<"row_corrections" | "finished_rows" | "withdrawn_imports", ReadonlyMap<string, CorrectionRow>>>;
}

/** A row and the row of another import that corrects it. */
interface Link extends Pick<CorrectionRow, "organisationId" | "importId"> {
  readonly row: number;
  readonly correction: string;
  readonly correctionRow: number;
  state: "submitted" | "claimed" | "corrected";
  isReversed: boolean;
}

const keyOf = (...parts: readonly (string | number)[]): string => parts.join(" ");
const finishedAs = {
  claimed: "corrected",
  dismissed: "dismissed",
  superseded: "superseded",
  reversed: "withdrawn",
  withdrawn: "withdrawn",
} as const;

/** Events have to come in the order of the log. `reversals`: all of them, of which earlier ones decide whether a claim is refused. */
export function correctionEvidence(reversals: ReversalEvidence): CorrectionEvidence {
  const links = new Map<string, Link>();
  /** By the id of the correcting import. */
  const linksOf = new Map<string, Link[]>();
  /** By row: its links to the rows that correct it. */
  const holding = new Map<string, Set<Link>>();
  const withdrawn = new Map<string, CorrectionRow>();
  const finished = new Map<string, CorrectionRow>();

  const linkKey = ({ importId, row, correction }: Link) => keyOf(importId, row, correction);
  const holdersOf = (importId: string, row: number): Set<Link> => {
    const key = keyOf(importId, row);
    const known = holding.get(key) ?? new Set<Link>();
    holding.set(key, known);
    return known;
  };
  /** The corrected row is free. That may free the row that it corrects itself. */
  function remove(link: Link): void {
    if (!links.delete(linkKey(link))) return;
    holdersOf(link.importId, link.row).delete(link);
    for (const own of linksOf.get(link.importId) ?? []) if (own.correctionRow === link.row) releaseIfDead(own);
  }
  function releaseIfDead(link: Link): void {
    const own = keyOf(link.correction, link.correctionRow);
    if (link.isReversed && holdersOf(link.correction, link.correctionRow).size === 0 && !finished.has(own)) remove(link);
  }
  const finish = (organisationId: string, owner: string, row: number, rest: readonly (string | null)[]) => {
    const key = keyOf(owner, row);
    if (!finished.has(key)) finished.set(key, { organisationId, importId: owner, columns: [owner, row, ...rest] });
  };

  function apply(event: RecordedOn<"corrections">): void {
    const organisationId = event.metadata.organisation;
    const { importId, by } = event.data;
    switch (event.type) {
      case "RowsClaimed": {
        const { correction, rows, refused } = event.data;
        const own = (linksOf.get(correction) ?? []).filter((link) => links.has(linkKey(link)));
        for (const link of own) if (rows.includes(link.row) && link.state === "submitted") link.state = "claimed";
        const overtaken = own.filter(({ row }) => rows.includes(row) && isReversedBefore(reversals, importId, row, event.position));
        const late = overtaken.map(({ row, correctionRow }) => ({ row, correctionRow, why: "reversed" as const, importId: undefined }));
        const lost = [...refused, ...late];
        for (const { correctionRow, why, importId: other } of lost)
          finish(organisationId, correction, correctionRow, [finishedAs[why], other ?? null, null, actorOf(by)]);
        for (const link of own) if (lost.some(({ row }) => row === link.row)) remove(link);
        // The last claim has the row.
        for (const row of rows.filter((each) => !lost.some((refusal) => refusal.row === each)))
          for (const link of [...holdersOf(importId, row)]) if (link.correction !== correction && link.state === "corrected") remove(link);
        return;
      }
      case "RowsDismissed":
        if (withdrawn.has(importId)) return;
        for (const row of event.data.rows)
          finish(organisationId, importId, row, ["dismissed", null, storable(event.data.note), actorOf(by)]);
        return;
      case "RowsReopened":
        if (!withdrawn.has(importId)) for (const row of event.data.rows) finished.delete(keyOf(importId, row));
        return;
      case "ReversalDecided":
        return; // RowsReversed follows
    }
    event satisfies never;
  }

  return {
    requested({ importId: correction, organisationId, corrects }) {
      if (!corrects) return;
      const made = corrects.rows.map((row, index): Link => {
        const names = { organisationId, importId: corrects.importId, row, correction, correctionRow: index + 1 };
        return { ...names, state: "submitted", isReversed: false };
      });
      linksOf.set(correction, made);
      for (const link of made) {
        links.set(linkKey(link), link);
        holdersOf(link.importId, link.row).add(link);
      }
    },
    ended(importId, completed) {
      for (const link of linksOf.get(importId) ?? []) {
        if (completed) link.state = "corrected";
        else remove(link);
      }
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
    reversed({ data: { importId, rows }, metadata }) {
      if (rows === "all") withdrawn.set(importId, { organisationId: metadata.organisation, importId, columns: [importId] });
      for (const link of linksOf.get(importId) ?? []) {
        if (rows !== "all" && !rows.some(([first, last]) => first <= link.correctionRow && link.correctionRow <= last)) continue;
        link.isReversed = true;
        releaseIfDead(link);
      }
    },
    rows: () => ({
      row_corrections: new Map([...links].map(([key, link]) => [key, rowOf(link)])),
      finished_rows: finished,
      withdrawn_imports: withdrawn,
    }),
  };
}

const rowOf = ({ organisationId, importId, row, correction, correctionRow, state, isReversed }: Link): CorrectionRow => ({
  organisationId,
  importId,
  columns: [importId, row, correction, correctionRow, state, isReversed],
});

/** The log's order decides: a claim that comes after the reversal of its row is refused. */
function isReversedBefore(reversals: ReversalEvidence, importId: string, row: number, position: Position): boolean {
  const reversal = reversals.get(importId)?.ofRow(row);
  return reversal !== undefined && isAfter(position, reversal.position);
}

interface Sources {
  readonly client: PoolClient;
  readonly eventStore: EventStore;
}

/** What the streams say of one import's rows and of those that correct them, up to a position of the log. */
export async function correctionsOfImport(
  { client, eventStore }: Sources,
  { importId, corrects }: ImportRequested,
  until: Position,
): Promise<CorrectionEvidence> {
  const reversals = new Map<string, ImportReversals>();
  const evidence = correctionEvidence(reversals);
  const steps: Step[] = [];
  const waiting = [importId, ...(corrects ? [corrects.importId] : [])];
  const seen = new Set(waiting);
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
    const own = await reversalsOfImport(eventStore, each, { until });
    if (own.events.length > 0) reversals.set(each, own);
    steps.push(...own.events.map((event) => ({ position: event.position, apply: () => evidence.reversed(event) })));
    steps.push(...(await importSteps(eventStore, each, evidence)));
    const correcting = await correctionsNamed(client, each);
    for await (const stored of eventStore.read(streamOf.corrections(each))) {
      steps.push({ position: stored.position, apply: () => evidence.addEvent(stored) });
      const event = decodeOn("corrections", stored);
      if (event?.type === "RowsClaimed" && !isAfter(stored.position, until)) correcting.push(event.data.correction);
    }
    // Of the import that this one corrects, only the claims are needed.
    if (each === corrects?.importId) continue;
    waiting.push(...correcting.filter((id) => !seen.has(id)));
    for (const id of correcting) seen.add(id);
  }
  const inOrder = steps.filter(({ position }) => !isAfter(position, until));
  for (const { apply } of inOrder.sort((one, other) => (isAfter(one.position, other.position) ? 1 : -1))) apply();
  return evidence;
}

interface Step {
  readonly position: Position;
  readonly apply: () => unknown;
}

/** A correction that has claimed rows is named by the stream. One that still waits is named by the table alone; its own stream is read. */
async function correctionsNamed(client: PoolClient, importId: string): Promise<string[]> {
  const { rows } = await client.query<{ correction: string }>(
    "select distinct correction_id as correction from row_corrections where import_id = $1",
    [importId],
  );
  return rows.map(({ correction }) => correction);
}

async function importSteps(eventStore: EventStore, importId: string, evidence: CorrectionEvidence): Promise<Step[]> {
  const requested = await requestedEvent(eventStore, importId);
  const last = await eventStore.last(streamOf.import(importId));
  return [
    ...(requested ? [{ position: requested.position, apply: () => evidence.requested(requested.data) }] : []),
    ...(last && endsImport(last.type)
      ? [{ position: last.position, apply: () => evidence.ended(importId, last.type === "ImportCompleted") }]
      : []),
  ];
}
