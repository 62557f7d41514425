// Sends appends in BatchAppend calls on the client's connection: a large one in a call of its own, small ones (such as quotes) in a call that
// is kept open. The client's own two ways to append cannot be relied on when a connection breaks: see docs/decisions/event-store-adapter.md.
import { convertToCommandError, type EventStoreDBClient } from "@eventstore/db-client";
import { NeverSent } from "../failures.js";
import { type Acknowledged, type BatchReply, batchReply } from "../protocol/batchReply.js";
import type { BatchRequest } from "../protocol/batchRequest.js";
import { openBatchCall } from "../vendor.js";
import { type Sending, type SharedCall, settle, sharedCall } from "./sharedCall.js";

export type SendBatch = (client: EventStoreDBClient, request: BatchRequest, stream: string) => Promise<Acknowledged>;

const smallBytes = 64 * 1024;

export function batchSender(deadlineMs: number): SendBatch {
  const shared = new WeakMap<EventStoreDBClient, SharedCall>();

  return (client, request, stream) =>
    new Promise((resolve, reject) => {
      const append = { request, stream, resolve, reject, since: performance.now() };
      if (request.bytes.length > smallBytes) return void sendAlone(client, append, deadlineMs);
      const call = shared.get(client) ?? sharedCall(client, deadlineMs);
      shared.set(client, call);
      call(append);
    });
}

async function sendAlone(client: EventStoreDBClient, append: Sending, deadlineMs: number): Promise<void> {
  try {
    const call = await openBatchCall(client, batchReply, Date.now() + deadlineMs);
    if (performance.now() - append.since >= deadlineMs) {
      append.reject(new NeverSent()); // its caller has given up, so it must not be sent any more
      return call.cancel();
    }
    call.on("data", (reply: BatchReply) => {
      if (reply.correlationId === append.request.correlationId) settle(append, reply);
      call.end();
    });
    call.on("error", (error: Error) => append.reject(convertToCommandError(error)));
    call.on("end", () => append.reject(new Error("the server ended the call without an answer")));
    call.write(append.request.bytes);
  } catch (error) {
    append.reject(error);
  }
}
