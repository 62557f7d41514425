// Sends an operation as the reference's "Try it" does: with the document's examples, and with ids of earlier answers.
import type { DescribedOperation, Parameter } from "../../../../src/http/api/document/describeApi.js";

type Answer = { readonly importId?: string; readonly statusUrl?: string; readonly results?: { quoteId: string }[] };

/** Ids of earlier answers, by tag and name of the parameter. */
export type MadeIds = Map<string, string>;

const keyOf = ({ operation: { tags } }: DescribedOperation, name: string) => `${tags[0]} ${name}`;

/** Keeps the ids that the reference's script keeps. */
export function rememberIds(ids: MadeIds, described: DescribedOperation, { importId, results }: Answer): void {
  if (described.path.includes("{")) return;
  if (importId !== undefined) ids.set(keyOf(described, "importId"), importId);
  if (results?.[0]) ids.set(keyOf(described, "quoteId"), results[0].quoteId);
}

export async function tryIt(described: DescribedOperation, { url, key, ids }: { url: string; key: string; ids: MadeIds }) {
  const { method, path, operation } = described;
  const sentFor = ({ name, example }: Parameter) => ids.get(keyOf(described, name)) ?? example;
  const given = (place: Parameter["in"]) =>
    operation.parameters.flatMap((each) => (each.in === place && sentFor(each) !== undefined ? [[each.name, String(sentFor(each))]] : []));
  const inPath = new Map(given("path") as [string, string][]);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ""));
  const query = new URLSearchParams(given("query") as [string, string][]);
  const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {});
  const headers = new Headers([["x-api-key", key], ...(given("header") as [string, string][])]);
  if (type === "application/json") headers.set("content-type", type);
  const body = media && (type === "application/json" ? JSON.stringify(media.example) : formOf(media.example as Record<string, string>));
  const response = await fetch(`${url}${filled}${query.size > 0 ? `?${query}` : ""}`, { method, headers, ...(body ? { body } : {}) });
  return { status: response.status, answer: (await response.json()) as Answer };
}

/** The form with a file of another name, as if a person had picked it. */
function formOf({ file = "", ...fields }: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new File([file], "picked.csv"));
  return form;
}
