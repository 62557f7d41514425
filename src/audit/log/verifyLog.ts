import type { Pool, PoolClient } from "pg";
import type { LogEntry } from "../../domain/log/entry.js";
import type { LogNames } from "../../domain/log/sentences.js";
import { actorOf } from "../../domain/principal.js";
import type { EventStore } from "../../ports/eventStore.js";
import { canonical } from "../canonical.js";
import { type Findings, newFindings } from "../findings.js";
import { readRows, withSnapshot } from "../snapshot.js";
import { deriveLog, isOver } from "./deriveLog.js";

export interface VerifyLogOptions {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly signal: AbortSignal;
  readonly organisationId: string;
  /** Included. */
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
  readonly onProgress?: (progress: { events: number; share: number }) => void;
}

export interface VerifiedLog {
  /** From the streams, the oldest first. */
  readonly entries: readonly LogEntry[];
  readonly names: LogNames;
  readonly findings: Findings;
}

/** Derives the log of an organisation and compares each entry with its row. */
export function verifyLog(options: VerifyLogOptions): Promise<VerifiedLog> {
  const { eventStore, organisationId, signal, from, to, onProgress } = options;
  return withSnapshot(options, async ({ client, position }) => {
    const findings = newFindings();
    const { entries, names } = await deriveLog({ eventStore, organisationId, until: position, signal, findings, onProgress });
    const now = await clockOf(client);
    const isAsked = (each: Pick<LogEntry, "at" | "what" | "stream">) =>
      (!from || each.at >= from) && (!to || each.at < to) && !isOver(each, now);
    const derived = [...entries.values()].filter(isAsked);
    await compare(client, organisationId, derived, isAsked, findings);
    return { entries: derived, names, findings };
  });
}

async function clockOf(client: PoolClient): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>("select now() as now");
  return rows[0]?.now as Date;
}

type Shown = Pick<LogEntry, "at" | "what" | "stream">;

async function compare(
  client: PoolClient,
  organisationId: string,
  derived: readonly LogEntry[],
  isAsked: (row: Shown) => boolean,
  findings: Findings,
): Promise<void> {
  const missing = new Map(derived.map((entry) => [entry.id, entry]));
  const add = (what: string, place: string) => findings.add({ organisationId, sentence: `${what}: ${place}` });
  const query = `select event_id::text, at, what, stream, actor, type, about_kind, about_id, details, revision::text
    from log_entries where organisation_id = $1`;
  for await (const row of readRows(client, query, [organisationId])) {
    const [id, at, what, stream, actor, type, aboutKind, aboutId, details, revision] = row as [
      ...[string, Date, LogEntry["what"], string],
      ...unknown[],
    ];
    if (!isAsked({ at, what, stream })) continue;
    const entry = missing.get(id);
    missing.delete(id);
    const place = `${type} at ${stream}@${revision}`;
    if (!entry) add("The log has an entry that the streams do not have", place);
    else if (textOf(entry) !== canonical([at.toISOString(), what, stream, actor, type, aboutKind, aboutId, details, revision]))
      add("The log has another entry than the streams", place);
  }
  for (const { event, stream, revision } of missing.values()) add("The log lacks an entry", `${event} at ${stream}@${revision}`);
}

const textOf = ({ at, what, stream, by, event, about, details, revision }: LogEntry): string =>
  canonical([at.toISOString(), what, stream, actorOf(by), event, about.kind, about.id, details, revision]);
