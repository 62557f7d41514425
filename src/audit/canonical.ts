// src/audit compares the projections' tables with the streams. It shares the storage format with the rest of the service and no code of the
// projections, so that a mistake in a projection is not repeated here.
import { hash } from "node:crypto";

/** JSON with sorted keys, so that equal values give equal text. Strings are as Postgres can store them. */
export function canonical(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(storableText(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = entries.map(([key, inner]) => `${JSON.stringify(storableText(key))}:${canonical(inner)}`).sort();
  return `{${sorted.join(",")}}`;
}

/** Pushes with NUL or a lone surrogate are rejected. If a stream has one, the tables have U+FFFD in its place. */
export const storableText = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text).toWellFormed();

export const shortDigest = (text: string): string => hash("sha256", text, "base64url").slice(0, 16);
