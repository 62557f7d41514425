// Sends appends in a BatchAppend call, which is kept open, on the client's connection. The client's own two ways to append cannot be relied
// on when a connection breaks: see docs/decisions/event-store-adapter.md.
import { convertToCommandError, type EventStoreDBClient } from "@eventstore/db-client";
import { StoreUnavailable } from "../../../portErrors.js";
import { NeverSent } from "../failures.js";
import type { BatchRequest } from "../protocol/batchMessages.js";
import { type BatchCall, type BatchReply, openBatchCall } from "../vendor.js";

type Acknowledgement = NonNullable<BatchReply["acknowledged"]>;

interface PendingAppend {
  readonly request: BatchRequest;
  readonly stream: string;
  readonly resolve: (acknowledged: Acknowledgement) => void;
  readonly reject: (error: unknown) => void;
  /** When the append was queued, on performance.now()'s clock. */
  readonly queuedAtMs: number;
}

/** How many appends may be sent and not yet answered. All others wait in this process, where their callers can still give them up. */
const maxUnanswered = 512;
const maxUnansweredBytes = 4 * 1024 * 1024;

type SendInSharedCall = (append: PendingAppend) => void;

/**
 * One BatchAppend call per client for all appends, open while they come, since opening a call costs as much as several appends. The
 * vendor's client has such a call too, but its appends wait for ever when a server falls silent, and fail together with those of other
 * clients. Here an append that is not answered in time ends the call, so that no append is sent after its caller has given up. A call that
 * ends rejects its own unanswered appends and no others.
 */
function createSharedCall(client: EventStoreDBClient, deadlineMs: number): SendInSharedCall {
  const waiting: PendingAppend[] = [];
  const sent = new Map<string, PendingAppend>();
  let unansweredBytes = 0;
  let call: BatchCall | undefined;
  let opening = false;
  let usedSinceCheck = false;
  let timer: NodeJS.Timeout | undefined;

  async function open(): Promise<void> {
    opening = true;
    try {
      const opened = await openBatchCall(client);
      call = opened;
      opened.on("data", ({ correlationId, acknowledged, refusal }: BatchReply) => {
        const append = sent.get(correlationId);
        if (!append) return;
        sent.delete(correlationId);
        unansweredBytes -= append.request.bytes.length;
        if (acknowledged) append.resolve(acknowledged);
        else append.reject(refusal(append.stream));
        flush();
      });
      opened.on("error", (error: Error) => handleCallEnd(opened, convertToCommandError(error)));
      opened.on("end", () => handleCallEnd(opened, new Error("the server ended the call without an answer")));
    } catch (error) {
      for (const append of waiting.splice(0)) append.reject(error);
    }
    opening = false;
    flush();
  }

  function flush(): void {
    if (waiting.length === 0 || opening) return;
    if (!call) return void open();
    let sentCount = 0;
    for (const append of waiting) {
      if (sent.size >= maxUnanswered || (sent.size > 0 && unansweredBytes + append.request.bytes.length > maxUnansweredBytes)) break;
      sentCount += 1;
      sent.set(append.request.correlationId, append);
      unansweredBytes += append.request.bytes.length;
      call.write(append.request.bytes);
    }
    waiting.splice(0, sentCount);
    usedSinceCheck = true;
  }

  function handleCallEnd(endedCall: typeof call, error: unknown): void {
    if (call !== endedCall) return;
    call = undefined;
    const unanswered = [...sent.values()];
    sent.clear();
    unansweredBytes = 0;
    for (const append of unanswered) append.reject(error);
    flush();
  }

  /** Rejects appends that are past their deadline, and ends a call that was not used since the last check. */
  function checkDeadlines(): void {
    timer = undefined;
    const lastLateMs = performance.now() - deadlineMs; // an append that was queued by then is late
    const firstInTime = waiting.findIndex(({ queuedAtMs }) => queuedAtMs > lastLateMs);
    // None of these was sent. Their callers have given up, so they must not be recorded any more.
    for (const append of waiting.splice(0, firstInTime === -1 ? waiting.length : firstInTime)) append.reject(new NeverSent());
    const oldest = sent.values().next().value;
    if (call && oldest && oldest.queuedAtMs <= lastLateMs) {
      const silentCall = call;
      handleCallEnd(silentCall, new StoreUnavailable("event store", `an append to ${oldest.stream}: no answer within ${deadlineMs} ms`));
      silentCall.cancel();
    } else if (call && !oldest && !usedSinceCheck) {
      call.end();
      call = undefined;
    }
    usedSinceCheck = false;
    scheduleCheck();
  }

  function scheduleCheck(): void {
    const oldest = sent.values().next().value ?? waiting[0];
    if (timer || !(oldest || call)) return;
    const leftMs = oldest ? oldest.queuedAtMs + deadlineMs - performance.now() : deadlineMs;
    timer = setTimeout(checkDeadlines, Math.max(1, Math.ceil(leftMs))).unref();
  }

  return (append) => {
    waiting.push(append);
    flush();
    scheduleCheck();
  };
}

export type SendBatch = (client: EventStoreDBClient, request: BatchRequest, stream: string) => Promise<Acknowledgement>;

export function createBatchSender(deadlineMs: number): SendBatch {
  const sharedCalls = new WeakMap<EventStoreDBClient, SendInSharedCall>();

  return (client, request, stream) =>
    new Promise((resolve, reject) => {
      const sendInCall = sharedCalls.get(client) ?? createSharedCall(client, deadlineMs);
      sharedCalls.set(client, sendInCall);
      sendInCall({ request, stream, resolve, reject, queuedAtMs: performance.now() });
    });
}
