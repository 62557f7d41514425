// Whose log this is. The id is written once, before anything else, and read from the log ever after.
import { randomUUID } from "node:crypto";
import { firstStart } from "../domain/principal.js";
import { encode } from "../events/codec.js";
import { readLogId } from "../events/logId.js";
import { logStream } from "../events/streams.js";
import { StoreUnavailable, WrongVersion } from "../portErrors.js";
import { type EventStore, noStream } from "../ports.js";

const known = new WeakMap<EventStore, Promise<string>>();

/** The log's id, written first where there is none; asked of the log once for each connection. */
export function logIdOf(eventStore: EventStore): Promise<string> {
  const asked = known.get(eventStore) ?? readLogId(eventStore).then((found) => found ?? createLog(eventStore));
  known.set(eventStore, asked);
  asked.catch(() => known.delete(eventStore));
  return asked;
}

/** Of several processes that start at once one is first; the others read what it wrote. */
async function createLog(eventStore: EventStore): Promise<string> {
  const logId = randomUUID();
  const context = { organisation: "", by: firstStart, correlationId: logId };
  const event = encode("LogCreated", { logId, at: new Date().toISOString() }, context, randomUUID());
  try {
    await eventStore.append(logStream, [event], noStream);
    return logId;
  } catch (error) {
    // Whatever became of this append, the one that the caller is about to make has not been sent.
    if (error instanceof StoreUnavailable) throw new StoreUnavailable(error.store, error.message, { cause: error });
    if (!(error instanceof WrongVersion)) throw error;
    const first = await readLogId(eventStore);
    if (first === undefined) throw error;
    return first;
  }
}
