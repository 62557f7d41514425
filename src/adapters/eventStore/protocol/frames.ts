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
