import { eventDataAt, eventTypeAt, FRAME_PREFIX, frameEnd } from "./blocks.js";
import { type Call, frame } from "./grpcCall.js";
import type { Storage } from "./storage.js";
import { isVisible, viewOf } from "./streamReads.js";
import { createEventLookup } from "./streamStates.js";
import { bytesField, cursorOver, readBytes, readMessage, restOf } from "./wire.js";

/** An event that only says which one it stands for: `revision@stream`. */
const LINK = "$>";

/** For readers that ask for it, a link comes with the event it stands for; by itself where that one cannot be read (any more). */
export function withResolvedLinks(call: Call, storage: Storage, now: () => number): Call {
  return { ...call, send: (frames) => call.send(frames.includes(LINK) ? resolveFrames(frames, storage, now()) : frames) };
}

function resolveFrames(frames: Buffer, storage: Storage, now: number): Buffer {
  storage.refresh();
  const resolved: Buffer[] = [];
  for (let at = 0; at < frames.length; at = frameEnd(frames, at)) {
    const isLink = frames[at + FRAME_PREFIX] === 0x0a && eventTypeAt(frames, at) === LINK; // not a checkpoint, say
    resolved.push(isLink ? resolveLink(frames, at, storage, now) : frames.subarray(at, frameEnd(frames, at)));
  }
  return Buffer.concat(resolved);
}

/** ReadEvent: the event is its first field, the link its second; the position is the link's. */
function resolveLink(frames: Buffer, at: number, storage: Storage, now: number): Buffer {
  const response = cursorOver(frames.subarray(at + FRAME_PREFIX + 1, frameEnd(frames, at)));
  const readEvent = readMessage(response);
  readEvent.at += 1;
  const link = readBytes(readEvent);
  const target = targetOf(eventDataAt(frames, at).toString("utf8"), storage, now);
  const position = restOf(readEvent);
  return frame(bytesField(1, ...(target ? [bytesField(1, target)] : []), bytesField(2, link), position));
}

function targetOf(link: string, storage: Storage, now: number): Buffer | undefined {
  const [, digits, stream] = /^(\d+)@(.+)$/s.exec(link) ?? [];
  if (digits === undefined || stream === undefined) return undefined;
  const revision = Number(digits);
  const lookup = createEventLookup(storage, stream);
  const place = lookup.placeAt(revision);
  return place && isVisible(viewOf(storage, stream, now), revision, place.createdAt) ? lookup.recordAt(revision) : undefined;
}
