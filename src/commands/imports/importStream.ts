import { v5 } from "uuid";
import { limits } from "../../domain/imports/limits.js";
import { importNotFound } from "../../domain/rejection.js";
import { decodeOn, type EventContext, encode } from "../../events/codec.js";
import type { ImportKind, ImportRequested } from "../../events/importEvents.js";
import { firstRowRevision, readRequestedEvent, rowsBefore } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, eventsOf, type NewEvent, noStream, type Revision, type StoredEvent } from "../../ports/eventStore.js";
import { decide, evolve, type ImportCommand, type ImportEvent, type ImportState, initialImportState, isFinished } from "./importDecider.js";

export interface LoadedImport {
  readonly importId: string;
  readonly state: ImportState;
  /** The stream's last revision: the next append expects exactly this one. */
  readonly revision: Revision;
  /** Commit position of ImportRequested, which orders the imports. Undefined when the stream is empty. */
  readonly position: bigint | undefined;
}

export const unrequestedImport = (importId: string): LoadedImport => ({
  importId,
  state: initialImportState,
  revision: noStream,
  position: undefined,
});

/** Reads the first two events and, if there may be more, the last. Each event in between is a row, so the revision gives their number. */
export async function loadImport(eventStore: EventStore, importId: string): Promise<LoadedImport> {
  const stream = streamOf.import(importId);
  const first = await eventsOf(eventStore, stream, { max: Number(firstRowRevision) });
  const [requested] = first;
  if (!requested) return unrequestedImport(importId);
  const last =
    (first.length < Number(firstRowRevision) ? undefined : await eventStore.last(stream)) ?? first[first.length - 1] ?? requested;
  let state = first.map(importEvent).reduce<ImportState>(evolve, initialImportState);
  if (last.revision >= firstRowRevision && state.status === "processing") {
    state = evolve({ ...state, rows: rowsBefore(last.revision) }, importEvent(last));
  }
  return { importId, state, revision: last.revision, position: requested.position.commit };
}

/** The import that a caller names, and what limits the caller to imports it may see. */
export interface ImportScope {
  /** Undefined for the command line, which may name any organisation's import. */
  readonly organisationId: string | undefined;
  readonly importId: string;
  readonly kind?: ImportKind | undefined;
}

type VisibleImport = LoadedImport & { readonly state: Exclude<ImportState, { status: "none" }>; readonly position: bigint };

/** Throws notFound for another organisation's import or one of the other kind. */
export async function loadVisibleImport(eventStore: EventStore, { organisationId, importId, kind }: ImportScope): Promise<VisibleImport> {
  const loaded = await loadImport(eventStore, importId);
  const { state } = loaded;
  const isVisible =
    state.status !== "none" &&
    (organisationId === undefined || state.request.organisationId === organisationId) &&
    (kind === undefined || state.request.kind === kind);
  if (!isVisible) throw importNotFound();
  return loaded as VisibleImport;
}

/** Decides and appends at the loaded revision. Throws WrongVersion if another process has appended after the import was loaded. */
export async function handleImport(
  eventStore: EventStore,
  loaded: LoadedImport,
  command: ImportCommand,
  context: EventContext,
  options?: { readonly withinMs: number },
): Promise<LoadedImport> {
  const { importId, revision } = loaded;
  const events = decide(command, loaded.state);
  if (events.length === 0) return loaded;
  const appended = await eventStore.append(streamOf.import(importId), encodeAll(loaded, events, context), revision, options);
  const position = loaded.position ?? appended.position.commit;
  return { importId, state: events.reduce(evolve, loaded.state), revision: appended.revision, position };
}

/** Derives each id from the whole event. So if two workers append different events at one revision, the store refuses one of them. */
export const encodeAll = (
  { importId, revision }: Pick<LoadedImport, "importId" | "revision">,
  events: readonly ImportEvent[],
  context: EventContext,
): NewEvent[] => events.map((event) => encode(event.type, event.data, context, v5(`${revision} ${JSON.stringify(event)}`, importId)));

export const hasEnded = (loaded: LoadedImport): boolean => isFinished(loaded.state);

function importEvent(stored: StoredEvent): ImportEvent {
  const event = decodeOn("import", stored);
  if (!event) throw new Error(`${stored.type} at ${stored.stream}@${stored.revision} is of an unknown type`);
  return event;
}

const idempotencyKeyNamespace = "6f0f6c36-2c0e-4f0a-9d36-0b7c1c1f2a11";

export interface IdempotencyKeyUse {
  readonly organisationId: string;
  readonly idempotencyKey: string;
  readonly now: Date;
}

/** Derives the id from the Idempotency-Key, so that the stream records the key's use. An expired key gets another id for its next push. */
export async function importOfKey(
  eventStore: EventStore,
  { organisationId, idempotencyKey, now }: IdempotencyKeyUse,
): Promise<{ importId: string; earlier: ImportRequested | undefined }> {
  const oldest = now.getTime() - limits.idempotencyHours * 3_600_000;
  for (let generation = 0; ; generation += 1) {
    const importId = v5(JSON.stringify([organisationId, idempotencyKey, generation]), idempotencyKeyNamespace);
    const earlier = await readImportRequest(eventStore, importId);
    if (!earlier || Date.parse(earlier.at) > oldest) return { importId, earlier };
  }
}

/** Undefined for an unknown import. */
export const readImportRequest = async (eventStore: EventStore, importId: string): Promise<ImportRequested | undefined> =>
  (await readRequestedEvent(eventStore, importId))?.data;
