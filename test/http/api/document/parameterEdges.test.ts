// Every bound that the document states for a parameter, a header or a form is tested on the running API, with values inside, at and outside it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../../../src/domain/imports/limits.js";
import type { DescribedOperation, Parameter } from "../../../../src/http/api/document/describeApi.js";
import { exampleRequests } from "../../../../src/http/api/document/examples/examples.js";
import { everyCase } from "../../../support/projects/everyCase.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";
import { boundsOf, operations, text } from "./parameterBounds.js";

let service: TestService;
let organisation: TestOrganisation;

beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 100_000 });
  organisation = await newOrganisation();
});
afterAll(() => service?.close());

const newOrganisation = () =>
  service.organisation((file) => {
    file.customFields.push({ key: "purchaseOrder", label: "Purchase order" });
  });

interface Answered {
  readonly status: number;
  readonly messages: readonly string[];
}

async function answered(response: Response): Promise<Answered> {
  const { message = [] } = (await response.json()) as { message?: string | string[] };
  return { status: response.status, messages: [message].flat() };
}

/** Each operation has its own organisation, since the same Idempotency-Key for another request is a 422. */
const senders = new Map<string, TestOrganisation>();
async function senderOf(operationId: string): Promise<TestOrganisation> {
  const sender = senders.get(operationId) ?? (await newOrganisation());
  senders.set(operationId, sender);
  return sender;
}

/** Sends a request with this one parameter. Ids in the path do not exist: faults of a parameter are answered before that is noticed. */
async function withParameter(
  { method, path, operation }: DescribedOperation,
  { name, in: place }: Parameter,
  values: readonly string[],
): Promise<Answered> {
  const query = new URLSearchParams(place === "query" ? values.map((value): [string, string] => [name, value]) : []);
  for (const other of operation.parameters)
    if (other.in === "query" && other.required && other.name !== name) query.set(other.name, String(other.example));
  const filled = path.replaceAll(/\{\w+\}/g, "0198c2f0-0000-7000-8000-00000000ffff");
  const { key } = place === "header" ? await senderOf(operation.operationId) : organisation;
  const headers = new Headers({ "x-api-key": key });
  for (const value of place === "header" ? values : []) headers.set(name, value);
  const { body, file } = exampleRequests[operation.operationId] ?? {};
  if (body !== undefined) headers.set("content-type", "application/json");
  const form = new FormData();
  if (file) form.append("file", new File([file.text], file.name));
  const sent = file ? form : body === undefined ? undefined : JSON.stringify(body);
  return answered(await fetch(`${service.url}${filled}?${query}`, { method, headers, ...(sent === undefined ? {} : { body: sent }) }));
}

/** A well-formed cursor that was never given out is answered 400, and an import that does not exist 404. */
const soundButUnknown = (name: string, { path }: DescribedOperation, { status }: Answered) =>
  (name === "cursor" && status === 400) || ((name === "importId" || path.includes("{importId}")) && status === 404);

const parameters = operations.flatMap((described) =>
  described.operation.parameters.filter(({ in: place }) => place !== "path").map((parameter) => [described, parameter] as const),
);

/** Where an earlier operation has the same parameter, one value on each side shows that this operation checks it too. */
const known = new Set<string>();

describe.each(parameters.map(([described, parameter]) => [described.operation.operationId, parameter.name, described, parameter] as const))(
  "%s: %s",
  (_, name, described, parameter) => {
    const seen = JSON.stringify([name, parameter.schema]);
    const few = !everyCase && known.has(seen);
    known.add(seen);

    test.each(boundsOf(parameter.schema).map((edge) => [edge.bound, edge] as const))("%s", async (__, edge) => {
      const [inside, outside] = [edge.inside, edge.outside].map((values) => (few ? values.slice(0, 1) : values)) as [string[], string[]];
      const refusals = new Set<string>();
      for (const value of outside) {
        const { status, messages } = await withParameter(described, parameter, [value]);
        const own = messages.filter((message) => message.startsWith(`${name} `));
        expect([value.slice(0, 50), status, own.length]).toEqual([value.slice(0, 50), 400, 1]);
        for (const message of own) refusals.add(message);
      }
      for (const value of inside) {
        const answer = await withParameter(described, parameter, [value]);
        expect(answer.messages.filter((message) => refusals.has(message))).toEqual([]);
        if (!soundButUnknown(name, described, answer))
          expect([value.slice(0, 50), answer.status < 300]).toEqual([value.slice(0, 50), true]);
      }
    });

    if (parameter.in === "header") return; // Node joins a header that is given twice
    test("given twice is a 400 that names it", async () => {
      const { status, messages } = await withParameter(described, parameter, ["2026-03-01T09:30:00Z", "1"]);
      expect([status, messages.some((message) => message.startsWith(`${name} `))]).toEqual([400, true]);
    });
  },
);

describe("ids in a path", () => {
  test.each(operations.filter(({ path }) => path.includes("{")).map((described) => [described.operation.operationId, described] as const))(
    "%s: an id that does not exist is a 404, whatever its characters",
    async (operationId, { method, path }) => {
      for (const id of ["x", text(4_000), "%F0%9F%9A%9A", "%25", "..%2F..%2Fv1", "%27%3B--", "0198c2f0-0000-7000-8000-00000000ffff"]) {
        const body = exampleRequests[operationId]?.body;
        const headers = { "x-api-key": organisation.key, "content-type": "application/json" };
        const address = `${service.url}${path.replace(/\{\w+\}/, id)}`;
        const response = await fetch(address, { method, headers, ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }) });
        expect([id.slice(0, 50), response.status]).toEqual([id.slice(0, 50), 404]);
      }
    },
  );
});

test("the API key with one character less, more or changed is a 401", async () => {
  const ask = async (key: string) => (await fetch(`${service.url}/v1/org/quotes`, { headers: { "x-api-key": key } })).status;
  const { key } = organisation;
  const other = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
  expect(await Promise.all([key, "", key.slice(0, -1), `${key}a`, other, key.toUpperCase(), text(8_000)].map(ask))).toEqual([
    ...[200, 401, 401, 401, 401, 401, 401],
  ]);
});

describe.each(
  operations
    .filter(({ operation }) => operation.requestBody?.content["multipart/form-data"])
    .map((described) => [described.operation.operationId, described] as const),
)("the form of %s", (operationId, { path, operation }) => {
  const schema = operation.requestBody?.content["multipart/form-data"]?.schema ?? {};
  const file = exampleRequests[operationId]?.file;
  const named = (name: string, content = file?.text ?? "") => new File([content], name);
  const upload = async (sent: File, fields: Record<string, string> = {}) => answered(await organisation.upload(path, sent, fields));

  test("has no field that these tests do not know", () => {
    expect(Object.keys(schema.properties ?? {})).toEqual(["file", "sourceDetails"]);
    expect([schema.required, schema.additionalProperties]).toEqual([["file"], false]);
  });

  test.each(boundsOf(schema.properties?.["sourceDetails"] ?? {}).map((edge) => [edge.bound, edge] as const))(
    "sourceDetails: %s",
    async (_, { inside, outside }) => {
      for (const value of inside) expect((await upload(named("a.csv"), { sourceDetails: value })).status).toBe(202);
      for (const value of outside)
        expect(await upload(named("a.csv"), { sourceDetails: value })).toEqual({
          ...{ status: 400, messages: ["sourceDetails must be text of at most 500 characters"] },
        });
    },
  );

  test("file: its name must end in .csv or .xlsx, and fit its content", async () => {
    for (const name of ["a.csv", "A.CSV", ".csv", `${text(251)}.csv`, `${text(252)}.csv`, "Aufträge Mai.csv"])
      expect([name.slice(0, 20), (await upload(named(name))).status]).toEqual([name.slice(0, 20), 202]);
    for (const name of ["a", "a.xls", "a.txt", "a.csv.zip", "csv", "a.xlsx"])
      expect([name, (await upload(named(name))).status]).toEqual([name, 400]);
  });

  test("file: is required once and must not be empty, and the document states the largest size", async () => {
    const form = new FormData();
    form.append("sourceDetails", "without a file");
    const headers = { "x-api-key": organisation.key };
    const missing = await answered(await fetch(`${service.url}${path}`, { method: "POST", headers, body: form }));
    expect([missing.status, missing.messages[0]]).toEqual([400, expect.stringContaining("file is required")]);
    expect((await upload(named("a.csv", ""))).messages).toEqual(["The file is empty."]);
    expect((await upload(named("a.csv"), { file: "text" })).status).toBe(400);
    expect((await upload(named("a.csv"), { surprise: "1" })).status).toBe(400);
    // test/http/api/pushes/files.test.ts sends files of this size and a byte more, test/http/server/receiveUpload.unit.test.ts a byte less.
    const said = /\(([\d,]+) bytes\)/.exec(String(schema.properties?.["file"]?.description))?.[1]?.replaceAll(",", "");
    expect(Number(said)).toBe(limits.fileBytes);
  });
});

describe("a JSON body may be as large as the document says", () => {
  const sizes = new Map<number, DescribedOperation>();
  for (const described of operations) {
    const { description = "", content = {} } = described.operation.requestBody ?? {};
    if (!content["application/json"] || described.path.includes("{")) continue;
    const bytes = Number(/^At most (\d+) MiB of JSON/.exec(description)?.[1]) * 1024 * 1024;
    if (!sizes.has(bytes)) sizes.set(bytes, described);
  }

  test("the document states 2 and 32 MiB", () => expect([...sizes.keys()]).toEqual([2 * 1024 * 1024, 32 * 1024 * 1024]));

  test.each([...sizes])("%i bytes are accepted, one more is a 413", async (bytes, { path, operation }) => {
    const body = JSON.stringify(exampleRequests[operation.operationId]?.body);
    const send = async (length: number) => (await organisation.post(path, body + " ".repeat(length - body.length))).status;
    const taken = Number(Object.keys(operation.responses).find((status) => status.startsWith("2")));
    expect([await send(bytes - 1), await send(bytes), await send(bytes + 1)]).toEqual([taken, taken, 413]);
  });
});

test("more than 40 parameters are tested, and an unknown kind of bound throws", () => {
  expect(parameters.length).toBeGreaterThan(40);
  expect(() => boundsOf({ type: "string", multipleOf: 2 })).toThrow("no values are known for multipleOf");
});
