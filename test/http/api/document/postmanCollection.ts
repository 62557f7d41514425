// The Postman collection that is made from the API's document.
import { createRequire } from "node:module";
import { describeApi } from "../../../../src/http/api/document/describeApi.js";
import { routes } from "../../../../src/http/api/routes/list.js";

export interface PostmanRequest {
  readonly name: string;
  readonly method: string;
  readonly url: {
    readonly path: string[];
    readonly query: { key: string; value: string; disabled: boolean }[];
    readonly variable: { key: string; value: string }[];
  };
  readonly header: { key: string; value: string }[];
  readonly body?: { readonly mode: string; readonly raw?: string; readonly formdata?: { key: string; type: string; value?: string }[] };
}

export interface PostmanItem {
  readonly name: string;
  readonly item?: PostmanItem[];
  readonly request?: PostmanRequest;
  readonly event?: unknown[];
}

export interface PostmanCollection {
  readonly info: object;
  readonly auth: unknown;
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: PostmanItem[];
}

interface Converted {
  readonly result: boolean;
  readonly reason?: string;
  readonly output?: [{ readonly data: PostmanCollection & { readonly info: { readonly _postman_id: string } } }];
}

interface Converter {
  convert(input: object, options: object, done: (error: Error | null, converted: Converted) => void): void;
}

const require = createRequire(import.meta.url);
const converter: Converter = require("openapi-to-postmanv2");

export async function postmanCollection(): Promise<PostmanCollection> {
  const document = describeApi(routes, "http://127.0.0.1:3000");
  const input = { type: "string", data: JSON.stringify(document) };
  const { auth, info, item } = await new Promise<PostmanCollection>((resolve, reject) => {
    const examples = { requestParametersResolution: "Example", exampleParametersResolution: "Example", parametersResolution: "Example" };
    converter.convert(input, { folderStrategy: "Tags", ...examples }, (error, converted) => {
      const made = converted?.output?.[0].data;
      if (made) resolve(made);
      else reject(error ?? new Error(converted.reason));
    });
  });
  const { _postman_id: _, ...named } = info as { _postman_id: string };
  const values = { baseUrl: "http://127.0.0.1:3000", apiKey: "", quoteId: "", shipmentImportId: "", fulfilmentImportId: "" };
  const variable = Object.entries(values).map(([key, value]) => ({ key, value }));
  return { info: named, auth, variable, item: item.filter(({ item: inner }) => inner?.length !== 0).map(sendable) };
}

/** The collection variable that fills in a path parameter. The request that creates the id sets the variable. */
function variableFor(parameter: string, path: readonly string[]): string | undefined {
  if (parameter === "quoteId") return "quoteId";
  if (parameter !== "importId") return undefined;
  return path.includes("shipments") ? "shipmentImportId" : "fulfilmentImportId";
}

/** The item without ids and random values, which differ from run to run, and without recorded answers, which make the file large. */
function sendable({ name, item, request }: PostmanItem): PostmanItem {
  if (item) return { name, item: item.map(sendable) };
  if (!request) return { name };
  const { url, header } = request;
  const variable = url.variable.map((each) => {
    const from = variableFor(each.key, url.path);
    return { ...each, value: from === undefined ? each.value : `{{${from}}}` };
  });
  const isRequired = ({ description }: { description?: unknown }) => JSON.stringify(description ?? "").includes("(Required)");
  const query = url.query.map((each) => (isRequired(each as object) ? each : { ...each, value: "", disabled: true }));
  // The same Idempotency-Key for every request would be a 422: Postman makes a new one each time.
  const headers = header.map((each) => (each.key === "idempotency-key" ? { ...each, value: "{{$guid}}" } : each));
  return { name, request: { ...request, url: { ...url, query, variable }, header: headers }, ...keeping(request) };
}

/** A Postman script that stores the id of the answer in a variable. */
function keeping({ method, url: { path } }: PostmanRequest): Pick<PostmanItem, "event"> {
  const makesImport = method === "POST" && path.at(-1) !== "cancel" && path.at(-1) !== "corrections";
  if (!makesImport) return {};
  const isQuote = path.includes("getQuote");
  const into = isQuote ? "quoteId" : path.includes("shipments") ? "shipmentImportId" : "fulfilmentImportId";
  const value = isQuote ? "pm.response.json().results[0].quoteId" : "pm.response.json().importId";
  const exec = [`if (pm.response.code < 300) pm.collectionVariables.set("${into}", ${value});`];
  return { event: [{ listen: "test", script: { type: "text/javascript", exec } }] };
}
