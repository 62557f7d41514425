// The log is read in pages of bounded size, so that one reader neither fills the memory nor holds up other readers.
import { frameEnd, framesIn } from "../../../adapters/eventStore/protocol/frames.js";
import { type EventFilter, mayMatch } from "../protocol/filters.js";
import { type Block, eventIn } from "./blocks.js";

const PAGE_BYTES = 128 * 1024;
/** With a filter that matches few events, a page ends after this many blocks. */
const PAGE_BLOCKS = 256;

/** Consecutive events that are sent together, or a checkpoint, which counts as no event. */
export interface Run {
  frames: Buffer;
  events: number;
}

/** What a reader gets of one block, and where it goes on after that: a position of the log or a revision of the stream. */
export interface Step {
  runs: Run[];
  next: number;
}

export interface Page {
  /** What goes to the reader, in order. */
  frames: Buffer[];
  events: number;
  next: number;
  /** There is nothing more to read at present. A read that is not a subscription then ends. */
  done: boolean;
}

export function readPage(steps: Iterable<Step>, from: number, limit = Number.MAX_SAFE_INTEGER): Page {
  const page: Page = { frames: [], events: 0, next: from, done: true };
  let [bytes, blocks] = [0, 0];
  for (const { runs, next } of steps) {
    for (const run of runs) {
      const room = limit - page.events;
      if (room === 0) break;
      const frames = run.events <= room ? run.frames : Buffer.concat(framesIn(run.frames).slice(0, room));
      page.frames.push(frames);
      page.events += Math.min(run.events, room);
      bytes += frames.length;
    }
    page.next = next;
    blocks += 1;
    if (page.events >= limit) break;
    if (bytes >= PAGE_BYTES || blocks >= PAGE_BLOCKS) return { ...page, done: false };
  }
  return page;
}

/** Called for each event that is looked at. Returns the checkpoint to send after it, if any. */
export type CheckpointAfter = (position: number, matches: boolean) => Buffer | undefined;

/** The block's events that match. */
export function runsOf(block: Block, filter?: EventFilter, checkpointAfter?: CheckpointAfter): Run[] {
  const { frames } = block;
  const runs: Run[] = [];
  const mayBe = mayMatch(filter, block);
  const ofType = filter?.on === "type" ? filter : undefined;
  let [start, events] = [0, 0];
  const endRun = (end: number): void => {
    if (events > 0) runs.push({ frames: frames.subarray(start, end), events });
    events = 0;
  };
  for (let at = 0, end = 0; at < frames.length; at = end) {
    end = frameEnd(frames, at);
    const matches = mayBe && (!ofType || ofType.matches(eventIn(frames.subarray(at, end)).type));
    if (!matches) endRun(at);
    else if (events === 0) start = at;
    if (matches) events += 1;
    const checkpoint = checkpointAfter?.(block.position + at, matches);
    if (!checkpoint) continue;
    endRun(end);
    runs.push({ frames: checkpoint, events: 0 });
  }
  endRun(frames.length);
  return runs;
}

/** The latest event first, each by itself. */
export const backwards = (runs: Run[]): Run[] =>
  runs.flatMap((run) => framesIn(run.frames).map((frames) => ({ frames, events: 1 }))).reverse();
