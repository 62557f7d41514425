// src/audit reads the streams as evidence and holds the projections against it. It shares the storage format with the rest of the
// service and nothing else: a mistake in a projection must not be repeated here.
import { hash } from "node:crypto";

/** Equal for equal values, whatever the order of their keys. Text is as Postgres can store it. */
export function canonical(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(storable(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = entries.map(([key, inner]) => `${JSON.stringify(storable(key))}:${canonical(inner)}`).sort();
  return `{${sorted.join(",")}}`;
}

/** Neither NUL nor half a character is let in; should one be in a stream all the same, tables hold this instead. */
export const storable = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text).toWellFormed();

export const shortDigest = (text: string): string => hash("sha256", text, "base64url").slice(0, 16);
