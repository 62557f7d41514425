// Implements the application's EventStore for the store at an address, which is EventStoreDB or the embedded event store.
import type { Logger } from "pino";
import { type EventStore, isAfter } from "../../ports/eventStore.js";
import { createAppender } from "./appending/append.js";
import { createBatchSender } from "./appending/sendBatch.js";
import { createStreamDeleter, openConnection, type Patience } from "./connection.js";
import { followLog } from "./reading/followLog.js";
import { createHeadReader, createStreamReader } from "./reading/readStream.js";

export interface EventStoreOptions extends Partial<Patience> {
  /** `esdb://...`, one node or a cluster. */
  readonly address: string;
  readonly logger: Logger;
  readonly stallMs?: number;
}

const pingMs = 2000;
const defaultMaxBatch = 1000;

export function connectEventStore(options: EventStoreOptions): EventStore {
  const { address, logger, deadlineMs = 5000, attempts = 5, stallMs = 10_000 } = options;
  const { patienceMs = deadlineMs * attempts * 2 } = options;
  const connection = openConnection(address, deadlineMs);
  const patience = { deadlineMs, attempts, patienceMs };
  const read = createStreamReader(connection, patience);
  const head = createHeadReader(connection, deadlineMs);
  const { append, newChunk } = createAppender({ connection, send: createBatchSender(deadlineMs), read, ...patience });
  const followOptions = { address, head, logger, deadlineMs, stallMs };
  const closing = new AbortController();

  return {
    append,
    newChunk,
    read,
    async last(stream) {
      for await (const event of read(stream, { backwards: true, max: 1 })) return event;
      return undefined;
    },
    async follow({ from, maxBatch = defaultMaxBatch, signal, ...filter }, onBatch) {
      const range = { filter, from, maxBatch, signal: AbortSignal.any([signal, closing.signal]), until: undefined };
      await followLog(followOptions, range, onBatch);
    },
    async replay({ prefixes, from, until: requestedEnd, maxBatch = defaultMaxBatch, signal }, onBatch) {
      const end = await head();
      if (!end) return from;
      const until = requestedEnd && isAfter(end, requestedEnd) ? requestedEnd : end;
      const stopSignal = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      const reached = await followLog(followOptions, { filter: { prefixes }, from, maxBatch, signal: stopSignal, until }, onBatch);
      stopSignal.throwIfAborted();
      return reached;
    },
    deleteStream: createStreamDeleter(connection, patience),
    head: () => head(),
    async ping() {
      await head(pingMs);
    },
    async close() {
      closing.abort(new Error("the event store connection was closed"));
      await connection.close();
    },
  };
}
