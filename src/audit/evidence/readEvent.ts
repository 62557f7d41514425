import { decodeOn, type RecordedOn, UnreadableEvent } from "../../events/codec.js";
import type { StoredEvent } from "../../ports/eventStore.js";

/** Reports an event of an unknown type and one that cannot be read, and gives undefined for it. */
export function readEvent<S extends Parameters<typeof decodeOn>[0]>(
  kind: S,
  stored: StoredEvent,
  report: (fault: string) => void,
): RecordedOn<S> | undefined {
  try {
    const event = decodeOn(kind, stored);
    if (!event) report(`${stored.type} at revision ${stored.revision} is unknown`);
    return event;
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    report(error.message);
    return undefined;
  }
}
