import type { z } from "zod";

const maxMessages = 100;

/** Zod's issues as plain sentences that begin with the path: `shipments.0.items must contain at least 1 element`. */
export function validationMessages(issues: readonly z.core.$ZodIssue[], root: string): string[] {
  return firstOf(issues.flatMap((issue) => sentences(issue, root)));
}

/** The first hundred, and how many more there are: the client decides how many faults a body has. */
export function firstOf(messages: Iterable<string>): string[] {
  const told: string[] = [];
  let more = 0;
  for (const message of messages) {
    if (told.length < maxMessages) told.push(message);
    else more += 1;
  }
  return more === 0 ? told : [...told, `... and ${more} more`];
}

function sentences(issue: z.core.$ZodIssue, root: string): string[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => `${pathText([...issue.path, key], root)} is not a recognised field`);
  if (issue.code === "invalid_union") return unionSentences(issue, root);
  return [`${pathText(issue.path, root)} ${issue.message}`];
}

/** The faults of the branch with the fewest faults inside the value. If no branch has the value's type, the error map names all accepted types. */
function unionSentences(issue: z.core.$ZodIssueInvalidUnion, root: string): string[] {
  const nearest = issue.errors.filter((branch) => branch.some((inner) => inner.path.length > 0));
  const best = nearest.sort((a, b) => a.length - b.length)[0];
  if (best === undefined) return [`${pathText(issue.path, root)} ${issue.message}`];
  return best.flatMap((inner) => sentences({ ...inner, path: [...issue.path, ...inner.path] }, root));
}

/** Keys come from the caller, so at most 100 characters of each are shown, and no control characters. */
export function pathText(path: readonly PropertyKey[], root: string): string {
  if (path.length === 0) return root;
  return path.map((part) => printable(String(part))).join(".");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being removed
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]/gu;
const printable = (key: string): string => {
  const clean = key.slice(0, 101).replace(unprintable, "?");
  return clean.length > 100 ? `${clean.slice(0, 100)}...` : clean;
};
