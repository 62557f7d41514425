import { frameOffsets } from "./blocks.js";
import { createPage, frameAt, frameRange, type Page } from "./pages.js";
import { lastEntry, type Storage } from "./storage.js";
import { isMetastream, isSoftDeleted, type Retention, retentionOf, storedMetadata, streamOfMeta } from "./streamMetadata.js";

/** What a reader may see of a stream by its metadata. */
export type StreamView =
  | { kind: "missing"; head: number }
  | { kind: "deleted" }
  | { kind: "visible"; first: number; head: number; createdFrom: number };

export function viewOf(storage: Storage, stream: string, now: number): StreamView {
  const { head, tombstoned } = lastEntry(storage, stream);
  if (tombstoned || (isMetastream(stream) && lastEntry(storage, streamOfMeta(stream)).tombstoned)) return { kind: "deleted" };
  const retention = retentionFor(storage, stream);
  if (head < 0 || isSoftDeleted(retention)) return { kind: "missing", head };
  const first = Math.max(0, retention.truncateBefore ?? 0, head - (retention.maxCount ?? Number.MAX_SAFE_INTEGER) + 1);
  const createdFrom = retention.maxAgeSeconds === undefined ? 0 : now - retention.maxAgeSeconds * 1000;
  return { kind: "visible", first, head, createdFrom };
}

/** A metastream keeps only its last event for readers, as on the server, whatever a metastream of its own may say. */
function retentionFor(storage: Storage, stream: string): Retention {
  if (isMetastream(stream)) return { maxCount: 1 };
  const metadata = storedMetadata(storage, stream);
  return metadata ? retentionOf(metadata) : {};
}

export function isVisible(view: StreamView, revision: number, createdAt: number): boolean {
  return view.kind === "visible" && revision >= view.first && revision <= view.head && createdAt >= view.createdFrom;
}

type Visible = Extract<StreamView, { kind: "visible" }>;

export interface StreamPage extends Page {
  /** The revision to go on from. */
  next: number;
}

export function pageForwards(storage: Storage, stream: string, view: Visible, from: number, limit: number): StreamPage {
  const { page, room, add, isFullAfterBlock } = createPage(limit);
  let next = Math.max(from, view.first);
  if (next <= view.head && limit > 0) {
    for (const entry of storage.entriesFrom(stream, next)) {
      if (entry.revision > view.head) break;
      const block = storage.block(entry.position);
      const last = Math.min(entry.revision + entry.count - 1, view.head, next + room() - 1);
      if (block.createdAt >= view.createdFrom) add(frameRange(block, next - entry.revision, last - entry.revision), last - next + 1);
      next = last + 1;
      if (isFullAfterBlock()) break;
    }
  }
  return { ...page, next, done: next > view.head || page.events >= limit };
}

export function pageBackwards(storage: Storage, stream: string, view: Visible, from: number, limit: number): StreamPage {
  const { page, room, add, isFullAfterBlock } = createPage(limit);
  let next = Math.min(from, view.head);
  if (next >= view.first && limit > 0) {
    for (const entry of storage.entriesBack(stream, next)) {
      const block = storage.block(entry.position);
      const lowest = Math.max(entry.revision, view.first, next - room() + 1);
      const offsets = frameOffsets(block);
      if (block.createdAt < view.createdFrom) return { ...page, next: -1, done: true }; // what lies below is older still
      for (; next >= lowest; next--) add(frameAt(block, offsets[next - entry.revision] as number), 1);
      if (isFullAfterBlock() || next < view.first) break;
    }
  }
  return { ...page, next, done: next < view.first || page.events >= limit };
}
