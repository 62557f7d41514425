// The event log's id. The service writes it once, in the first event of all, and reads it from there from then on.
import { randomUUID } from "node:crypto";
import { firstStart } from "../domain/principal.js";
import { encode } from "../events/codec.js";
import { logStream, readLogId } from "../events/streams.js";
import { StoreUnavailable, WrongVersion } from "../portErrors.js";
import { type EventStore, noStream } from "../ports/eventStore.js";

const known = new WeakMap<EventStore, Promise<string>>();

/** The event log's id. It is created if there is none, and read once per event store connection. */
export function logIdOf(eventStore: EventStore): Promise<string> {
  const logId = known.get(eventStore) ?? readLogId(eventStore).then((found) => found ?? createLog(eventStore));
  known.set(eventStore, logId);
  logId.catch(() => known.delete(eventStore));
  return logId;
}

/** Several processes may start at once: one append succeeds, and the other processes read the id that it wrote. */
async function createLog(eventStore: EventStore): Promise<string> {
  const logId = randomUUID();
  const context = { organisation: "", by: firstStart, correlationId: logId };
  const event = encode("LogCreated", { logId, at: new Date().toISOString() }, context, randomUUID());
  try {
    await eventStore.append(logStream, [event], noStream);
    return logId;
  } catch (error) {
    // Drops `outcomeUnknown`: it is about this append, and the caller's own append has not been sent.
    if (error instanceof StoreUnavailable) throw new StoreUnavailable(error.store, error.message, { cause: error });
    if (!(error instanceof WrongVersion)) throw error;
    const first = await readLogId(eventStore);
    if (first === undefined) throw new StoreUnavailable("event store", error.message, { cause: error }); // not read yet
    return first;
  }
}
