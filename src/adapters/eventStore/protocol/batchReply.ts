// Reads the protocol's BatchAppendResp. A refusal, and an id that comes as numbers, are left to the client's generated code.
import type { Position, Revision } from "../../../ports/eventStore.js";
import { generatedBatchReply } from "../vendor.js";
import { message, readBigInt, textIn, wholeMessage } from "./protobuf.js";

export interface Acknowledged {
  readonly revision: Revision;
  readonly position: Position | undefined;
}

export interface BatchReply {
  readonly correlationId: string;
  readonly acknowledged?: Acknowledged;
  /** Makes the error that says why the append was refused. */
  readonly refusal?: (stream: string) => Error;
}

export const readPosition = message((): Position => ({ commit: 0n, prepare: 0n }), {
  1: ["commit", readBigInt],
  2: ["prepare", readBigInt],
});
const readSuccess = message((): Acknowledged => ({ revision: 0n, position: undefined }), {
  1: ["revision", readBigInt],
  3: ["position", readPosition],
});
const readReply = wholeMessage(() => ({ correlationId: "", acknowledged: undefined as Acknowledged | undefined }), {
  1: ["correlationId", textIn(2)],
  3: ["acknowledged", readSuccess],
});

export function batchReply(bytes: Buffer): BatchReply {
  const { correlationId, acknowledged } = readReply(bytes);
  if (correlationId !== "" && acknowledged) return { correlationId, acknowledged };
  const { refusal, success, ...other } = generatedBatchReply(bytes);
  if (success) return { ...other, acknowledged: success };
  return { ...other, refusal: refusal ?? (() => new Error("the server neither took nor refused the append")) };
}
