import type { z } from "zod";

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
  null: "null",
};

const formats: Readonly<Record<string, string>> = {
  datetime: "must be an ISO 8601 timestamp with a time zone",
  date: "must be an ISO 8601 date",
  uuid: "must be a UUID",
  email: "must be an e-mail address",
};

const plural = (count: number | bigint, noun: string) => `${count} ${noun}${Number(count) === 1 ? "" : "s"}`;

/** Zod's error map: the sentence after the path. A message given in the schema itself goes before this one. */
export function validationSentence(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== "custom") return "is required";
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "int") return "must be a whole number";
      return `must be ${typeNames[issue.expected] ?? `a valid ${issue.expected}`}`;
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return tooBig(issue);
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return formats[issue.format] ?? "is not in the expected format";
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_union":
      return `must be ${branchTypes(issue.errors).join(" or ") || "of an accepted kind"}`;
    case "invalid_key":
      return "has a key that is not accepted";
    default:
      return undefined;
  }
}

function branchTypes(branches: readonly (readonly z.core.$ZodIssue[])[]): string[] {
  const types = branches.flatMap((issues) => issues.flatMap((issue) => (issue.code === "invalid_type" ? [issue.expected] : [])));
  return [...new Set(types.map((type) => typeNames[type] ?? type))];
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (origin === "array") return `must contain at least ${plural(minimum, "element")}`;
  if (origin === "string") return minimum === 1 ? "must not be empty" : `must be at least ${plural(minimum, "character")} long`;
  return inclusive ? `must be at least ${minimum}` : `must be greater than ${minimum}`;
}

function tooBig({ origin, maximum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (origin === "array") return `must contain at most ${plural(maximum, "element")}`;
  if (origin === "string") return `must be at most ${plural(maximum, "character")} long`;
  return inclusive ? `must be at most ${maximum}` : `must be less than ${maximum}`;
}
