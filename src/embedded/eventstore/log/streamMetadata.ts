import { MAX_INT64 } from "../../../adapters/eventStore/protocol/varint.js";
import { eventIn, lastFrame } from "./blocks.js";
import type { Storage } from "./storage.js";

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

/** Undefined where it is no JSON object. */
export function parseMetadata(data: Buffer | undefined): Record<string, unknown> | undefined {
  if (!data) return undefined;
  try {
    const value: unknown = JSON.parse(data.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** As on the server: one field of a wrong kind and the whole of it says nothing; a number too small to mean anything is passed over. */
export function retentionOf(data: Buffer | undefined): Retention {
  const metadata = parseMetadata(data);
  if (!data || !metadata) return {};
  const { $maxCount, $maxAge, $tb, $cacheControl, $acl } = metadata;
  if (![$maxCount, $maxAge, $tb, $cacheControl].every((field) => field === undefined || isInt64(field, data))) return {};
  if ($acl !== undefined && (typeof $acl !== "object" || $acl === null || Array.isArray($acl))) return {};
  return {
    ...(Number($maxCount) > 0 ? { maxCount: Number($maxCount) } : {}),
    ...(Number($maxAge) > 0 ? { maxAgeSeconds: Number($maxAge) } : {}),
    ...(Number($tb) >= 0 ? { truncateBefore: Number($tb) } : {}),
  };
}

/** A parsed number cannot tell int64's maximum from 2^63, which is what JavaScript writes for it: the text can. */
const isInt64 = (value: unknown, written: Buffer): boolean =>
  Number.isInteger(value) && (Math.abs(value as number) < MAX_INT64 || written.includes("9223372036854775807"));

/** The data of the last event in the stream's metastream, as committed. Of a metastream there is none: what is written there is ignored. */
export function storedMetadata(storage: Storage, stream: string): Buffer | undefined {
  if (isMetastream(stream)) return undefined;
  for (const block of storage.streamBlocksBack(metastreamOf(stream), Number.MAX_VALUE)) {
    return Buffer.from(eventIn(lastFrame(block)).data); // a copy: it outlives the block
  }
  return undefined;
}
