// gRPC's frames: one byte for compression, four for the message's length, then the message. The embedded event store uses this file too.

/** The bytes of a frame before its message. */
export const framePrefix = 5;

/** Where the frame that begins at `at` ends. */
export const frameEnd = (frames: Buffer, at: number): number => at + framePrefix + frames.readUInt32BE(at + 1);

/** Splits the bytes of several frames into one buffer for each. */
export function splitFrames(frames: Buffer): Buffer[] {
  const split: Buffer[] = [];
  for (let at = 0, end = 0; at < frames.length; at = end) {
    end = frameEnd(frames, at);
    split.push(frames.subarray(at, end));
  }
  return split;
}

interface FrameListener {
  /** Called with the size of a frame's message when the frame begins to arrive, perhaps several times. Throws to refuse the frame. */
  onFrameStart(isCompressed: boolean, size: number): void;
  /** Called with each frame, in order, when it has arrived completely. */
  onFrame(bytes: Buffer, at: number, end: number): void;
}

/** Finds the frames in the arriving chunks, wherever the chunks are cut. `onFrame` gets the bytes of `before`, then the frames. */
export function frameFinder({ onFrameStart, onFrame }: FrameListener, before: Buffer = Buffer.alloc(0)): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let [heldBytes, neededBytes] = [0, framePrefix];
  return (chunk) => {
    parts.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < neededBytes) return;
    const bytes = parts.length === 1 && before.length === 0 ? chunk : Buffer.concat([before, ...parts]);
    let at = before.length;
    for (;;) {
      neededBytes = framePrefix;
      if (bytes.length - at < neededBytes) break;
      neededBytes = frameEnd(bytes, at) - at;
      onFrameStart(bytes[at] !== 0, neededBytes - framePrefix);
      if (bytes.length - at < neededBytes) break;
      onFrame(bytes, at, at + neededBytes);
      at += neededBytes;
    }
    parts = at < bytes.length ? [bytes.subarray(at)] : [];
    heldBytes = bytes.length - at;
  };
}

/** gRPC removes the first five bytes of what it is given, so a group of frames gets one more prefix in front. */
const groupPrefix = Buffer.alloc(framePrefix);

/**
 * Cuts the arriving bytes into single frames, or into one group: a prefix and then whole frames. gRPC removes the prefix. The rest of a
 * group begins with the 0 of its first frame, and no message begins with 0.
 */
export type SplitChunk = (chunk: Buffer) => Buffer[];

/**
 * gRPC delivers one message at a time, each through several promises, which costs more than reading the event in it. With this function the
 * messages of a Read call that arrive together are delivered together. `maxBytes` is the limit for one message; -1 for none.
 */
export function groupFrames(maxBytes: number): SplitChunk {
  let group: Buffer = groupPrefix;
  let [end, isCompressed] = [0, false];
  const find = frameFinder(
    {
      onFrameStart(_, size) {
        if (maxBytes !== -1 && size > maxBytes) throw new Error(`Received message larger than max (${size} vs ${maxBytes})`);
      },
      onFrame(bytes, at, to) {
        group = bytes;
        end = to;
        isCompressed ||= bytes[at] !== 0;
      },
    },
    groupPrefix,
  );
  return (chunk) => {
    end = 0;
    isCompressed = false;
    find(chunk);
    if (end === 0) return [];
    // gRPC takes one compressed message at a time.
    return isCompressed ? splitFrames(group.subarray(framePrefix, end)) : [group.subarray(0, end)];
  };
}
