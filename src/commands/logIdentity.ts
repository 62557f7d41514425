// The event log's id. The service writes it once, in the log's first event, and reads it from there afterwards.
import { randomUUID } from "node:crypto";
import { firstStartPrincipal } from "../domain/principal.js";
import { encode } from "../events/codec.js";
import { logStream, readLogId } from "../events/streams.js";
import { StoreUnavailable, WrongVersion } from "../portErrors.js";
import { type EventStore, noStream } from "../ports/eventStore.js";

const logIds = new WeakMap<EventStore, Promise<string>>();

/** Returns the event log's id, and creates it if the event log has none. Reads it once for each `EventStore` object. */
export function logIdOf(eventStore: EventStore): Promise<string> {
  const logId = logIds.get(eventStore) ?? readLogId(eventStore).then((found) => found ?? createLog(eventStore));
  logIds.set(eventStore, logId);
  logId.catch(() => logIds.delete(eventStore));
  return logId;
}

/** Several processes may start at the same moment: one append succeeds, and the other processes read the id that it wrote. */
async function createLog(eventStore: EventStore): Promise<string> {
  const logId = randomUUID();
  const context = { organisation: "", by: firstStartPrincipal, correlationId: logId };
  const event = encode("LogCreated", { logId, at: new Date().toISOString() }, context, randomUUID());
  try {
    await eventStore.append(logStream, [event], noStream);
    return logId;
  } catch (error) {
    // Drops `outcomeUnknown`: it is about this append, and the caller's own append has not been sent.
    if (error instanceof StoreUnavailable) throw new StoreUnavailable(error.store, error.message, { cause: error });
    if (!(error instanceof WrongVersion)) throw error;
    const recordedId = await readLogId(eventStore);
    if (recordedId === undefined) throw new StoreUnavailable("event store", error.message, { cause: error }); // the id cannot be read yet
    return recordedId;
  }
}
