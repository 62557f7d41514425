// Turns zod's findings into plain sentences that begin with the path, for requests and for files alike.
import { z } from "zod";

export type CheckedInput<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: string[] };

/** A part of a request, which the API reference describes under the name `id`. An unknown field is a fault. */
export const requestObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.strictObject(shape).meta({ id });

/** Checks an input against a schema. `root` names the input in a message about the whole input. */
export function checkInput<S extends z.ZodType>(schema: S, input: unknown, root: string): CheckedInput<z.output<S>> {
  const { success, data, error } = parseInSentences(schema, input);
  return success ? { ok: true, value: data } : { ok: false, faults: faultsOf(error, root) };
}

/** Returns zod's result, with the sentences of this file as its messages. */
export const parseInSentences = <S extends z.ZodType>(schema: S, input: unknown): z.ZodSafeParseResult<z.output<S>> =>
  schema.safeParse(input, { error: validationSentence });

export const faultsOf = ({ issues }: z.core.$ZodError, root: string): string[] => [...new Set(validationMessages(issues, root))];

const maxMessages = 100;

/** Zod's issues as plain sentences that begin with the path: `shipments.0.items must contain at least 1 element`. */
export const validationMessages = (issues: readonly z.core.$ZodIssue[], root: string): string[] =>
  firstMessages(issues.flatMap((issue) => issueSentences(issue, root)));

/** The first hundred messages, and how many more there are: a client can send a body with any number of faults. */
export function firstMessages(messages: Iterable<string>): string[] {
  const shown: string[] = [];
  let moreCount = 0;
  for (const message of messages) {
    if (shown.length < maxMessages) shown.push(message);
    else moreCount += 1;
  }
  return moreCount === 0 ? shown : [...shown, `... and ${moreCount} more`];
}

function issueSentences(issue: z.core.$ZodIssue, root: string): string[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => `${pathText([...issue.path, key], root)} is not a recognised field`);
  if (issue.code === "invalid_union") return unionSentences(issue, root);
  return [`${pathText(issue.path, root)} ${issue.message}`];
}

/** The faults of the branch with the fewest faults inside the value. If no branch has the value's type, the message names all types. */
function unionSentences(issue: z.core.$ZodIssueInvalidUnion, root: string): string[] {
  const nearest = issue.errors.filter((branch) => branch.some((inner) => inner.path.length > 0));
  const best = nearest.sort((a, b) => a.length - b.length)[0];
  if (best === undefined) return [`${pathText(issue.path, root)} ${issue.message}`];
  return best.flatMap((inner) => issueSentences({ ...inner, path: [...issue.path, ...inner.path] }, root));
}

/** Keys come from the caller, so at most 100 characters of each are shown, and no control characters. */
export function pathText(path: readonly PropertyKey[], root: string): string {
  if (path.length === 0) return root;
  return path.map((part) => printable(String(part))).join(".");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]/gu;
const printable = (key: string): string => {
  const clean = key.slice(0, 101).replace(unprintable, "?");
  return clean.length > 100 ? `${clean.slice(0, 100)}...` : clean;
};

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

/** Zod's error map: the sentence after the path. A message in the schema itself takes precedence over this one. */
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
