/**
 * JSON that Postgres accepts. Postgres refuses NUL and lone surrogates, which JSON.stringify writes as \u escapes. A text without such an
 * escape needs no second pass.
 */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes("\\u") ? JSON.stringify(value, withoutUnstorable) : text;
}

function withoutUnstorable(_key: string, value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), inner]));
}

const storableText = (text: string) => text.replaceAll("\0", "\ufffd").toWellFormed();
