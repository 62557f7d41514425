import { eventDataAt, frameOffsets } from "./blocks.js";
import type { Storage } from "./storage.js";
import { MAX_INT64 } from "./wire.js";

/** What a stream's metadata says about which of its events a reader gets. */
export interface Retention {
  maxCount?: number;
  maxAgeSeconds?: number;
  /** Events below it are gone for readers of the stream; MAX_INT64 is how a soft delete is written down. */
  truncateBefore?: number;
}

export const metastreamOf = (stream: string): string => `$$${stream}`;
export const isMetastream = (stream: string): boolean => stream.startsWith("$$");
export const streamOfMeta = (metastream: string): string => metastream.slice(2);

export const isSoftDeleted = (retention: Retention): boolean => (retention.truncateBefore ?? 0) >= MAX_INT64;

/** JSON cannot carry int64's maximum through a double, so this one is written by hand. */
export const SOFT_DELETE = Buffer.from('{"$tb":9223372036854775807}');

/** Metadata that is no JSON object says nothing, as on the server. */
export function parseMetadata(data: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

export function retentionOf(data: Buffer): Retention {
  const { $maxCount, $maxAge, $tb } = parseMetadata(data);
  return {
    ...(typeof $maxCount === "number" ? { maxCount: $maxCount } : {}),
    ...(typeof $maxAge === "number" ? { maxAgeSeconds: $maxAge } : {}),
    ...(typeof $tb === "number" ? { truncateBefore: $tb } : {}),
  };
}

/** The data of the last event in the stream's metastream, as committed. */
export function storedMetadata(storage: Storage, stream: string): Buffer | undefined {
  for (const entry of storage.entriesBack(metastreamOf(stream), MAX_INT64 / 2)) {
    const block = storage.block(entry.position);
    return eventDataAt(block.frames, frameOffsets(block).at(-1) as number);
  }
  return undefined;
}
