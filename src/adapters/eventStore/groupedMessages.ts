// gRPC hands over one message at a time, each through several promises, which costs more than reading the event in it. Here the
// messages of a Read call that arrive together are handed over together. It needs the insides of `@grpc/grpc-js`, the client's own
// library: where they are not as expected the messages come one by one, as that library gives them.
import type { EventEmitter } from "node:events";

/** gRPC's, before each message: one byte for compression, four for the length. */
export const framePrefix = 5;
const noPrefix = Buffer.alloc(framePrefix);

/** Cuts what arrives into messages with their prefixes. */
interface Decoder {
  write(chunk: Buffer): Buffer[];
  readonly maxReadMessageLength: number;
}

/** From then on the call hands over a message or, beginning with a 0 as no message does, several of them with their prefixes. */
export function groupMessages(call: EventEmitter): void {
  // Once the answer has begun it is known who reads it, and no message has come yet.
  call.once("metadata", () => {
    const decoder = decoderOf(call);
    if (decoder) decoder.write = groupingWrite(decoder.maxReadMessageLength);
  });
}

/** From the call that callers see to the one that reads the HTTP/2 stream. */
const way = ["call", "call", "child", "underlyingCalls", "0", "call", "child", "decoder"];

function decoderOf(call: object): Decoder | undefined {
  let found: unknown = call;
  for (const name of way) found = (found as Record<string, unknown> | null | undefined)?.[name];
  const { write, maxReadMessageLength } = (found ?? {}) as Partial<Decoder>;
  return typeof write === "function" && typeof maxReadMessageLength === "number" ? (found as Decoder) : undefined;
}

/** Where the message ends whose prefix is there. */
export const frameEnd = (bytes: Buffer, at: number): number => at + framePrefix + bytes.readUInt32BE(at + 1);

/** `maxBytes`: of one message; -1 for no limit. */
export function groupingWrite(maxBytes: number): Decoder["write"] {
  let parts: Buffer[] = [];
  let [held, wanted] = [0, framePrefix];
  return (chunk) => {
    parts.push(chunk);
    held += chunk.length;
    if (held < wanted) return [];
    const bytes = Buffer.concat([noPrefix, ...parts]); // from what it is given gRPC takes off a prefix
    let [end, isCompressed] = [framePrefix, false];
    for (wanted = framePrefix; bytes.length - end >= framePrefix; wanted = framePrefix) {
      wanted = frameEnd(bytes, end) - end;
      const size = wanted - framePrefix;
      if (maxBytes !== -1 && size > maxBytes) throw new Error(`Received message larger than max (${size} vs ${maxBytes})`);
      if (bytes.length - end < wanted) break;
      isCompressed ||= bytes[end] !== 0;
      end += wanted;
    }
    parts = [bytes.subarray(end)];
    held = bytes.length - end;
    if (end === framePrefix) return [];
    return isCompressed ? eachOf(bytes.subarray(framePrefix, end)) : [bytes.subarray(0, end)];
  };
}

/** gRPC takes one compressed message at a time. */
function eachOf(frames: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < frames.length; at = frameEnd(frames, at)) found.push(frames.subarray(at, frameEnd(frames, at)));
  return found;
}
