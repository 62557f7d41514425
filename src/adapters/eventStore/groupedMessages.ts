// gRPC hands over one message at a time, each through several promises, which costs more than reading the event in it. Here the
// messages of a Read call that arrive together are handed over together. It needs the insides of `@grpc/grpc-js`, the client's own
// library: where they are not as expected the messages come one by one, as that library gives them.
import type { EventEmitter } from "node:events";
import { frameFinder, framePrefix, framesIn } from "./frames.js";

/** From what it is given gRPC takes off a prefix. */
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

/** `maxBytes`: of one message; -1 for no limit. */
export function groupingWrite(maxBytes: number): Decoder["write"] {
  let group: Buffer = noPrefix;
  let [end, isCompressed] = [0, false];
  const find = frameFinder(
    {
      begun(_, size) {
        if (maxBytes !== -1 && size > maxBytes) throw new Error(`Received message larger than max (${size} vs ${maxBytes})`);
      },
      whole(bytes, at, to) {
        group = bytes;
        end = to;
        isCompressed ||= bytes[at] !== 0;
      },
    },
    noPrefix,
  );
  return (chunk) => {
    end = 0;
    isCompressed = false;
    find(chunk);
    if (end === 0) return [];
    // gRPC takes one compressed message at a time.
    return isCompressed ? framesIn(group.subarray(framePrefix, end)) : [group.subarray(0, end)];
  };
}
