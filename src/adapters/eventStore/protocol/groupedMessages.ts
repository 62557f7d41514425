// gRPC hands over one message at a time, each through several promises, which costs more than reading the event in it. Here the
// messages of a Read call that arrive together are handed over together.
import { frameFinder, framePrefix, framesIn } from "./frames.js";

/** gRPC removes a frame's prefix from whatever it is handed, so a group of messages gets one more in front. */
const noPrefix = Buffer.alloc(framePrefix);

/**
 * Cuts the arriving bytes into single frames, or into one group: a prefix and then whole frames. gRPC removes the prefix. The rest of a group
 * begins with a 0, which no message does.
 */
export type Cut = (chunk: Buffer) => Buffer[];

/** `maxBytes`: of one message; -1 for no limit. */
export function groupingCut(maxBytes: number): Cut {
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
