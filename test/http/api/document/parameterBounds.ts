// Values inside, at and outside each bound that the document states for a parameter. A kind of bound that is not known here throws.

import { type DescribedOperation, describeApi } from "../../../../src/http/api/document/describeApi.js";
import type { Schema } from "../../../../src/http/api/document/schemas.js";
import { routes } from "../../../../src/http/api/routes/list.js";

export interface Edge {
  readonly bound: string;
  readonly inside: readonly string[];
  readonly outside: readonly string[];
}

const document = describeApi(routes, "https://waybill.example.net");
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): DescribedOperation => ({ method: method.toUpperCase(), path, operation })),
);
export const text = (length: number) => "x".repeat(length);

const times: Edge = {
  bound: "a time",
  inside: [
    "2026-03-01T09:30:00Z",
    "2026-03-01T09:30:00.5+10:00",
    "2024-02-29T00:00:00-03:30",
    "1900-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    ...["2026-03-01T09:30:00", "2026-03-01 09:30", "2024-02-29", "1900-01-01", "9999-12-31"],
  ],
  outside: [
    "1899-12-31T23:59:59Z",
    "2026-02-29T00:00:00Z",
    "2026-03-01T24:00:00Z",
    ...["2026-02-29", "1899-12-31", "2026-3-1", "2026-03", "20260301", "1772357400", "now", ""],
  ],
};

const idempotencyKeys: Edge = {
  bound: "1 to 255 printable characters",
  inside: ["k", "!~", text(254), text(255)],
  outside: ["", text(256), "a b", "clé"],
};

const patterns: Readonly<Record<string, Edge>> = {
  "^[\\w-]{1,64}$": {
    bound: "an id",
    inside: ["x", "x".repeat(63), "x".repeat(64), "A_b-1"],
    outside: ["", "x".repeat(65), "a b", "a/b", "\u00e9"],
  },
  "^[\\x21-\\x7e]{1,255}$": idempotencyKeys,
  "^\\d{4}-\\d{2}-\\d{2}": times,
};

/** Values for each keyword of a schema. All are texts, since parameters are texts. */
const edgesOf: Readonly<Record<string, (schema: Schema) => Edge[]>> = {
  type: ({ type }) => (type === "integer" ? [{ bound: "a whole number", inside: [], outside: ["1.5", "x", "", "1e1", "0x1", "-1"] }] : []),
  minimum: ({ minimum }) => [around("minimum", [Number(minimum), Number(minimum) + 1], Number(minimum) - 1)],
  maximum: ({ maximum }) => [around("maximum", [Number(maximum) - 1, Number(maximum)], Number(maximum) + 1)],
  minLength: ({ minLength }) => [{ bound: "minLength", inside: [text(Number(minLength))], outside: [text(Number(minLength) - 1)] }],
  maxLength: ({ maxLength }) => {
    const most = Number(maxLength);
    return [
      {
        bound: `maxLength ${most}`,
        inside: [text(most - 1), text(most), ...wide(most)],
        outside: [text(most + 1), ...wide(most + 1)],
      },
    ];
  },
  enum: ({ enum: choices = [] }) => [
    { bound: "one of", inside: choices.map(String), outside: ["surprise", "", String(choices[0]).toUpperCase()] },
  ],
  pattern: ({ pattern }) => [patterns[String(pattern)] ?? unknown(`pattern ${pattern}`)],
  default: () => [], // requests for other parameters leave this one out
  description: () => [],
  "x-extension": () => [],
};

/** Characters beyond the basic plane, each of which counts as one. More than a thousand would be too long for an address. */
const wide = (length: number) => (length > 1_001 ? [] : ["\u{1D465}".repeat(length)]);

const around = (name: string, inside: number[], outside: number): Edge => ({
  ...{ bound: `${name} ${inside.join(" ")}`, inside: inside.map(String), outside: [String(outside)] },
});

function unknown(keyword: string): Edge {
  throw new Error(`no values are known for ${keyword}: add them here`);
}

const resolved = (schema: Schema): Schema => document.components.schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;

export function boundsOf(schema: Schema): Edge[] {
  const own = resolved(schema);
  return Object.keys(own).flatMap((keyword) => (edgesOf[keyword] ?? (() => [unknown(keyword)]))(own));
}
