import type { EventStore } from "../ports/eventStore.js";
import { decode } from "./codec.js";
import { logStream } from "./streams.js";

/** Reads the log's id; undefined when the log has none yet. */
export async function readLogId(eventStore: Pick<EventStore, "read">): Promise<string | undefined> {
  for await (const stored of eventStore.read(logStream, { max: 1 })) {
    const event = decode(stored);
    if (event?.type === "LogCreated") return event.data.logId;
    throw new Error(`the log's stream ${logStream} begins with ${stored.type}, not with LogCreated`);
  }
  return undefined;
}
