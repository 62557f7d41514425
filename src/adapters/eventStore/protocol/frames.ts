// gRPC's frames: one byte for compression, four for the message's length, then the message. Also used by the embedded event store.

/** The bytes of a frame before its message. */
export const framePrefix = 5;

/** Where the frame that begins at `at` ends. */
export const frameEnd = (frames: Buffer, at: number): number => at + framePrefix + frames.readUInt32BE(at + 1);

/** Each frame by itself. */
export function framesIn(frames: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0, end = 0; at < frames.length; at = end) {
    end = frameEnd(frames, at);
    found.push(frames.subarray(at, end));
  }
  return found;
}

interface FrameListener {
  /** Called with the size of a frame's message when the frame begins to arrive, perhaps several times. Throws to refuse it. */
  begun(isCompressed: boolean, size: number): void;
  /** Called with each frame, in order, when it has arrived completely. */
  whole(bytes: Buffer, at: number, end: number): void;
}

/** Finds the frames in the arriving chunks, wherever those are cut. The `bytes` of `whole` begin with `before`, then comes the first frame. */
export function frameFinder({ begun, whole }: FrameListener, before: Buffer = Buffer.alloc(0)): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let [held, wanted] = [0, framePrefix];
  return (chunk) => {
    parts.push(chunk);
    held += chunk.length;
    if (held < wanted) return;
    const bytes = parts.length === 1 && before.length === 0 ? chunk : Buffer.concat([before, ...parts]);
    let at = before.length;
    for (;;) {
      wanted = framePrefix;
      if (bytes.length - at < wanted) break;
      wanted = frameEnd(bytes, at) - at;
      begun(bytes[at] !== 0, wanted - framePrefix);
      if (bytes.length - at < wanted) break;
      whole(bytes, at, at + wanted);
      at += wanted;
    }
    parts = at < bytes.length ? [bytes.subarray(at)] : [];
    held = bytes.length - at;
  };
}

/** gRPC removes a frame's prefix from whatever it is handed, so a group of messages gets one more in front. */
const noPrefix = Buffer.alloc(framePrefix);

/**
 * Cuts the arriving bytes into single frames, or into one group: a prefix and then whole frames. gRPC removes the prefix. The rest of a group
 * begins with a 0, which no message does.
 */
export type SplitChunk = (chunk: Buffer) => Buffer[];

/**
 * gRPC hands over one message at a time, each through several promises, which costs more than reading the event in it. By this cut the
 * messages of a Read call that arrive together are handed over together. `maxBytes`: of one message; -1 for no limit.
 */
export function groupFrames(maxBytes: number): SplitChunk {
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
