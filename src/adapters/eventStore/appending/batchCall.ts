// Opens a BatchAppend call, and settles an append with its reply.
import type { EventStoreDBClient } from "@eventstore/db-client";
import { type Acknowledged, type BatchReply, batchReply } from "../protocol/batchReply.js";
import type { BatchRequest } from "../protocol/batchRequest.js";
import { type BatchCall, openBatchCall as openCall } from "../vendor.js";

export interface Sending {
  readonly request: BatchRequest;
  readonly stream: string;
  readonly resolve: (acknowledged: Acknowledged) => void;
  readonly reject: (error: unknown) => void;
  /** Of performance.now(). */
  readonly since: number;
}

export const openBatchCall = (client: EventStoreDBClient, deadline: number): Promise<BatchCall> => openCall(client, batchReply, deadline);

export function settle({ stream, resolve, reject }: Sending, { acknowledged, refusal }: BatchReply): void {
  if (acknowledged) resolve(acknowledged);
  else reject(refusal?.(stream));
}
