import { FRAME_PREFIX, frameEnd, ID_BYTES } from "./blocks.js";
import { type Call, frame } from "./grpcCall.js";
import { structuredUuid } from "./uuids.js";
import { bytesField, cursorOver, eachField, readBytes, readMessage, readVarint, varintField } from "./wire.js";

/** Fields of a ReadEvent. */
const EVENT = 1;
const LINK = 2;

/** Events are stored with their ids as text, as the Node client wants them; for other clients they are rewritten on the way out. */
export function withStructuredIds(call: Call): Call {
  return { ...call, send: (frames) => call.send(rewriteFrames(frames)) };
}

function rewriteFrames(frames: Buffer): Buffer {
  const rewritten: Buffer[] = [];
  for (let at = 0; at < frames.length; ) {
    const end = frameEnd(frames, at);
    rewritten.push(rewriteFrame(frames.subarray(at, end)));
    at = end;
  }
  return Buffer.concat(rewritten);
}

function rewriteFrame(original: Buffer): Buffer {
  const response = cursorOver(original.subarray(FRAME_PREFIX));
  if (readVarint(response) !== 0x0a) return original; // no event: a checkpoint, say
  const readEvent = readMessage(response);
  const parts: Buffer[] = [];
  eachField(readEvent, (field) => {
    if (field === EVENT || field === LINK) parts.push(bytesField(field, rewriteRecorded(readBytes(readEvent))));
    else parts.push(varintField(field, readVarint(readEvent))); // its position
    return true;
  });
  return frame(bytesField(1, ...parts));
}

function rewriteRecorded(recorded: Buffer): Buffer {
  const id = structuredUuid(recorded.toString("latin1", 4, 4 + ID_BYTES));
  return Buffer.concat([bytesField(1, id), recorded.subarray(4 + ID_BYTES)]);
}
