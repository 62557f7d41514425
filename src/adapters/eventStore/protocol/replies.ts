// The replies of a Read call that arrived together. Each is decoded when it is asked for: until then it takes a few hundred bytes.
import { frameEnd, framePrefix } from "./frames.js";
import { type ReadReply, replyReader } from "./readReply.js";

export interface Replies {
  hasMore(): boolean;
  /** Call it only while `hasMore()`. */
  next(): ReadReply;
}

/** Reads what a call hands over: a message, or several of them as groupedMessages.ts has them. */
export function repliesReader(): (bytes: Buffer) => Replies {
  const read = replyReader();
  return (bytes) => {
    const isGroup = bytes[0] === 0;
    let [next, isDone] = [0, false];
    return {
      hasMore: () => !isDone,
      next() {
        const at = next;
        next = isGroup ? frameEnd(bytes, at) : bytes.length;
        isDone = next >= bytes.length;
        return read(bytes, isGroup ? at + framePrefix : at, next);
      },
    };
  };
}
