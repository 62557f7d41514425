// `npm run postman` makes docs/postman.json from the document. Its requests must succeed unchanged.
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exampleRequests } from "../../../../src/http/api/document/examples/examples.js";
import { routes } from "../../../../src/http/api/routes/list.js";
import { eventually } from "../../../support/eventually.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import { startTestService, type TestService } from "../../../support/service.js";
import { type PostmanCollection, type PostmanItem, postmanCollection } from "./postmanCollection.js";
import { demoKey } from "./recordedAnswers.js";

const file = "docs/postman.json";
let service: TestService;
let roles: Role[] = [];
let collection: PostmanCollection;

beforeAll(async () => {
  const made = `${JSON.stringify(await postmanCollection(), null, 2)}\n`;
  if (process.env["UPDATE_POSTMAN"] === "1") await writeFile(file, made);
  collection = JSON.parse(made);
  service = await startTestService();
  roles = [startWorker(service), startProjector(service)];
});
afterAll(async () => {
  await Promise.all(roles.map((role) => role.stop()));
  await service?.close();
});

test("the collection is up to date with the document", async () => {
  expect(JSON.parse(await readFile(file, "utf8")), "run npm run postman").toEqual(collection);
});

test("every request but the cancellations succeeds for the demo organisation", async () => {
  const variables: Record<string, string> = { apiKey: await demoKey(service) };
  const requests = collection.item.flatMap(({ item = [] }) => item).filter(({ name }) => !name.startsWith("Cancel"));
  // Files are sent after the JSON pushes, since the corrections name rejected rows of the files.
  const rank = ({ name }: PostmanItem) => ["Generate", "(JSON)", "(file)", "Check", "Correct"].findIndex((part) => name.includes(part));
  const reads = requests.filter((item) => rank(item) === -1);
  const ordered = [...requests.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b)), ...reads];
  const answered: Record<string, number> = {};
  for (const item of ordered) {
    await eventually(async () => {
      const response = await send(item, variables);
      const answer = (await response.json()) as { importId?: string; status?: string; results?: { quoteId: string }[] };
      answered[item.name] = response.status;
      keep(item, answer, variables);
      // An import ends some time after its push, and the ledgers show it only then.
      return item.name.startsWith("Check") ? answer.status === "completed" : response.status !== 404;
    }, item.name);
  }
  expect(ordered).toHaveLength(routes.filter(({ operationId }) => !operationId.startsWith("cancel")).length);
  expect(Object.entries(answered).filter(([, status]) => status !== 200 && status !== 202)).toEqual([]);
});

/** Sends the request as Postman does: with variables filled in, without disabled parameters, and with a file that a person picks. */
function send({ request }: PostmanItem, variables: Record<string, string>): Promise<Response> {
  if (!request) throw new Error("a folder cannot be sent");
  const filled = (text: string) => text.replace("{{$guid}}", randomUUID()).replaceAll(/\{\{(\w+)\}\}/g, (_, name) => variables[name] ?? "");
  const { url, method, header, body } = request;
  const parameters = new Map(url.variable.map(({ key, value }) => [`:${key}`, filled(value)]));
  const path = url.path.map((part) => parameters.get(part) ?? part).join("/");
  const headers = new Headers({ "x-api-key": String(variables["apiKey"]) });
  for (const { key, value } of header) if (body?.mode !== "formdata" || key !== "Content-Type") headers.set(key, filled(value));
  const content = body?.mode === "formdata" ? formOf(body.formdata ?? [], path) : body?.raw;
  const query = new URLSearchParams(
    url.query.filter(({ disabled }) => !disabled).map(({ key, value }): [string, string] => [key, filled(value)]),
  );
  return fetch(`${service.url}/${path}?${query}`, { method, headers, ...(content === undefined ? {} : { body: content }) });
}

function formOf(fields: readonly { key: string; type: string; value?: string }[], path: string): FormData {
  const example = exampleRequests[path.includes("shipments") ? "uploadShipments" : "uploadActivities"]?.file;
  const form = new FormData();
  for (const { key, type, value = "" } of fields.filter((each) => each.type !== "file")) form.append(key, type === "text" ? value : "");
  form.append("file", new File([example?.text ?? ""], example?.name ?? ""));
  return form;
}

/** Keeps ids of the answer, as the collection's scripts do. */
function keep({ event }: PostmanItem, answer: { importId?: string; results?: { quoteId: string }[] }, variables: Record<string, string>) {
  const name = /set\("(\w+)"/.exec(JSON.stringify(event ?? "").replaceAll("\\", ""))?.[1];
  if (name !== undefined) variables[name] = answer.importId ?? answer.results?.[0]?.quoteId ?? "";
}
