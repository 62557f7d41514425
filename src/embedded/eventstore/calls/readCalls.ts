import { allBackwards, allForwards, refuseForeignPosition } from "../log/allReads.js";
import type { CommitLog } from "../log/commitLog.js";
import type { Page } from "../log/pages.js";
import type { Storage } from "../log/storage.js";
import { pageBackwards, pageForwards, viewOf } from "../log/streamReads.js";
import { framed } from "../protocol/frames.js";
import type { Call, CallHandler } from "../protocol/grpcCall.js";
import { streamDeleted } from "../protocol/grpcErrors.js";
import { type ReadRequest, readReadRequest } from "../protocol/readRequest.js";
import { openFeed } from "./feeds.js";
import { subscribe } from "./subscriptions.js";

type NextPage = () => Page;

/** Streams.Read: every read and every subscription. */
export function readCalls(storage: Storage, log: CommitLog, now: () => number): (call: Call) => CallHandler {
  async function serve(call: Call, bytes: Buffer): Promise<void> {
    const request = readReadRequest(bytes);
    if (request.subscription) return subscribe(call, storage, log, openFeed(storage, log, request, now));
    storage.refresh();
    const next = request.stream === undefined ? allPages(storage, log, request) : streamPages(storage, request.stream, request, now());
    if (next) await sendPages(call, storage, next);
    else call.send(framed([[4, [[1, [[3, request.stream ?? ""]]]]]])); // stream not found
    call.end();
  }
  return (call) => ({ message: (bytes) => serve(call, bytes), complete: () => undefined });
}

async function sendPages(call: Call, storage: Storage, next: NextPage): Promise<void> {
  for (;;) {
    const page = next();
    if (page.frames.length > 0) call.send(Buffer.concat(page.frames));
    if (page.done) return;
    await call.drained();
    if (call.isOver()) return;
    storage.refresh();
  }
}

/** Undefined where there is no such stream. The read ends where the stream ended when it began. */
function streamPages(storage: Storage, stream: string, { from, backwards, limit }: ReadRequest, now: number): NextPage | undefined {
  const view = viewOf(storage, stream, now);
  if (view.kind === "deleted") throw streamDeleted(stream);
  if (view.kind === "missing") return undefined;
  const read = backwards ? pageBackwards : pageForwards;
  let next = from === "start" ? 0 : from === "end" ? Number.MAX_SAFE_INTEGER : from;
  let left = limit;
  return () => {
    const page = read(storage, stream, view, next, left);
    next = page.next;
    left -= page.events;
    return page;
  };
}

function allPages(storage: Storage, log: CommitLog, { from, backwards, limit, filter }: ReadRequest): NextPage {
  const until = log.committedEnd();
  if (typeof from === "number") refuseForeignPosition(storage, until, from, backwards);
  let next = from === "start" ? 0 : from === "end" ? until : from;
  let left = limit;
  return () => {
    const page = backwards ? allBackwards(storage, next, left, filter) : allForwards(storage, { from: next, until, limit: left }, filter);
    next = page.next;
    left -= page.events;
    return page;
  };
}
