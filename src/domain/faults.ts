import type { z } from "zod";

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

const nouns: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function sizeOf(origin: string, count: unknown, least: boolean): string {
  const bound = least ? "at least" : "at most";
  if (origin === "string") return `must have ${bound} ${String(count)} character${count === 1 ? "" : "s"}`;
  if (origin === "array") return `must have ${bound} ${String(count)} element${count === 1 ? "" : "s"}`;
  return `must be ${bound} ${String(count)}`;
}

/** What is wrong, so that it reads on after the path: `items.0.quantity must be a whole number`. */
function failureText(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${nouns[issue.expected] ?? issue.expected}`;
    case "too_small":
      if (issue.origin === "number" && issue.inclusive === false) return `must be greater than ${String(issue.minimum)}`;
      return issue.minimum === 1 && (issue.origin === "string" || issue.origin === "array")
        ? "must not be empty"
        : sizeOf(issue.origin, issue.minimum, true);
    case "too_big":
      return sizeOf(issue.origin, issue.maximum, false);
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "invalid_union":
      return "does not have one of the allowed forms";
    default:
      return undefined;
  }
}

function described(issue: Issue): string[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => `${[...path, key].join(".")} is not a known field`);
  return [path.length === 0 ? `the body ${issue.message}` : `${path.join(".")} ${issue.message}`];
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: string[] };

/** Every fault as one sentence that begins with its path. */
export function check<S extends z.ZodType>(schema: S, input: unknown): Checked<z.output<S>> {
  const parsed = schema.safeParse(input, { error: failureText });
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, faults: [...new Set(parsed.error.issues.flatMap(described))] };
}
