import { Rejection } from "../../domain/rejection.js";
import { pathText } from "../../domain/validation.js";
import { Problem } from "./problem.js";

/** The contract's deepest body (shipments.0.items.0.x) has 5 levels. */
const maxDepth = 32;
/** A push of 1,000 shipments with 200 custom fields each and 10,000 goods lines has 250,000 fields. */
const maxFields = 300_000;
/** Counted as commas and opening brackets; the push above has 260,000. Array elements take as long to build as named fields. */
const maxValues = 600_000;

const rejection = (message: string) => new Rejection("invalid", message, [message]);

/** Parses a JSON body strictly: UTF-8, bounded depth, no `__proto__` key. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw rejection("body must be a JSON object, nothing was sent");
  refuseHugeBody(bytes);
  const text = decode(bytes);
  const value = parseText(text);
  // The text is searched first, also for escaped letters, since walking through the value takes as long as parsing it.
  if (/__proto__|\\u00[567]/.test(text)) refuseProto(value, []);
  return value;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw rejection("body must be encoded in UTF-8");
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw rejection(`body must be valid JSON${position === undefined ? "" : `, the fault is at character ${position}`}`);
  }
}

const [quote, backslash, colon, comma, openArray, closeArray, openObject, closeObject] = [
  0x22, 0x5c, 0x3a, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
] as const;

/** Scans the bytes, so that deep nesting and millions of fields or elements are rejected before any object is built. */
function refuseHugeBody(bytes: Uint8Array): void {
  let depth = 0;
  let fields = 0;
  let values = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === quote) index = endOfString(bytes, index);
    else if (byte === colon) {
      if (++fields > maxFields) throw rejection(`body must have at most ${maxFields} fields in all`);
    } else if (byte === openObject || byte === openArray) {
      if (++depth > maxDepth) throw rejection(`body must not be nested deeper than ${maxDepth} levels`);
      values++;
    } else if (byte === comma) values++;
    else if (byte === closeObject || byte === closeArray) depth--;
    if (values > maxValues) throw rejection(`body must have at most ${maxValues} values in all`);
  }
}

/** The index of the quote that ends the string. `indexOf` is native and so fast, and most of a body is text. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return bytes.length;
}

function refuseProto(value: unknown, path: readonly PropertyKey[]): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value) && Object.hasOwn(value, "__proto__")) {
    throw rejection(`${pathText([...path, "__proto__"], "body")} is not a recognised field`);
  }
  for (const [key, inner] of Object.entries(value)) refuseProto(inner, [...path, key]);
}

/** Accepts uncompressed JSON in UTF-8. Anything else is rejected before the body is read. */
export function requireJson(headers: Headers): void {
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  if (!/^application\/(json|[a-z0-9.+-]+\+json)$/.test(type.trim())) {
    throw new Problem("unsupportedMediaType", "Send the body as JSON, with the header Content-Type: application/json");
  }
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new Problem("unsupportedMediaType", "Send the body encoded in UTF-8");
  }
  const encoding = (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity") throw new Problem("unsupportedMediaType", "Send the body without Content-Encoding");
}
