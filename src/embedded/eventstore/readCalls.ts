import { allBackwards, allForwards, refuseForeignPosition } from "./allReads.js";
import type { CommitLog } from "./commitLog.js";
import { openFeed } from "./feeds.js";
import { type Call, type CallHandler, frame } from "./grpcCall.js";
import { streamDeleted } from "./grpcErrors.js";
import { withResolvedLinks } from "./links.js";
import type { Page } from "./pages.js";
import { type ReadRequest, readReadRequest } from "./readRequest.js";
import type { Storage } from "./storage.js";
import { pageBackwards, pageForwards, viewOf } from "./streamReads.js";
import { withStructuredIds } from "./structuredIds.js";
import { subscribe } from "./subscriptions.js";
import { bytesField, textField } from "./wire.js";

type NextPage = () => Page;

/** Streams.Read: every read and every subscription. */
export function readCalls(storage: Storage, log: CommitLog, now: () => number): (call: Call) => CallHandler {
  async function serve(call: Call, bytes: Buffer): Promise<void> {
    const request = readReadRequest(bytes);
    const plain = request.structuredIds ? withStructuredIds(call) : call;
    const reader = request.resolveLinks ? withResolvedLinks(plain, storage, now) : plain;
    if (request.subscription) return subscribe(reader, storage, log, openFeed(storage, log, request, now));
    storage.refresh();
    const next = request.stream === undefined ? allPages(storage, log, request) : streamPages(storage, request.stream, request, now());
    if (!next) reader.send(frame(bytesField(4, bytesField(1, textField(3, request.stream ?? "")))));
    else await sendPages(reader, storage, next);
    reader.end();
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
  if (typeof from === "number") refuseForeignPosition(log, from, backwards);
  let next = from === "start" ? 0 : from === "end" ? until : from;
  let left = limit;
  return () => {
    const page = backwards ? allBackwards(storage, next, left, filter) : allForwards(log, { from: next, until, limit: left }, filter);
    next = page.next;
    left -= page.events;
    return page;
  };
}
