import type { CommitLog } from "../log/commitLog.js";
import {
  allBackwards,
  allForwards,
  type ReadStep,
  refusePositionWithoutEvent,
  streamBackwards,
  streamForwards,
  streamViewOf,
  takePage,
} from "../log/reads.js";
import type { Storage } from "../log/storage.js";
import { type Call, frameOf, type Method, streamDeleted } from "../protocol/grpc.js";
import { parseReadRequest, type ReadRequest } from "../protocol/parseRequest.js";
import { openSubscriptionFeed } from "./subscriptionFeed.js";
import { subscribe } from "./subscriptions.js";

type StepsFrom = (next: number) => Iterable<ReadStep>;

/** Streams.Read, for every read and every subscription. */
export function readCalls(storage: Storage, log: CommitLog): Method {
  async function serve(call: Call, bytes: Buffer): Promise<void> {
    const request = parseReadRequest(bytes);
    if (request.subscription) return subscribe(call, storage, log, openSubscriptionFeed(storage, log, request));
    storage.refresh();
    const end = request.stream === undefined ? log.committedEnd() : Number.MAX_SAFE_INTEGER;
    const stepsFrom = request.stream === undefined ? stepsOfLog(storage, end, request) : stepsOfStream(storage, request.stream, request);
    const from = request.from === "start" ? 0 : request.from === "end" ? end : request.from;
    if (stepsFrom) await sendPages(call, storage, stepsFrom, from, request.limit);
    else call.send(frameOf([[4, [[1, [[3, request.stream ?? ""]]]]]])); // stream not found
    call.end();
  }
  return (call) => ({ message: (bytes) => serve(call, bytes) });
}

async function sendPages(call: Call, storage: Storage, stepsFrom: StepsFrom, from: number, limit: number): Promise<void> {
  for (let [next, remaining] = [from, limit]; ; ) {
    const page = takePage(stepsFrom(next), next, remaining);
    if (page.frames.length > 0) call.send(Buffer.concat(page.frames));
    if (page.done) return;
    next = page.next;
    remaining -= page.events;
    await call.drained();
    if (call.isOver()) return;
    storage.refresh();
  }
}

/** Undefined if there is no such stream. The read does not include events that are appended after it has begun. */
function stepsOfStream(storage: Storage, stream: string, { backwards }: ReadRequest): StepsFrom | undefined {
  const view = streamViewOf(storage, stream);
  if (view.kind === "deleted") throw streamDeleted(stream);
  if (view.kind === "missing") return undefined;
  return (next) => (backwards ? streamBackwards : streamForwards)(storage, stream, view, next);
}

function stepsOfLog(storage: Storage, until: number, { from, backwards, filter }: ReadRequest): StepsFrom {
  if (typeof from === "number") refusePositionWithoutEvent(storage, until, from, backwards);
  return (next) => (backwards ? allBackwards(storage, next, filter) : allForwards(storage, { from: next, until }, filter));
}
