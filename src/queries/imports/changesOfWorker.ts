import { startedRevision } from "../../events/importLayout.js";
import { type EventStore, eventAt, type StoredEvent } from "../../ports/eventStore.js";

interface Known {
  /** The revision up to which the changes are known. */
  upTo: bigint;
  actor: string;
  readonly changes: StoredEvent[];
}

/** Recorded events never change, so a later search in a stream continues where the last one ended. */
const knownOf = new WeakMap<EventStore, Map<string, Known>>();
const mostKnown = 500;
const mostChanges = 20;

/**
 * The first event of each worker that took the import up from another one. A binary search finds each in about twenty reads: every event
 * names its worker, and no worker process comes back to an import that another one has taken up.
 */
export async function changesOfWorker(
  eventStore: EventStore,
  { stream, first }: { readonly stream: string; readonly first: string },
  last: bigint,
  /** The event of that revision, where it was read already. */
  lastEvent: StoredEvent | undefined,
): Promise<readonly StoredEvent[]> {
  const known = knownOf.get(eventStore) ?? new Map<string, Known>();
  knownOf.set(eventStore, known);
  const soFar = known.get(stream) ?? { upTo: startedRevision, actor: first, changes: [] };
  known.delete(stream);
  known.set(stream, soFar);
  for (const oldest of known.keys()) if (known.size > mostKnown) known.delete(oldest);
  while (soFar.upTo < last && soFar.changes.length < mostChanges) {
    const change = await firstOfAnother(eventStore, stream, soFar, lastEvent ?? (await eventAt(eventStore, stream, last)));
    if (!change) {
      soFar.upTo = last;
      break;
    }
    if (change.revision <= soFar.upTo) continue; // another request has found it meanwhile
    soFar.changes.push(change);
    Object.assign(soFar, { upTo: change.revision, actor: change.metadata.actor });
  }
  return soFar.changes;
}

async function firstOfAnother(
  eventStore: EventStore,
  stream: string,
  { upTo, actor }: Known,
  last: StoredEvent | undefined,
): Promise<StoredEvent | undefined> {
  let same = upTo;
  let found = last;
  if (!found || found.metadata.actor === actor) return undefined;
  while (found.revision - same > 1n) {
    const middle = await eventAt(eventStore, stream, (same + found.revision) / 2n);
    if (!middle) return undefined;
    if (middle.metadata.actor === actor) same = middle.revision;
    else found = middle;
  }
  return found;
}
