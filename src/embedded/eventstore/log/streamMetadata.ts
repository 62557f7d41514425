import { MAX_INT64 } from "../../../adapters/eventStore/protocol/protobuf.js";
import { eventIn, lastFrame } from "./blocks.js";
import type { Storage } from "./storage.js";

/** The limits that a stream's metadata sets on the events that a reader gets. */
export interface Retention {
  maxCount?: number;
  maxAgeSeconds?: number;
  /** The first revision that readers get. A soft delete is recorded as MAX_INT64. */
  truncateBefore?: number;
}

export const metastreamOf = (stream: string): string => `$$${stream}`;
export const isMetastream = (stream: string): boolean => stream.startsWith("$$");
export const streamOfMeta = (metastream: string): string => metastream.slice(2);

export const isSoftDeleted = (retention: Retention): boolean => (retention.truncateBefore ?? 0) >= MAX_INT64;

/** Written by hand, because JSON.stringify cannot write int64's maximum, which no double holds. */
export const SOFT_DELETE = Buffer.from('{"$tb":9223372036854775807}');

/** Undefined if the data is not a JSON object. */
export function parseMetadata(data: Buffer | undefined): Record<string, unknown> | undefined {
  if (!data) return undefined;
  try {
    const value: unknown = JSON.parse(data.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** As on EventStoreDB: if one field has a wrong type, all metadata is ignored. A number that is too small is ignored alone. */
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

/** As JavaScript numbers int64's maximum and 2^63 are equal, but only the first is valid. The JSON text tells them apart. */
const isInt64 = (value: unknown, json: Buffer): boolean =>
  Number.isInteger(value) && (Math.abs(value as number) < MAX_INT64 || json.includes("9223372036854775807"));

/** The data of the last committed event in the stream's metastream. A metastream itself has no metadata: its own metastream is ignored. */
export function storedMetadata(storage: Storage, stream: string): Buffer | undefined {
  if (isMetastream(stream)) return undefined;
  for (const block of storage.streamBlocksBack(metastreamOf(stream), Number.MAX_VALUE)) {
    return Buffer.from(eventIn(lastFrame(block)).data); // a copy: it outlives the block
  }
  return undefined;
}
