// Reads the protocol's BatchAppendResp. A refusal, and an id that comes as numbers, are left to the client's generated code.
import type { Position, Revision } from "../../ports/eventStore.js";
import { decode, type Fields, message, readBigInt, textIn } from "./protobuf.js";
import { generatedBatchReply } from "./vendor.js";

export interface Acknowledged {
  readonly revision: Revision;
  readonly position: Position | undefined;
}

export interface BatchReply {
  readonly correlationId: string;
  readonly acknowledged?: Acknowledged;
  /** Why it was refused; needs the stream's name to say so. */
  readonly refusal?: (stream: string) => Error;
}

interface Reply {
  correlationId: string;
  acknowledged: Acknowledged | undefined;
}

const positionFields: Fields<Position> = { 1: ["commit", readBigInt], 2: ["prepare", readBigInt] };
export const readPosition = message(positionFields, () => ({ commit: 0n, prepare: 0n }));
const successFields: Fields<Acknowledged> = { 1: ["revision", readBigInt], 3: ["position", readPosition] };
const replyFields: Fields<Reply> = {
  1: ["correlationId", textIn(2)],
  3: ["acknowledged", message(successFields, () => ({ revision: 0n, position: undefined }))],
};

export function batchReply(bytes: Buffer): BatchReply {
  const { correlationId, acknowledged } = decode<Reply>(bytes, replyFields, { correlationId: "", acknowledged: undefined });
  if (correlationId !== "" && acknowledged) return { correlationId, acknowledged };
  const { refusal, success, ...other } = generatedBatchReply(bytes);
  if (success) return { ...other, acknowledged: success };
  return { ...other, refusal: refusal ?? (() => new Error("the server neither took nor refused the append")) };
}
